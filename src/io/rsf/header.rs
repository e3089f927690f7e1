//! The text of an RSF file: `key=value` anywhere in it; the last value of a key counts.

use super::{RsfError, error::RsfError::Missing};
use crate::{ByteOrder, file_axis::FileAxis};
use std::{collections::HashMap, io, path::Path};

const AXES: usize = 9;
/// The most characters of a value in a message.
const SHOWN: usize = 60;

/// The fields of a header.
pub(crate) struct Header<'a> {
    path: &'a str,
    fields: HashMap<String, String>,
}

impl<'a> Header<'a> {
    /// Reads the fields of a text. Words without `=` are the file's history.
    pub(crate) fn parse(path: &'a str, text: &str) -> Self {
        let mut fields = HashMap::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let word = rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len());
            let key = &rest[..word];
            rest = &rest[word..];
            if let Some(after) = rest.strip_prefix('=') {
                let (value, after) = value(after);
                fields.insert(key.to_owned(), value.to_owned());
                rest = after;
            }
            rest = rest.trim_start();
        }
        Header { path, fields }
    }

    pub(crate) fn get(&self, field: &str) -> Option<&str> {
        self.fields.get(field).map(String::as_str)
    }

    /// The numbers of a field, separated by commas.
    pub(crate) fn numbers(&self, field: &str) -> Option<Vec<f64>> {
        self.get(field)?.split(',').map(|number| number.trim().parse().ok()).collect()
    }

    /// The error for a field.
    pub(crate) fn wrong(&self, field: &str, value: &str, remedy: impl Into<String>) -> RsfError {
        RsfError::Field {
            path: self.path.into(),
            field: field.into(),
            value: value.chars().take(SHOWN).collect(),
            remedy: remedy.into(),
        }
    }

    /// The error for data at a path that cannot be read.
    pub(crate) fn unreadable(&self, data: &Path) -> impl Fn(io::Error) -> RsfError + use<> {
        let (path, data) = (self.path.to_owned(), data.display().to_string());
        let given: String = self.get("in").unwrap_or_default().chars().take(200).collect();
        move |source| RsfError::Data {
            path: path.clone(),
            given: given.clone(),
            data: data.clone(),
            source,
        }
    }

    /// The path of the data.
    pub(crate) fn data(&self) -> Result<&str, RsfError> {
        let remedy = "give in=\"stdin\" where the data follow the header, or the path of the data";
        match self.get("in") {
            None => Err(Missing { path: self.path.into(), field: "in=".into(), remedy }),
            Some("") => Err(self.wrong("in", "\"\"", remedy)),
            Some(given) => Ok(given),
        }
    }

    /// Byte order of the values.
    pub(crate) fn byte_order(&self) -> Result<ByteOrder, RsfError> {
        // Madagascar's defaults.
        let order = match self.get("data_format").unwrap_or("native_float") {
            "native_float" => ByteOrder::Little,
            "xdr_float" => ByteOrder::Big,
            other => {
                let remedy = "native_float (little-endian) and xdr_float (big-endian) are read: convert the file with \
                              Madagascar's sfdd first";
                return Err(self.wrong("data_format", other, remedy));
            }
        };
        match self.get("esize").unwrap_or("4") {
            "4" => Ok(order),
            other => Err(self.wrong("esize", other, "a float has 4 bytes: set esize=4")),
        }
    }

    /// Samples along each axis, the fastest first, and their product.
    pub(crate) fn shape(&self) -> Result<(Vec<usize>, usize), RsfError> {
        let mut shape = Vec::new();
        let mut count = 1usize;
        for axis in 1..=AXES {
            let field = format!("n{axis}");
            let Some(given) = self.get(&field) else { break };
            let n =
                given.parse::<usize>().ok().filter(|n| *n > 0).ok_or_else(|| {
                    self.wrong(&field, given, "it must be a whole number, 1 or more")
                })?;
            count = count.checked_mul(n).filter(|n| n.checked_mul(4).is_some()).ok_or_else(|| {
                let remedy = format!("with the axes before it that is more than {} values, the most there can be", usize::MAX / 4);
                self.wrong(&field, given, remedy)
            })?;
            shape.push(n);
        }
        let next = shape.len() + 1;
        let remedy = "every axis up to the last has its n";
        if let Some(beyond) = (next + 1..=AXES).find(|axis| self.get(&format!("n{axis}")).is_some())
        {
            let field = format!("n{next}= although it has n{beyond}");
            return Err(Missing { path: self.path.into(), field, remedy });
        }
        if shape.is_empty() {
            return Err(Missing { path: self.path.into(), field: "n1=".into(), remedy });
        }
        Ok((shape, count))
    }

    /// The description of an axis, from 1.
    pub(crate) fn axis(&self, axis: usize) -> Result<FileAxis, RsfError> {
        let number = |letter: char| {
            let field = format!("{letter}{axis}");
            let Some(given) = self.get(&field) else { return Ok(None) };
            let value = given.parse::<f64>().ok().filter(|value| value.is_finite());
            let wrong = || self.wrong(&field, given, "it must be a finite number");
            value.map(Some).ok_or_else(wrong)
        };
        let text = |name: &str| {
            let given = self.get(&format!("{name}{axis}"));
            given.filter(|text| !text.trim().is_empty()).map(str::to_owned)
        };
        Ok(FileAxis {
            label: text("label"),
            unit: text("unit"),
            origin: number('o')?,
            spacing: number('d')?,
        })
    }
}

/// A value, in quotation marks or up to the next blank, and the rest.
fn value(text: &str) -> (&str, &str) {
    for mark in ['"', '\''] {
        if let Some(inside) = text.strip_prefix(mark)
            && let Some(end) = inside.find(mark)
        {
            return (&inside[..end], &inside[end + 1..]);
        }
    }
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_among_the_history() {
        let text = "sfspike\tdata/x:\tme@here\tMon Jan  1\n\n\tn1=100 \n\tlabel1=\"Depth z\"\n\tin='a b'\n\
                    sfwindow j1=2\n\tn1=50 o1=-1.5e1 d1=nan unit1=\"\" esize=4";
        let header = Header::parse("f", text);
        let get = |field| header.get(field);
        assert_eq!((get("n1"), get("label1")), (Some("50"), Some("Depth z")));
        assert_eq!((get("in"), get("j1")), (Some("a b"), Some("2")));
        assert_eq!(header.shape().ok(), Some((vec![50], 50)));
        let said = header.axis(1).expect_err("no spacing").to_string();
        assert!(said.contains("d1=nan in f"), "{said}");
        let header = Header::parse("f", &text.replace("d1=nan", "d1=4"));
        let axis = header.axis(1).expect("an axis");
        assert_eq!((axis.origin, axis.spacing, axis.unit), (Some(-15.0), Some(4.0), None));
    }
}
