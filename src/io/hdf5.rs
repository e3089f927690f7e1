//! HDF5 and netCDF-4: one array of a file, and its axes where the file describes them.

mod arrays;

pub use arrays::{Arrays, Value};

use super::{
    access::{self, Unreadable},
    file_axis::FileAxis,
    npz::shown,
    placement,
};
use crate::{
    model::Placement,
    remedy::{Refusal, Remedy, remedies},
};
use arrays::{broken, values};
use hdf5_pure::{AttrValue, DType, Dataset, File, FileBuilder};
use ndarray::{ArrayD, ArrayViewD};
use std::{
    collections::HashMap,
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
    #[error("{path} holds no array of floats with two or three axes; write one with h5py")]
    Empty { path: String },
    #[error("{path} holds the arrays {}, and {}; {}", shown(.names),
        .wanted.as_ref().map_or("none is named".into(), |name| format!("none is called \"{name}\"")), remedies(self))]
    Which { path: String, wanted: Option<String>, names: Vec<String> },
    #[error("{array} in {path} holds values of type {kind}; {}", remedies(self))]
    Type { path: String, array: String, kind: String },
    /// More than `limit` bytes, the most that a file of this length unpacks to.
    #[error(
        "{array} in {path} has the shape {shape:?} and pieces of {piece} values, and a file of {length} bytes unpacks to \
         {limit} bytes at most; it is cut or broken"
    )]
    Size { path: String, array: String, shape: Vec<u64>, piece: u64, length: u64, limit: u64 },
}

impl Refusal for Hdf5Error {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            Hdf5Error::Io(error) => error.remedies(),
            Hdf5Error::Which { names, .. } => {
                names.first().map(|name| Remedy::Array { name: name.clone() }).into_iter().collect()
            }
            Hdf5Error::Type { .. } => vec!["convert them to f32 or f64 first".into()],
            _ => Vec::new(),
        }
    }
}

/// Relative tolerance of the distances between coordinates, which may be f32.
const UNEVEN: f64 = 1e-4;
/// The unit of JUDI's squared slowness, an array `m` beside `n`, `d` and `o`.
const JUDI: &str = "s2/km2";

/// An array of a file.
#[derive(Debug)]
pub struct Hdf5 {
    /// Its values, the slowest axis first.
    pub values: ArrayD<f32>,
    /// Its axes, in the order of `values`.
    pub axes: Vec<FileAxis>,
    /// The unit of the values.
    pub unit: Option<String>,
    /// Where the first value lies on the map, if the attributes say so.
    pub placement: Option<Placement>,
    /// What was taken for granted.
    pub warnings: Vec<String>,
}

/// Reads the array of a name, or the only one of two or three axes. No more is allocated than the
/// file can hold.
pub fn read(path: &Path, wanted: Option<&str>) -> Result<Hdf5, Hdf5Error> {
    let name = path.display().to_string();
    let file = access::open(path).map_err(Unreadable::at(&name))?;
    parse(&name, BufReader::new(file), wanted)
}

