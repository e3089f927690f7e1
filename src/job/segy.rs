//! Where a file of traces has what the standard has elsewhere: `segy` of `[model]` and `[gather]`.

use crate::io::segy::{FieldBytes, Overrides};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_with_macros::skip_serializing_none;
use std::str::FromStr;

/// A table of [`FieldBytes`] that a kind of file has.
macro_rules! table {
    ($(#[$about:meta])* $table:ident { $($(#[$what:meta])* $field:ident,)* }) => {
        $(#[$about])*
        #[skip_serializing_none]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub(crate) struct $table {
            $($(#[$what])* pub $field: Option<u16>,)*
            /// Code of the sample format: 1 for IBM floats, 5 for IEEE floats, and others of the standard.
            pub(crate) format: Option<i16>,
        }

        impl $table {
            /// In place of a file's own, beside other values.
            pub(crate) fn beside(self, others: Overrides) -> Overrides {
                let fields = FieldBytes { $($field: self.$field,)* ..FieldBytes::default() };
                Overrides { fields, format: self.format, ..others }
            }
        }

        /// In the notation of a flag: `cdp_x=73,cdp_y=77`.
        impl FromStr for $table {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                of_flag(text)
            }
        }
    };
}

table! {
    /// First bytes of numbers in the trace header of a .sgy, from 1, and the code of the sample format, in the names of segyio.
    ModelFields {
        /// Inline number; 189 in the standard.
        iline,
        /// Crossline number; 193.
        xline,
        /// x of the trace; 181.
        cdp_x,
        /// y of the trace; 185.
        cdp_y,
    }
}

table! {
    /// First bytes of numbers in the trace header, from 1, and the code of the sample format, in the names of segyio.
    GatherFields {
        /// Number of the shot; 9 in the standard.
        field_record,
        /// x of the source; 73.
        source_x,
        /// y of the source; 77.
        source_y,
        /// x of the receiver; 81.
        group_x,
        /// y of the receiver; 85.
        group_y,
        /// x of the ensemble, of a section; 181.
        cdp_x,
        /// y of the ensemble; 185.
        cdp_y,
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
