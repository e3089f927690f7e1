//! Gathers as arrays, with their positions and times: `.npz`, HDF5, and `.npy` beside a list of
//! receivers.
//!
//! | array | shape | |
//! |---|---|---|
//! | `traces` | `[receiver][time]`, or `[record][receiver][time]` of several | f32 or f64 |
//! | `interval` | one number | s between samples |
//! | `start` | one number, or `[record]` | s from the shot to the first sample; 0 where it is missing |
//! | `source` | `[3]`, or `[record][3]` | x, y and z of the source, m, z down |
//! | `receivers` | `[receiver][3]`, or `[record][receiver][3]` | likewise of the receivers |
//! | `record` | `[record]` | numbers of the records; from 1 where it is missing |
//!
//! The `.npz` of a modelled shot is read as well: there `pressure` stands for `traces`, `time` of
//! each sample for `interval` and `start`, and `sources`, which must be one, for `source`; positions
//! count from the first node of its model, whose place on the map it has as a model's archive does.

mod members;
#[cfg(test)]
mod tests;

#[cfg(feature = "jobs")]
use super::positions::{self, PositionsError};
use super::{
    access::{self, Unreadable},
    hdf5::{self, Hdf5Error},
    npy::{self, NpyError},
    npz::{self, Array, NpzError, Text, shown},
    placement,
    segy::Gather,
    whole::{self, WholeError},
};
use crate::grid::Position;
use hdf5_pure::{AttrValue, FileBuilder};
use members::Members;
use ndarray::{ArrayD, arr0};
use std::{
    collections::BTreeMap,
    io::{self, BufReader, Read, Seek},
    path::Path,
};