/// Parses a file; `path` is its name in messages.
pub fn parse(
    path: &str,
    source: impl Read + Seek + Send + 'static,
    wanted: Option<&str>,
) -> Result<Hdf5, Hdf5Error> {
    let Arrays { file, length, found, .. } = Arrays::of(path, source)?;
    let (name, array) = chosen(path, &file, &found, wanted)?;
    let shape = array.shape().map_err(|error| broken(path, error))?;
    let values = values(path, &name, &array, &shape, length)?;
    let mut said =
        ArrayDescription { name: &name, shape: &shape, found: &found, warnings: Vec::new() };
    let attributes = attributes(&array);
    let axes = said.axes(&attributes);
    let unit = said.unit(&attributes);
    let of = |name: &str| attributes.get(name).map(|value| numbers(value).unwrap_or_default());
    let placement = placement::of_numbers(of).map_err(|(attribute, remedy)| {
        let reason = format!("its attribute {attribute} is no place; {remedy}");
        Hdf5Error::Format { path: path.to_owned(), reason }
    })?;
    Ok(Hdf5 { values, axes, unit, placement, warnings: said.warnings })
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
    let may_be = |array: &Dataset| {
        let axes = array.shape().map_or(0, |shape| shape.len());
        matches!(axes, 2 | 3) && matches!(array.dtype(), Ok(DType::F32 | DType::F64))
    };
    let mut names: Vec<_> =
        found.iter().filter(|(_, array)| may_be(array)).map(|(name, _)| name.clone()).collect();
    names.sort();
    match (wanted, names.as_slice()) {
        (_, []) => Err(Hdf5Error::Empty { path: path.into() }),
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

type Attributes = HashMap<String, AttrValue>;

/// The attributes of an array; none where one of them is of no readable kind.
fn attributes(array: &Dataset) -> Attributes {
    array.attrs().unwrap_or_default()
}

/// Descriptions of an array, in its attributes and in the arrays beside it.
struct ArrayDescription<'a> {
    name: &'a str,
    shape: &'a [u64],
    found: &'a [(String, Dataset)],
    warnings: Vec<String>,
}

impl ArrayDescription<'_> {
    fn axes(&mut self, attributes: &Attributes) -> Vec<FileAxis> {
        let mut axes = vec![FileAxis::default(); self.shape.len()];
        if let Some(dimensions) = attributes.get("_Netcdf4Coordinates").and_then(numbers)
            && dimensions.len() == axes.len()
        {
            for (axis, dimension) in axes.iter_mut().zip(dimensions) {
                self.coordinates(axis, dimension);
            }
            return axes;
        }
        let names = attributes.get("axes").and_then(text).unwrap_or_default();
        if names.chars().count() == axes.len() {
            for (axis, name) in axes.iter_mut().zip(names.chars()) {
                axis.label = Some(name.into());
            }
        }
        let spacing = self.each(attributes, &["spacing", "d"], names.is_empty());
        let origin = self.each(attributes, &["origin", "o"], names.is_empty());
        for (index, axis) in axes.iter_mut().enumerate() {
            axis.spacing = spacing.as_ref().map(|of| of[index]);
            axis.origin = origin.as_ref().map(|of| of[index]);
        }
        axes
    }

    /// An axis of netCDF, from its variable of coordinates.
    fn coordinates(&mut self, axis: &mut FileAxis, dimension: f64) {
        for (name, array) in self.found {
            let attributes = attributes(array);
            let own = attributes.get("_Netcdf4Dimid").and_then(numbers);
            let at = array.shape().unwrap_or_default();
            if own.as_deref() != Some(&[dimension]) || at.len() != 1 || !self.shape.contains(&at[0])
            {
                continue;
            }
            axis.label = name.rsplit('/').next().map(str::to_owned);
            axis.unit = attributes.get("units").and_then(text);
            let Ok(at) = array.read_f64() else { continue };
            let [first, .., last] = at.as_slice() else { continue };
            let spacing = (last - first) / (at.len() - 1) as f64;
            let even = |pair: &[f64]| (pair[1] - pair[0] - spacing).abs() <= UNEVEN * spacing.abs();
            match at.windows(2).all(even) {
                true => (axis.origin, axis.spacing) = (Some(*first), Some(rounded(spacing))),
                false => {
                    self.warnings.push(format!("the coordinates {name} are not evenly spaced"))
                }
            }
        }
    }

    /// A number for each axis: an attribute, or an array beside this one. JUDI and Devito have `d`
    /// and `o` in the order of `n`, which Julia's arrays have the other way round.
    fn each(&mut self, attributes: &Attributes, names: &[&str], by_n: bool) -> Option<Vec<f64>> {
        let get = |name: &str| attributes.get(name).and_then(numbers).or_else(|| self.beside(name));
        let of = |name: &str| get(name).filter(|of| of.len() == self.shape.len());
        let mut values = names.iter().find_map(|name| of(name))?;
        let n: Option<Vec<u64>> = of("n").map(|n| n.iter().map(|n| *n as u64).collect());
        if let (true, Some(n)) = (by_n, n) {
            let turned = n.iter().rev().eq(self.shape);
            if turned && n == self.shape && values.windows(2).any(|pair| pair[0] != pair[1]) {
                let text = format!("{values:?} of {} may be in either order of its axes", names[1]);
                self.warnings.push(text + ", and is left out");
                return None;
            }
            if turned {
                values.reverse();
            }
        }
        Some(values)
    }

    /// The numbers of a small array in the same group.
    fn beside(&self, name: &str) -> Option<Vec<f64>> {
        let group =
            self.name.rsplit_once('/').map_or(String::new(), |(group, _)| format!("{group}/"));
        let (_, array) = self.found.iter().find(|(found, _)| *found == format!("{group}{name}"))?;
        let few = array.shape().is_ok_and(|shape| shape.iter().product::<u64>() <= 3);
        few.then(|| array.read_f64().ok()).flatten()
    }

    fn unit(&mut self, attributes: &Attributes) -> Option<String> {
        let own = attributes.get("units").or_else(|| attributes.get("unit")).and_then(text);
        let name = self.name.rsplit('/').next();
        if own.is_none() && name == Some("m") && self.beside("d").is_some() {
            self.warnings.push(format!(
                "{} stands beside d, as JUDI writes it: {JUDI} are taken",
                self.name
            ));
            return Some(JUDI.into());
        }
        own
    }
}

