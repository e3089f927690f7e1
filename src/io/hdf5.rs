//! HDF5 and netCDF-4: one array of a file, and its axes where the file describes them.

mod arrays;
mod cf;
mod description;
mod links;
#[cfg(test)]
mod tests;

pub use arrays::{Arrays, Value};

use super::{
    access::{self, Unreadable},
    file_axis::FileArray,
    npz::{name_one, shown},
    placement,
};
use crate::model::{ModelQuantity, Placement};
use arrays::{broken, not_floats, values};
use cf::{Missing, Packing};
use description::{ArrayDescription, attributes, numbers};
use hdf5_pure::{AttrValue, DType, Dataset, File, FileBuilder};
use ndarray::{ArrayViewD, Axis};
use std::{
    io::{self, BufReader, Read, Seek, Write},
    path::Path,
};

/// Reasons why an array was not read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum Hdf5Error {
    #[error(transparent)]
    Io(#[from] Unreadable),
    #[error("{path} is not a whole HDF5 file, or of a kind that is not read: {reason}")]
    Format { path: String, reason: String },
    #[error(
        "{path} is classic netCDF (netCDF-3), and netCDF-4 is read; convert it with `nccopy -k netCDF-4`, or with \
         xarray"
    )]
    Classic { path: String },
    #[error(
        "{array} in {path} is stored as only newer HDF5 does ({reason}), which is not read; save it again with \
         libver=\"earliest\" of h5py, which is its default"
    )]
    Newer { path: String, array: String, reason: String },
    #[error("{path} holds no array of floats with two or three axes; write one with h5py")]
    Empty { path: String },
    #[error("{path} holds the arrays {}, and {}; {}", shown(.names),
        .wanted.as_ref().map_or("none is named".into(), |name| format!("none is called \"{name}\"")), name_one(.names))]
    Which { path: String, wanted: Option<String>, names: Vec<String> },
    #[error("{array} in {path} holds values of type {kind}; convert them to f32 or f64 first")]
    Type { path: String, array: String, kind: String },
    #[error(
        "{array} in {path} is packed: integers of type {kind} with scale_factor or add_offset, and arrays of f32 and \
         f64 are read; unpack it first: `ncpdq -U packed.nc floats.nc` of NCO, or drop_encoding() of xarray before \
         it is written"
    )]
    Packed { path: String, array: String, kind: String },
    /// More than `limit` bytes, the most that a file of this length unpacks to.
    #[error(
        "{array} in {path} has the shape {shape:?} and pieces of {piece} values, and no more than {limit} bytes are \
         taken out of a file of {length} bytes; if it is neither cut nor broken, save it without compression"
    )]
    Size { path: String, array: String, shape: Vec<u64>, piece: u64, length: u64, limit: u64 },
    #[error(
        "{array} in {path} has no value in {count} of its {all} places ({by}): {place}, counted from 0; fill them \
         with velocities, or leave those parts of the model out"
    )]
    Missing { path: String, array: String, count: usize, all: usize, by: String, place: String },
}

/// Reads the array of a name, or the only one of two or three axes. No more is allocated than the
/// file can hold.
pub fn read(path: &Path, wanted: Option<&str>) -> Result<FileArray, Hdf5Error> {
    let name = path.display().to_string();
    let file = access::open(path).map_err(Unreadable::at(&name))?;
    parse(&name, BufReader::new(file), wanted)
}

