//! Where a file of traces has what the standard has elsewhere: `segy` of `[model]` and `[gather]`.

use crate::io::segy::{FieldBytes, Overrides};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::str::FromStr;

/// First bytes of numbers in the trace header of a .sgy, from 1, and the code of the sample format, in the names of segyio.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ModelFields {
    /// Inline number; 189 in the standard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iline: Option<u16>,
    /// Crossline number; 193.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub xline: Option<u16>,
    /// x of the trace; 181.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cdp_x: Option<u16>,
    /// y of the trace; 185.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cdp_y: Option<u16>,
    /// Code of the sample format: 1 for IBM floats, 5 for IEEE floats, and others of the standard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<i16>,
}

/// First bytes of numbers in the trace header, from 1, and the code of the sample format, in the names of segyio.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GatherFields {
    /// Number of the shot; 9 in the standard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field_record: Option<u16>,
    /// x of the source; 73.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_x: Option<u16>,
    /// y of the source; 77.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_y: Option<u16>,
    /// x of the receiver; 81.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_x: Option<u16>,
    /// y of the receiver; 85.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_y: Option<u16>,
    /// x of the ensemble, of a section; 181.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cdp_x: Option<u16>,
    /// y of the ensemble; 185.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cdp_y: Option<u16>,
    /// Code of the sample format: 1 for IBM floats, 5 for IEEE floats, and others of the standard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<i16>,
}

impl ModelFields {
    /// In place of a file's own.
    pub fn overrides(self) -> Overrides {
        let ModelFields { iline, xline, cdp_x, cdp_y, format } = self;
        let fields = FieldBytes { iline, xline, cdp_x, cdp_y, ..FieldBytes::default() };
        Overrides { fields, format, ..Overrides::default() }
    }
}

impl GatherFields {
    /// In place of a file's own, beside other values.
    pub fn beside(self, others: Overrides) -> Overrides {
        let GatherFields { field_record, source_x, source_y, group_x, group_y, .. } = self;
        let GatherFields { cdp_x, cdp_y, format, .. } = self;
        let fields = FieldBytes {
            field_record,
            source_x,
            source_y,
            group_x,
            group_y,
            cdp_x,
            cdp_y,
            ..FieldBytes::default()
        };
        Overrides { fields, format, ..others }
    }
}

/// In the notation of a flag: `iline=9,xline=21`.
impl FromStr for ModelFields {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        of_flag(text)
    }
}

/// In the notation of a flag: `source_x=181,group_x=185`.
impl FromStr for GatherFields {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        of_flag(text)
    }
}

fn of_flag<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let mut table = toml::Table::new();
    for part in text.split(',') {
        let wrong = || format!("\"{part}\" is not a name and a number, such as cdp_x=73");
        let (name, number) = part.split_once('=').ok_or_else(wrong)?;
        let number: u16 = number.trim().parse().map_err(|_| wrong())?;
        if table.insert(name.trim().into(), i64::from(number).into()).is_some() {
            return Err(format!("{} is given twice", name.trim()));
        }
    }
    table.try_into().map_err(|error: toml::de::Error| error.message().trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_has_the_names_of_the_keys() {
        let fields: ModelFields = "iline=9, xline=21,format=5".parse().expect("right");
        let (iline, xline, format) = (Some(9), Some(21), Some(5));
        assert_eq!(fields, ModelFields { iline, xline, format, ..ModelFields::default() });
        for (wrong, said) in [
            ("inline=9", "unknown field `inline`"),
            ("source_x=73", "unknown field `source_x`"),
            ("iline", "is not a name and a number"),
            ("iline=-9", "is not a name and a number"),
            ("iline=9,iline=21", "given twice"),
        ] {
            let told = wrong.parse::<ModelFields>().expect_err(wrong);
            assert!(told.contains(said), "{told}");
        }
    }
}
