//! Gathers in files.

use crate::{
    arrays::{positions, rows, shaped},
    error::Error,
    messages::with_messages,
};
use huygens::{
    grid::Position,
    io::{
        gather_file::{self, GatherFileError, Given},
        segy::{Gather, LengthUnit, Overrides},
    },
    job::Killed,
    ndarray::ArrayView1,
};
use numpy::{IntoPyArray, PyReadonlyArray2};
use pyo3::{prelude::*, types::PyDict};
use std::path::PathBuf;

/// The gathers of a .sgy, .su, .npz or .h5.
#[pyfunction]
#[pyo3(signature = (path, *, unit = None, coordinate_scalar = None, elevation_scalar = None, lengths = false, interval = None, start = None, records = None, kill = None))]
#[allow(clippy::too_many_arguments, reason = "the keywords of a Python function")]
pub fn read_gathers<'py>(
    py: Python<'py>,
    path: PathBuf,
    unit: Option<&str>,
    coordinate_scalar: Option<i16>,
    elevation_scalar: Option<i16>,
    lengths: bool,
    interval: Option<f64>,
    start: Option<f64>,
    records: Option<Vec<i64>>,
    kill: Option<Vec<String>>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let unit = match unit {
        None => None,
        Some("m") => Some(LengthUnit::Metre),
        Some("ft") => Some(LengthUnit::Foot),
        Some(other) => {
            return Err(
                Error::input(format!("\"{other}\" is no unit of lengths; give m or ft")).into()
            );
        }
    };
    let headers = Overrides {
        unit,
        coordinate_scalar,
        elevation_scalar,
        lengths,
        interval,
        ..Overrides::default()
    };
    let killed = |of: &String| {
        of.parse().map_err(|why| Error::input(format!("{of} is no trace to leave out; {why}")))
    };
    let kill: Vec<Killed> = kill.iter().flatten().map(killed).collect::<Result<_, _>>()?;
    let kill = Killed::all(&kill);
    let read = with_messages(py, || {
        let read =
            gather_file::read(&path, &Given { headers, start, records, kill, ..Given::default() });
        let read = read.map_err(|error| Error::input(format!("{}: {error}", path.display())))?;
        for warning in &read.warnings {
            tracing::warn!("{}: {warning}", path.display());
        }
        Ok::<_, Error>(read.gathers)
    })?;
    let each = read.into_iter().map(|gather| {
        let of = PyDict::new(py);
        of.set_item("traces", gather.traces.into_pyarray(py))?;
        of.set_item("interval", gather.interval)?;
        of.set_item("sources", rows(py, &[gather.source]))?;
        of.set_item("receivers", rows(py, &gather.receivers))?;
        of.set_item("record", gather.record)?;
        Ok(of)
    });
    each.collect()
}

type Written<'py> =
    (Bound<'py, PyAny>, f64, PyReadonlyArray2<'py, f64>, PyReadonlyArray2<'py, f64>, i64);

/// Writes gathers: traces, interval, sources, receivers and record of each.
#[pyfunction]
pub fn write_gathers(
    py: Python<'_>,
    path: PathBuf,
    gathers: Vec<Written<'_>>,
    force: bool,
) -> PyResult<()> {
    let gathers = gathers.iter().map(|(traces, interval, sources, receivers, record)| {
        let sources: Vec<Position> = positions("sources", sources)?;
        let [source] = sources[..] else {
            return Err(Error::input(format!(
                "a gather in a file has one source, and record {record} has {}",
                sources.len()
            )));
        };
        Ok(Gather {
            record: *record,
            source,
            receivers: positions("receivers", receivers)?,
            traces: shaped("traces", "[receiver][time]", traces)?,
            interval: *interval,
            start: 0.0,
        })
    });
    let gathers = gathers.collect::<Result<Vec<_>, _>>()?;
    with_messages(py, || {
        let traces = gathers.iter().flat_map(|gather| gather.traces.outer_iter());
        let is_bad = |trace: &ArrayView1<'_, f32>| trace.iter().any(|sample| !sample.is_finite());
        let bad = (1..).zip(traces).filter(|(_, trace)| is_bad(trace));
        let numbers: Vec<u64> = bad.map(|(number, _)| number).collect();
        if !numbers.is_empty() {
            tracing::warn!("{}: {}", path.display(), GatherFileError::NotFinite { numbers });
        }
        gather_file::write(&path, &gathers, force, &|| false).map_err(Error::from)
    })
}
