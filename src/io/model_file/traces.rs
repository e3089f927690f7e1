//! Models as traces, in SEG-Y or for Seismic Unix: one trace per column.

use super::{Format, ModelFileError};
use crate::{
    io::{
        file_axis::FileAxis,
        segy::{IntervalUnit, LengthUnit, Model, Reader, SegyError, read_model},
    },
    model::Placement,
};
use ndarray::{ArrayD, Axis};
use std::{
    io::{Read, Seek},
    path::Path,
};

/// The unit of lengths in a file without one: not a unit, so the user must give it.
const UNSAID: &str = "metres or feet, and the file does not say which";

/// The model in a file of traces.
pub struct Traces {
    pub values: ArrayD<f32>,
    pub axes: Vec<FileAxis>,
    pub interval: Option<f64>,
    pub placement: Option<Placement>,
    pub warnings: Vec<String>,
}

/// Reads a file; `sample_interval` gives the metres per unit of the sample interval, if known.
pub fn read(
    path: &Path,
    format: Format,
    sample_interval: Option<f64>,
) -> Result<Traces, ModelFileError> {
    let read = match format {
        Format::Su => Reader::open_su(path).and_then(|reader| model(reader, sample_interval)),
        _ => Reader::open(path).and_then(|reader| model(reader, sample_interval)),
    };
    read.map_err(|error| ModelFileError::Traces { path: path.display().to_string(), error })
}

fn model<R: Read + Seek>(
    mut reader: Reader<R>,
    sample_interval: Option<f64>,
) -> Result<Traces, SegyError> {
    let own = reader.layout().unit;
    let counted = IntervalUnit::in_text(reader.texts().iter().flatten());
    let counted = sample_interval.map(f64::recip).or(counted.map(IntervalUnit::a_metre));
    // If the file has no unit, numbers are taken as they are.
    let Model { values, spacing, interval, depth, placement, .. } =
        read_model(&mut reader, Some(LengthUnit::Metre))?;
    // The axes are in the file's own unit.
    let unit = match own {
        // Seismic Unix uses its user's unit, metres by default.
        _ if reader.is_su() => None,
        Some(LengthUnit::Metre) => Some("m"),
        Some(LengthUnit::Foot) => Some("ft"),
        None => Some(UNSAID),
    };
    let metres = own.unwrap_or_default().metres();
    let axis = |letter: &str, spacing: Option<f64>| FileAxis {
        label: Some(letter.into()),
        unit: unit.map(str::to_owned),
        spacing: spacing.map(|h| rounded(h / metres)),
        origin: None,
    };
    let mut z = FileAxis { unit: Some("m".into()), ..axis("z", None) };
    match (counted, interval, depth) {
        (Some(a_metre), Some(interval), _) => z.spacing = Some(rounded(interval / a_metre)),
        (_, _, Some((d1, f1))) => {
            z = FileAxis { spacing: Some(d1), origin: Some(f1), ..axis("z", None) };
        }
        _ => {}
    }
    let mut axes = vec![axis("y", spacing.map(|(_, y)| y)), axis("x", spacing.map(|(x, _)| x)), z];
    let mut values = values.into_dyn();
    if values.shape()[0] == 1 {
        values.index_axis_inplace(Axis(0), 0);
        axes.remove(0);
    }
    let warnings = reader.warnings().iter().map(ToString::to_string).collect();
    Ok(Traces { values, axes, interval, placement, warnings })
}

/// 24384 times 0.001 is a little over 24.384 in floating point; positions are rounded to more.
fn rounded(length: f64) -> f64 {
    format!("{length:.9}").parse().unwrap_or(length)
}