/// Reasons why gathers were not read or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum GatherArraysError {
    #[error(transparent)]
    Io(#[from] Unreadable),
    #[error(transparent)]
    Npz(#[from] NpzError),
    #[error(transparent)]
    Npy(#[from] NpyError),
    #[error(transparent)]
    Hdf5(#[from] Hdf5Error),
    #[cfg(feature = "jobs")]
    #[error(transparent)]
    Positions(#[from] PositionsError),
    #[error(transparent)]
    Whole(#[from] WholeError),
    #[error(
        "{path} holds the arrays {}, and no \"{array}\"; add it: {}",
        shown(.names), meaning(array)
    )]
    Missing { path: String, array: &'static str, names: Vec<String> },
    #[error("{array} in {path} has the shape {shape:?}; give it the shape {wanted}")]
    Shape { path: String, array: &'static str, shape: Vec<usize>, wanted: String },
    #[error("{array} in {path} holds {value}; give {}", wanted(array))]
    Value { path: String, array: &'static str, value: f64 },
    #[error("{array} in {path} is in {own}; convert it to {unit}")]
    Unit { path: String, array: &'static str, own: String, unit: &'static str },
    #[error(
        "{path} lists {listed} receivers for {traces} traces; give one for each trace, in their order"
    )]
    Receivers { path: String, listed: usize, traces: usize },
    /// Records that do not fit one array, counted from 1.
    #[error(
        "{what} of record {record} is {here}, and that of the first is {first}; write each record to its own file"
    )]
    Unlike { what: &'static str, record: usize, here: String, first: String },
    #[error("there is no gather to write")]
    None,
}

/// The meaning of an array of a file.
fn meaning(array: &str) -> &'static str {
    match array {
        "traces" => "samples [receiver][time], or [record][receiver][time]",
        "interval" => "the seconds between samples",
        "source" | "sources" => "x, y and z of the source in metres, or [record][3]",
        "time" => "the seconds of each sample",
        _ => "x, y and z of each receiver in metres, [receiver][3]",
    }
}

/// The values that an array takes.
fn wanted(array: &str) -> String {
    match array {
        "interval" => "a positive number of seconds".into(),
        "record" => "whole numbers of 32 bits".into(),
        "time" => "times that are evenly spaced".into(),
        "traces" => format!("numbers of up to {:e}", f32::MAX),
        _ => "finite numbers".into(),
    }
}

/// Description of the arrays, for readers without the manual.
const ABOUT: &str = "\
traces     [receiver][time], or [record][receiver][time], f32
interval   s between samples
start      s from the shot to the first sample, of all records or of each
source     [x, y, z] or [record][x, y, z], metres, z down
receivers  [receiver][x, y, z] or [record][receiver][x, y, z], likewise
record     [record], numbers of the records
";

/// Reads the gathers of a `.npz`.
/// Fails if an array is missing or does not fit the others, by its name.
pub fn read_npz(path: &Path) -> Result<Vec<Gather>, GatherArraysError> {
    let name = path.display().to_string();
    let file = access::open(path).map_err(Unreadable::at(&name))?;
    parse_npz(&name, BufReader::new(file))
}

/// Parses a `.npz`; `path` is its name in messages.
pub fn parse_npz(
    path: &str,
    mut archive: impl Read + Seek,
) -> Result<Vec<Gather>, GatherArraysError> {
    /// The array of a name, or the names that there are.
    fn get<T: npy::Value>(
        path: &str,
        archive: impl Read + Seek,
        name: &'static str,
    ) -> Result<Result<ArrayD<T>, Vec<String>>, GatherArraysError> {
        match npz::parse(path, archive, Some(name)) {
            Ok(array) => Ok(Ok(array)),
            Err(NpzError::Which { names, .. }) => Ok(Err(names)),
            Err(error) => Err(error.into()),
        }
    }
    let missing = |array: &'static str| {
        move |names: Vec<String>| GatherArraysError::Missing { path: path.into(), array, names }
    };
    let traces = get(path, &mut archive, "traces")?;
    let is_shot = traces.is_err();
    let traces = match traces {
        Ok(traces) => traces,
        Err(names) => get(path, &mut archive, "pressure")?.map_err(|_| missing("traces")(names))?,
    };
    let mut numbers = |name| get(path, &mut archive, name);
    let mut needed = |name| numbers(name)?.map_err(missing(name));
    let (receivers, source) =
        (needed("receivers")?, needed(if is_shot { "sources" } else { "source" })?);
    let (interval, start) = match is_shot {
        true => of_times(path, &needed("time")?)?,
        false => (needed("interval")?, numbers("start")?.ok()),
    };
    let record = numbers("record")?.ok();
    let mut placed = BTreeMap::new();
    for name in placement::NAMES.into_iter().filter(|_| is_shot) {
        placed.insert(name, numbers(name)?.ok().map(|of| of.into_iter().collect()));
    }
    let refused = |(array, wanted): (&'static str, &str)| {
        let (path, wanted) = (path.into(), wanted.to_owned());
        GatherArraysError::Shape { path, array, shape: Vec::new(), wanted }
    };
    let placement = placement::of_numbers(|name| placed.get(name).cloned().flatten());
    let placement = placement.map_err(refused)?.unwrap_or_default();
    let mut gathers =
        Members { path, traces, interval, start, source, receivers, record }.gathers()?;
    // Those of a shot count from its model's first node.
    for gather in gathers.iter_mut().filter(|_| !placement.is_plain()) {
        gather.source = placement.on_map(gather.source);
        gather.receivers.iter_mut().for_each(|at| *at = placement.on_map(*at));
    }
    Ok(gathers)
}

/// The interval and start of evenly spaced times.
fn of_times(
    path: &str,
    times: &ArrayD<f64>,
) -> Result<(ArrayD<f64>, Option<ArrayD<f64>>), GatherArraysError> {
    let (array, shape) = ("time", times.shape().to_vec());
    let (Some(first), Some(last), 1, 2..) =
        (times.first(), times.last(), times.ndim(), times.len())
    else {
        let wanted = "[time] of two or more".into();
        return Err(GatherArraysError::Shape { path: path.into(), array, shape, wanted });
    };
    let interval = (last - first) / (times.len() - 1) as f64;
    let even = |(index, time): (usize, &f64)| {
        (time - first - index as f64 * interval).abs() <= EVEN * interval.abs()
    };
    match times.iter().enumerate().find(|(index, time)| !even((*index, time))) {
        Some((_, value)) => {
            Err(GatherArraysError::Value { path: path.into(), array, value: *value })
        }
        None => Ok((arr0(interval).into_dyn(), Some(arr0(*first).into_dyn()))),
    }
}

/// Tolerance of a time, in intervals.
const EVEN: f64 = 0.01;

/// Reads the gathers of an HDF5 file.
pub fn read_hdf5(path: &Path) -> Result<Vec<Gather>, GatherArraysError> {
    let name = path.display().to_string();
    let file = access::open(path).map_err(Unreadable::at(&name))?;
    parse_hdf5(&name, BufReader::new(file))
}

/// Parses an HDF5 file; `path` is its name in messages.
pub fn parse_hdf5(
    path: &str,
    source: impl Read + Seek + Send + 'static,
) -> Result<Vec<Gather>, GatherArraysError> {
    let arrays = hdf5::Arrays::of(path, source)?;
    let missing = |array: &'static str| {
        let names = arrays.names();
        move || GatherArraysError::Missing { path: path.into(), array, names }
    };
    let traces = arrays.read("traces")?.ok_or_else(missing("traces"))?;
    let needed = |name| -> Result<ArrayD<f64>, GatherArraysError> {
        arrays.read(name)?.ok_or_else(missing(name))
    };
    let (interval, source) = (needed("interval")?, needed("source")?);
    let receivers = needed("receivers")?;
    let (start, record) = (arrays.read("start")?, arrays.read("record")?);
    for (array, unit) in [("interval", "s"), ("start", "s"), ("source", "m"), ("receivers", "m")] {
        let own = arrays.unit(array).filter(|own| *own != *unit);
        if let Some(own) = own {
            return Err(GatherArraysError::Unit { path: path.into(), array, own, unit });
        }
    }
    Members { path, traces, interval, start, source, receivers, record }.gathers()
}

