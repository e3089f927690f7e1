//! Depth images and models in files of traces.

use super::drawn::Shown;
use crate::{
    cli::failure::Failure,
    io::{
        gather_file,
        model_file::{Format, ModelFile, ReadOptions},
        segy::{LengthUnit, Overrides},
    },
    message::about,
    ndarray::{Array2, Axis},
    render::SampleAxis,
};
use std::path::Path;

/// True if the samples of a file are depths: as it says, or because the user gives their interval,
/// metres. An interval that is given in seconds makes them times.
pub(crate) fn is_of_depth(
    path: &Path,
    given: Option<f64>,
    headers: Overrides,
) -> Result<bool, Failure> {
    let is_traces = Format::of(path).is_ok_and(Format::is_traces);
    if given.is_some() || headers.interval.is_some() || !is_traces {
        return Ok(given.is_some());
    }
    let is_of_depth = gather_file::open(path, headers).and_then(|mut file| file.is_of_depth());
    is_of_depth.map_err(|error| Failure::input(about(path.display(), error)))
}

/// A plane along x of a file whose samples are depths, of a volume the middle one; `interval` is the
/// metres between samples, if the user gives them.
pub(crate) fn read(
    path: &Path,
    interval: Option<f64>,
    headers: Overrides,
) -> Result<Shown, Failure> {
    if !Format::of(path).is_ok_and(Format::is_traces) {
        let message = format!("{} has no traces of depth", path.display());
        return Err(Failure::input(format!("{message}; give --depth for a .sgy or .su")));
    }
    let file = ModelFile::open(path, ReadOptions { headers, ..ReadOptions::default() });
    let mut file = file.map_err(Failure::input)?;
    if let Some(unit) = headers.unit {
        let name = if unit == LengthUnit::Metre { "m" } else { "ft" };
        file.in_unit(name).map_err(Failure::input)?;
    }
    for warning in &file.warnings {
        tracing::warn!("{}: {warning}", path.display());
    }
    let order = file.order(None).map_err(Failure::input)?;
    let spacing = |axis: usize| {
        let axis = &file.axes[axis];
        Some(axis.scale().ok()? * axis.spacing?)
    };
    let [x, z] = [file.axes.len() - 2, file.axes.len() - 1].map(spacing);
    let missing = || {
        let message = format!("{} does not say how far its depths are apart", path.display());
        Failure::input(format!("{message}; give --depth, metres"))
    };
    let interval = interval.or(z).ok_or_else(missing)?;
    let from = file.placement(&order).origin.z;
    let mut of = None;
    let mut values = file.values;
    if order.is_volume() {
        let lines = values.len_of(Axis(0));
        of = Some(format!("line {} of {lines} along y", lines / 2 + 1));
        values.index_axis_inplace(Axis(0), lines / 2);
    }
    let traces: Array2<f32> = values.into_dimensionality().expect("a plane along x");
    let (spacing, label) = x.map_or((1000.0, "Trace"), |x| (x, "x (km)"));
    let positions = (0..traces.nrows()).map(|x| x as f64 * spacing).collect();
    let which = of.as_ref().map_or(String::new(), |of| format!(", {of}"));
    let (positions, samples) = ((positions, label), SampleAxis::Depth { from });
    Ok(Shown { traces, samples, interval, positions, which, of })
}