/// Sums of f32 coordinates leave a residue.
fn rounded(spacing: f64) -> f64 {
    format!("{spacing:.6e}").parse().unwrap_or(spacing)
}

/// The numbers of an attribute.
fn numbers(value: &AttrValue) -> Option<Vec<f64>> {
    Some(match value {
        AttrValue::F32(v) => vec![f64::from(*v)],
        AttrValue::F64(v) => vec![*v],
        AttrValue::I32(v) => vec![f64::from(*v)],
        AttrValue::I64(v) => vec![*v as f64],
        AttrValue::U32(v) => vec![f64::from(*v)],
        AttrValue::U64(v) => vec![*v as f64],
        AttrValue::F32Array(v) => v.iter().map(|v| f64::from(*v)).collect(),
        AttrValue::F64Array(v) => v.clone(),
        AttrValue::I32Array(v) => v.iter().map(|v| f64::from(*v)).collect(),
        AttrValue::I64Array(v) => v.iter().map(|v| *v as f64).collect(),
        AttrValue::U32Array(v) => v.iter().map(|v| f64::from(*v)).collect(),
        AttrValue::U64Array(v) => v.iter().map(|v| *v as f64).collect(),
        _ => return None,
    })
}

/// The text of an attribute.
fn text(value: &AttrValue) -> Option<String> {
    value
        .as_str()
        .map(|text| text.trim_end_matches('\0').trim().to_owned())
        .filter(|t| !t.is_empty())
}

/// Writes a model as the array `velocity`, with the attributes `axes`, `spacing`, `origin` and
/// `units`: its axes by their letters, slowest first, metres, and metres per second; and with those
/// of its placement.
pub fn write(
    sink: &mut dyn Write,
    values: ArrayViewD<'_, f32>,
    axes: &str,
    [spacing, origin]: [Vec<f64>; 2],
    placement: &Placement,
) -> io::Result<()> {
    let values = values.as_standard_layout();
    let shape: Vec<_> = values.shape().iter().map(|n| *n as u64).collect();
    let mut file = FileBuilder::new();
    let array = file.create_dataset("velocity");
    array.with_f32_data(values.as_slice().expect("its layout is standard")).with_shape(&shape);
    array.set_attr("axes", AttrValue::String(axes.into()));
    array.set_attr("units", AttrValue::String("m/s".into()));
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
