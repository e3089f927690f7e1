//! RSF files out: native_float, which is little-endian here.

use super::MARK;
use crate::io::{file_axis::FileAxis, floats};
use ndarray::ArrayViewD;
use std::fmt::Write;

/// What a header says of the values.
#[derive(Clone, Copy, Debug)]
pub struct Description<'a> {
    /// Of each axis, slowest first.
    pub axes: &'a [FileAxis],
    /// What the values are.
    pub label: &'a str,
    /// Their unit.
    pub unit: &'a str,
}

/// One file: the header, and the data behind it.
pub fn whole(values: ArrayViewD<'_, f32>, description: Description<'_>) -> Vec<u8> {
    let mut bytes = header(&values, description, "stdin").into_bytes();
    bytes.extend(MARK);
    bytes.extend(floats::bytes(values.iter()));
    bytes
}

/// Two files: the header, and the data that it finds under a name.
pub fn beside(
    values: ArrayViewD<'_, f32>,
    description: Description<'_>,
    name: &str,
) -> (Vec<u8>, Vec<u8>) {
    (header(&values, description, name).into_bytes(), floats::bytes(values.iter()))
}

fn header(values: &ArrayViewD<'_, f32>, description: Description<'_>, data: &str) -> String {
    let mut text = format!("huygens\t{}\n\n", env!("CARGO_PKG_VERSION"));
    let axes = values.shape().iter().zip(description.axes).rev();
    for (axis, (n, said)) in (1..).zip(axes) {
        let mut line = format!("\tn{axis}={n}");
        // Writing to a string does not fail.
        if let Some(origin) = said.origin {
            let _ = write!(line, " o{axis}={origin}");
        }
        if let Some(spacing) = said.spacing {
            let _ = write!(line, " d{axis}={spacing}");
        }
        for (name, text) in [("label", &said.label), ("unit", &said.unit)] {
            if let Some(text) = text {
                let _ = write!(line, " {name}{axis}={}", quoted(text));
            }
        }
        text += &line;
        text.push('\n');
    }
    let (label, unit) = (quoted(description.label), quoted(description.unit));
    text + &format!(
        "\tlabel={label} unit={unit}\n\tesize=4 data_format=\"native_float\"\n\tin={}\n",
        quoted(data)
    )
}

/// In the quotation marks that a text does not contain itself.
fn quoted(text: &str) -> String {
    let mark = if text.contains('"') { '\'' } else { '"' };
    format!("{mark}{text}{mark}")
}