/// What a `.npy` of traces does not say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Described {
    /// Position of the source, metres.
    pub source: Position,
    /// Seconds between samples.
    pub interval: f64,
    /// Time of the first sample, seconds after the shot.
    pub start: f64,
    /// Metres in a unit of the list of receivers.
    pub metres: f64,
}

/// Reads a gather of shape `[receiver][time]` from a `.npy`, and its receivers from a list of
/// positions, in the order of the traces ([`positions::read`]); y is 0 where the list has none.
/// Fails if a file cannot be read, or their numbers of traces and receivers differ.
#[cfg(feature = "jobs")]
pub fn read_npy(
    traces: &Path,
    receivers: &Path,
    described: Described,
) -> Result<Gather, GatherArraysError> {
    let path = traces.display().to_string();
    let Described { source, interval, start, metres } = described;
    let traces = two_axes(&path, npy::read(traces)?)?;
    if !(interval.is_finite() && interval > 0.0) {
        return Err(GatherArraysError::Value { path, array: "interval", value: interval });
    }
    let listed = positions::read(receivers)?;
    if listed.len() != traces.nrows() {
        let (path, listed) = (receivers.display().to_string(), listed.len());
        return Err(GatherArraysError::Receivers { path, listed, traces: traces.nrows() });
    }
    let receivers = listed.into_iter().map(|at| at.in_metres(metres)).collect();
    Ok(Gather { record: 1, source, receivers, traces, interval, start })
}

/// The traces of a `.npy`.
#[cfg(feature = "jobs")]
fn two_axes(path: &str, traces: ArrayD<f32>) -> Result<ndarray::Array2<f32>, GatherArraysError> {
    let shape = traces.shape().to_vec();
    let (path, array, wanted) = (path.to_owned(), "traces", "[receiver][time]".to_owned());
    let refused = |_| GatherArraysError::Shape { path, array, shape, wanted };
    traces.into_dimensionality::<ndarray::Ix2>().map_err(refused)
}

/// Writes gathers as `.npz`, uncompressed.
/// Fails if the gathers differ in their shape or interval, or the file cannot be written.
pub fn write_npz(path: &Path, gathers: &[Gather], force: bool) -> Result<(), GatherArraysError> {
    let members = Members::of(gathers)?;
    let mut arrays = vec![("traces".to_owned(), Array::F32(members.traces.view()))];
    let numbers = members.numbers().into_iter();
    arrays.extend(numbers.map(|(name, values, _)| (name.to_owned(), Array::F64(values.view()))));
    Ok(npz::write(path, Text { name: "about.txt", text: ABOUT }, &arrays, force)?)
}

/// Writes gathers as HDF5, each array in one piece, with its unit as the attribute `units`.
pub fn write_hdf5(path: &Path, gathers: &[Gather], force: bool) -> Result<(), GatherArraysError> {
    let members = Members::of(gathers)?;
    let mut file = FileBuilder::new();
    let sides = |shape: &[usize]| shape.iter().map(|n| *n as u64).collect::<Vec<_>>();
    let traces = file.create_dataset("traces");
    let samples = members.traces.as_slice().expect("its layout is standard");
    traces.with_f32_data(samples).with_shape(&sides(members.traces.shape()));
    for (name, values, unit) in members.numbers() {
        let array = file.create_dataset(name);
        let numbers = values.as_slice().expect("its layout is standard");
        array.with_f64_data(numbers).with_shape(&sides(values.shape()));
        array.set_attr("units", AttrValue::String(unit.into()));
    }
    Ok(whole::make(path, force, |sink| {
        file.finish_to(sink).map_err(|error| match error {
            hdf5_pure::Error::Io(error) => error,
            error => io::Error::other(error.to_string()),
        })
    })?)
}

/// Writes the traces of a gather as `.npy` and its receivers as a list of positions, for
/// [`read_npy`].
pub fn write_npy(
    traces: &Path,
    receivers: &Path,
    gather: &Gather,
    force: bool,
) -> Result<(), GatherArraysError> {
    whole::may_write(receivers, force)?;
    whole::make(traces, force, |file| npy::write(file, gather.traces.view().into_dyn()))?;
    let line = |at: &Position| format!("{},{},{}\n", at.x, at.y, at.z);
    let text: String =
        std::iter::once("x,y,z\n".to_owned()).chain(gather.receivers.iter().map(line)).collect();
    Ok(whole::write(receivers, text.as_bytes(), force)?)
}
