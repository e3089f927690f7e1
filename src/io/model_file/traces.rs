//! Models as traces, in SEG-Y or for Seismic Unix: one trace per column.

use super::{Format, ModelFileError};
use crate::{
    file_axis::FileAxis,
    model::Placement,
    segy::{
        IntervalUnit, LengthUnit, Model, Overrides, ReadAs, Reader, ReaderOptions, SegyError,
        Unread, read_model, scan_model,
    },
};
use ndarray::{ArrayD, Axis};
use std::{
    fs::File,
    io::{BufReader, Cursor, Read, Seek},
    path::Path,
};

/// The unit of lengths in a file without one: not a unit, so the user must give it.
const UNSAID: &str = "metres or feet, and the file does not say which";

/// The model in a file of traces.
pub(super) struct Traces<V> {
    pub values: V,
    pub axes: Vec<FileAxis>,
    pub interval: Option<f64>,
    pub placement: Option<Placement>,
    pub warnings: Vec<String>,
}

/// What is said of a file beside it.
#[derive(Clone, Copy)]
pub(super) struct Said {
    /// Metres per unit of the sample interval, if known.
    pub sample_interval: Option<f64>,
    /// In place of the headers' own.
    pub headers: Overrides,
}

/// A reader of a file.
pub(super) type FileReader = Reader<BufReader<File>>;

/// Samples that stay in the file.
#[derive(Debug)]
pub struct InFile {
    pub(super) reader: FileReader,
    pub(super) unread: Unread,
}

/// Reads a file.
pub(super) fn read(
    path: &Path,
    format: Format,
    said: Said,
) -> Result<Traces<ArrayD<f32>>, ModelFileError> {
    let read = open(path, format, said).and_then(|reader| whole(reader, said.sample_interval));
    read.map_err(|error| ModelFileError::Traces { path: path.display().to_string(), error })
}

/// [`read`] of bytes.
pub(super) fn parse(
    (path, bytes): (&Path, &[u8]),
    format: Format,
    said: Said,
) -> Result<Traces<ArrayD<f32>>, ModelFileError> {
    let source = Cursor::new(bytes);
    let reader = options(format, said).and_then(|options| Reader::new(source, options));
    let read = reader.and_then(|reader| whole(reader, said.sample_interval));
    read.map_err(|error| ModelFileError::Traces { path: path.display().to_string(), error })
}

/// A model with all its samples.
fn whole<R: Read + Seek>(
    mut reader: Reader<R>,
    sample_interval: Option<f64>,
) -> Result<Traces<ArrayD<f32>>, SegyError> {
    // If the file has no unit, numbers are taken as they are.
    let model = read_model(&mut reader, Some(LengthUnit::Metre))?;
    let is_plane = model.values.dim().0 == 1;
    let Traces { values, axes, interval, placement, warnings } =
        described(&reader, model, is_plane, sample_interval);
    let mut values = values.into_dyn();
    if is_plane {
        values.index_axis_inplace(Axis(0), 0);
    }
    Ok(Traces { values, axes, interval, placement, warnings })
}

/// Reads a file but for its samples; `None` if they are not one column after the other, or not all
/// finite.
pub(super) fn scan(
    path: &Path,
    format: Format,
    said: Said,
) -> Result<Option<Traces<InFile>>, ModelFileError> {
    let scan = || {
        let mut reader = open(path, format, said)?;
        let model = scan_model(&mut reader, Some(LengthUnit::Metre))?;
        Ok(model.map(|model| {
            let (unread, is_plane) = (model.values, model.values.shape.0 == 1);
            let Traces { axes, interval, placement, warnings, .. } =
                described(&reader, model, is_plane, said.sample_interval);
            Traces { values: InFile { reader, unread }, axes, interval, placement, warnings }
        }))
    };
    scan().map_err(|error| ModelFileError::Traces { path: path.display().to_string(), error })
}

fn open(path: &Path, format: Format, said: Said) -> Result<FileReader, SegyError> {
    Reader::open(path, options(format, said)?)
}

fn options(format: Format, Said { headers, .. }: Said) -> Result<ReaderOptions, SegyError> {
    let is_su = format == Format::Su;
    headers.fields.check(if is_su { ReadAs::SuModel } else { ReadAs::Model })?;
    Ok(ReaderOptions { is_su, overrides: headers })
}

/// The axes of a model in a file.
fn described<R: Read + Seek, V>(
    reader: &Reader<R>,
    Model { values, spacing, interval, depth, placement, top, .. }: Model<V>,
    is_plane: bool,
    sample_interval: Option<f64>,
) -> Traces<V> {
    let own = reader.layout().unit;
    let counted = IntervalUnit::in_text(reader.texts().iter().flatten());
    let counted = sample_interval.map(f64::recip).or(counted.map(IntervalUnit::a_metre));
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
    let origin = Some(top).filter(|top| *top != 0.0);
    let mut z = FileAxis { unit: Some("m".into()), origin, ..axis("z", None) };
    match (counted, interval, depth) {
        (Some(a_metre), Some(interval), _) => z.spacing = Some(rounded(interval / a_metre)),
        (_, _, Some((d1, f1))) => {
            z = FileAxis { spacing: Some(d1), origin: Some(f1), ..axis("z", None) };
        }
        _ => {}
    }
    let mut axes = vec![axis("y", spacing.map(|(_, y)| y)), axis("x", spacing.map(|(x, _)| x)), z];
    if is_plane {
        axes.remove(0);
    }
    let told = reader.warnings().iter().filter(|warning| !warning.is_of_gathers());
    let warnings = told.map(ToString::to_string).collect();
    Traces { values, axes, interval, placement, warnings }
}

/// 24384 times 0.001 is a little over 24.384 in floating point; positions are rounded to more.
fn rounded(length: f64) -> f64 {
    format!("{length:.9}").parse().unwrap_or(length)
}