/// Parses a file; `path` is its name in messages.
pub fn parse(
    path: &str,
    source: impl Read + Seek + Send + 'static,
    wanted: Option<&str>,
) -> Result<FileArray, Hdf5Error> {
    let Arrays { file, length, found, .. } = Arrays::of(path, source)?;
    let (name, array) = chosen(path, &file, &found, wanted)?;
    let shape = array.shape().map_err(|error| broken(path, error))?;
    let mut values = values(path, &name, &array, &shape, length)?;
    let attributes = attributes(&array);
    let mut said = ArrayDescription::new(&name, &shape, &found);
    let axes = said.axes(&attributes);
    let unit = said.unit(&attributes);
    if let Some(missing) = Missing::in_values(&values) {
        let (path, array, count) = (path.to_owned(), name.clone(), missing.count);
        let (all, place) = (values.len(), missing.place(&axes));
        let by = Packing::of(&attributes).shown();
        return Err(Hdf5Error::Missing { path, array, count, all, by, place });
    }
    for axis in &said.turned {
        values.invert_axis(Axis(*axis));
    }
    let of = |name: &str| attributes.get(name).map(|value| numbers(value).unwrap_or_default());
    let placement = placement::of_numbers(of).map_err(|(attribute, remedy)| {
        let reason = format!("its attribute {attribute} is no place; {remedy}");
        Hdf5Error::Format { path: path.to_owned(), reason }
    })?;
    Ok(FileArray { axes, unit, placement, warnings: said.warnings, ..FileArray::of(values) })
}

/// The array of a name, or the only one that may be a model.
fn chosen(
    path: &str,
    file: &File,
    found: &[(String, Dataset)],
    wanted: Option<&str>,
) -> Result<(String, Dataset), Hdf5Error> {
    if let Some(wanted) = wanted
        && let Ok(array) = file.dataset(wanted)
    {
        return Ok((wanted.trim_start_matches('/').to_owned(), array));
    }
    let has_axes = |array: &Dataset| {
        let shape = array.shape().unwrap_or_default();
        // An axis of one time or one member comes before those of a model.
        let axes = shape.iter().skip_while(|n| **n == 1).count();
        matches!((shape.len(), axes), (2 | 3, _) | (_, 2 | 3))
    };
    let may_be =
        |array: &Dataset| has_axes(array) && matches!(array.dtype(), Ok(DType::F32 | DType::F64));
    let mut names: Vec<_> =
        found.iter().filter(|(_, array)| may_be(array)).map(|(name, _)| name.clone()).collect();
    names.sort();
    match (wanted, names.as_slice()) {
        (_, []) => {
            let packed = found
                .iter()
                .find(|(_, array)| has_axes(array) && Packing::of(&attributes(array)).is_scaled());
            Err(match packed {
                Some((name, array)) => not_floats(path, name, array),
                None => Hdf5Error::Empty { path: path.into() },
            })
        }
        (None, [only]) => {
            let array = file.dataset(only);
            Ok((only.clone(), array.map_err(|error| broken(path, error))?))
        }
        _ => {
            let wanted = wanted.map(str::to_owned);
            Err(Hdf5Error::Which { path: path.into(), wanted, names })
        }
    }
}

/// What is written of a model in words.
#[derive(Clone, Copy)]
pub struct ModelLabels<'a> {
    /// Velocity or density.
    pub quantity: ModelQuantity,
    /// Its axes by their letters, slowest first.
    pub axes: &'a str,
}

/// Writes a model as the array `velocity` or `density`, with the attributes `axes`, `spacing`, `origin` and
/// `units`: its axes by their letters, slowest first, metres, and m/s or kg/m3; and with those of its
/// placement.
pub fn write(
    sink: &mut dyn Write,
    values: ArrayViewD<'_, f32>,
    ModelLabels { quantity, axes }: ModelLabels<'_>,
    [spacing, origin]: [Vec<f64>; 2],
    placement: &Placement,
) -> io::Result<()> {
    let values = values.as_standard_layout();
    let shape: Vec<_> = values.shape().iter().map(|n| *n as u64).collect();
    let mut file = FileBuilder::new();
    let array = file.create_dataset(quantity.name());
    array.with_f32_data(values.as_slice().expect("its layout is standard")).with_shape(&shape);
    array.set_attr("axes", AttrValue::String(axes.into()));
    array.set_attr("units", AttrValue::String(quantity.unit().into()));
    array.set_attr("origin", AttrValue::F64Array(origin));
    array.set_attr("spacing", AttrValue::F64Array(spacing));
    for (name, numbers) in placement::numbers(placement) {
        array.set_attr(name, AttrValue::F64Array(numbers));
    }
    file.finish_to(sink).map_err(|error| match error {
        hdf5_pure::Error::Io(error) => error,
        error => io::Error::other(error.to_string()),
    })
}
