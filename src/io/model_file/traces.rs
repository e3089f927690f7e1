//! Models as traces, in SEG-Y or for Seismic Unix: one trace per column.

use super::{Format, ModelFileError, ReadOptions};
use crate::{
    file_axis::{FileArray, FileAxis},
    segy::{
        IntervalUnit, LengthUnit, Model, ReadAs, Reader, ReaderOptions, SegyError, Unread,
        read_model, scan_model,
    },
};
use ndarray::Axis;
use std::{
    fs::File,
    io::{BufReader, Cursor, Read, Seek},
    path::Path,
};

/// The unit of lengths in a file without one: not a unit, so the user must give it.
const UNSAID: &str = "metres or feet, and the file does not say which";

/// A reader of a file.
pub(super) type FileReader = Reader<BufReader<File>>;

/// Samples that stay in the file.
#[derive(Debug)]
pub struct InFile {
    pub(super) reader: FileReader,
    pub(super) unread: Unread,
}

pub(super) fn read(
    path: &Path,
    format: Format,
    options: ReadOptions<'_>,
) -> Result<FileArray, ModelFileError> {
    in_file(path, open(path, format, options).and_then(|reader| whole(reader, options)))
}

/// [`read`] of bytes.
pub(super) fn parse(
    path: &Path,
    bytes: &[u8],
    format: Format,
    options: ReadOptions<'_>,
) -> Result<FileArray, ModelFileError> {
    let of_reader = reader_options(format, options);
    let reader = of_reader.and_then(|of_reader| Reader::new(Cursor::new(bytes), of_reader));
    in_file(path, reader.and_then(|reader| whole(reader, options)))
}

/// Reads a file but for its samples; `None` if they are not one column after the other, or not all
/// finite.
pub(super) fn scan(
    path: &Path,
    format: Format,
    options: ReadOptions<'_>,
) -> Result<Option<FileArray<InFile>>, ModelFileError> {
    let scan = || {
        let mut reader = open(path, format, options)?;
        let Some(model) = scan_model(&mut reader, Some(LengthUnit::Metre))? else {
            return Ok(None);
        };
        let is_plane = model.values.shape.0 == 1;
        let array = described(&reader, model, is_plane, options.sample_interval);
        Ok(Some(array.map(|unread| InFile { reader, unread })))
    };
    in_file(path, scan())
}

fn in_file<T>(path: &Path, read: Result<T, SegyError>) -> Result<T, ModelFileError> {
    read.map_err(|error| ModelFileError::Traces { path: path.display().to_string(), error })
}

/// A model with all its samples.
fn whole<R: Read + Seek>(
    mut reader: Reader<R>,
    options: ReadOptions<'_>,
) -> Result<FileArray, SegyError> {
    // If the file has no unit, numbers are taken as they are.
    let model = read_model(&mut reader, Some(LengthUnit::Metre))?;
    let is_plane = model.values.dim().0 == 1;
    let array = described(&reader, model, is_plane, options.sample_interval);
    Ok(array.map(|values| {
        let mut values = values.into_dyn();
        if is_plane {
            values.index_axis_inplace(Axis(0), 0);
        }
        values
    }))
}

fn open(path: &Path, format: Format, options: ReadOptions<'_>) -> Result<FileReader, SegyError> {
    Reader::open(path, reader_options(format, options)?)
}

fn reader_options(format: Format, options: ReadOptions<'_>) -> Result<ReaderOptions, SegyError> {
    let (is_su, overrides) = (format == Format::Su, options.headers);
    overrides.fields.check(ReadAs { is_model: true, is_su })?;
    Ok(ReaderOptions { is_su, overrides })
}

/// The axes of a model in a file.
fn described<R: Read + Seek, V>(
    reader: &Reader<R>,
    Model { values, spacing, interval, depth, placement, top, .. }: Model<V>,
    is_plane: bool,
    sample_interval: Option<f64>,
) -> FileArray<V> {
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
    FileArray { axes, interval, placement, warnings, ..FileArray::of(values) }
}

/// 24384 times 0.001 is a little over 24.384 in floating point; positions are rounded to more.
fn rounded(length: f64) -> f64 {
    format!("{length:.9}").parse().unwrap_or(length)
}
