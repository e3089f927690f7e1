//! Writes RSF files: native_float, which is little-endian here.

use super::MARK;
use crate::{
    column_stream::ColumnStream, file_axis::FileAxis, floats, model::Placement, placement,
    program::PROGRAM, raw,
};
use ndarray::ArrayViewD;
use std::{fmt::Write, io};

/// The values' description in a header.
#[derive(Clone, Copy, Debug)]
pub struct Description<'a> {
    /// For each axis, slowest first.
    pub axes: &'a [FileAxis],
    /// Their label.
    pub label: &'a str,
    /// Their unit.
    pub unit: &'a str,
    /// Where the first of them lies on the map.
    pub placement: Placement,
}

/// Writes the columns of a model, as an array of this shape, in one file: the header, and the data
/// behind it.
pub(crate) fn write_columns(
    sink: &mut dyn io::Write,
    shape: &[usize],
    columns: &mut dyn ColumnStream,
    description: Description<'_>,
) -> io::Result<()> {
    sink.write_all(header(shape, description, "stdin").as_bytes())?;
    sink.write_all(MARK)?;
    raw::write_columns(sink, columns)
}

/// The bytes of a file of an array.
pub fn whole(values: ArrayViewD<'_, f32>, description: Description<'_>) -> Vec<u8> {
    let mut bytes = header(values.shape(), description, "stdin").into_bytes();
    bytes.reserve(MARK.len() + 4 * values.len());
    bytes.extend_from_slice(MARK);
    floats::write(&mut bytes, values.iter()).expect("writing to memory does not fail");
    bytes
}

/// The header of an array of this shape in a file named `data`.
pub(crate) fn header(shape: &[usize], description: Description<'_>, data: &str) -> String {
    let mut text = format!("{PROGRAM}\n\n");
    let axes = shape.iter().zip(description.axes).rev();
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
    let placed = placement::numbers(&description.placement);
    let placed = placed.into_iter().map(|(name, of)| {
        let of: Vec<_> = of.iter().map(f64::to_string).collect();
        format!(" {name}={}", of.join(","))
    });
    let placed: String = placed.collect();
    let (label, unit) = (quoted(description.label), quoted(description.unit));
    text + &format!(
        "\tlabel={label} unit={unit}{placed}\n\tesize=4 data_format=\"native_float\"\n\tin={}\n",
        quoted(data)
    )
}

/// In quotation marks of the kind that the text does not contain.
fn quoted(text: &str) -> String {
    let mark = if text.contains('"') { '\'' } else { '"' };
    format!("{mark}{text}{mark}")
}
