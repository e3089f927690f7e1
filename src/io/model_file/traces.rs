//! Models as traces, in SEG-Y or for Seismic Unix: a trace a column.

use super::{Format, ModelFileError};
use crate::io::{
    file_axis::FileAxis,
    segy::{LengthUnit, Model, Reader, SegyError, read_model},
};
use ndarray::{ArrayD, Axis};
use std::{
    io::{Read, Seek},
    path::Path,
};

/// What is in the textual header of our own files, so that nobody needs to be asked what their interval counts.
pub const IN_MILLIMETRES: &str = "DEPTH MODEL: THE SAMPLE INTERVAL COUNTS MILLIMETRES OF DEPTH";

/// What lengths are in where a file does not say: no unit, so that it is asked for.
const UNSAID: &str = "metres or feet, and the file does not say which";

/// What a file of traces holds.
pub struct Traces {
    pub values: ArrayD<f32>,
    pub axes: Vec<FileAxis>,
    pub interval: Option<f64>,
    pub warnings: Vec<String>,
}

/// Reads a file; a sample interval of 1 is so many metres, where it is said.
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
    let says_millimetres =
        reader.texts().iter().flatten().any(|line| line.contains(IN_MILLIMETRES));
    let sample_interval = sample_interval.or(says_millimetres.then_some(1e-3));
    // Where the file does not say, numbers are taken as they stand.
    let Model { values, spacing, interval, depth, .. } =
        read_model(&mut reader, Some(LengthUnit::Metre))?;
    // The axes are in the file's own unit.
    let unit = match own {
        // Seismic Unix counts in whatever its user does, metres where nothing else is said.
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
    match (sample_interval, interval, depth) {
        (Some(of_one), Some(interval), _) => z.spacing = Some(rounded(interval * of_one)),
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
    Ok(Traces { values, axes, interval, warnings })
}

/// 24384 times 0.001 is 24.384, and in floating point a little more. Positions are rounded to more than this.
fn rounded(length: f64) -> f64 {
    format!("{length:.9}").parse().unwrap_or(length)
}
