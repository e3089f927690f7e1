//! The content of a trace file: a model, gathers or anything else in SEG-Y or Seismic Unix format.

mod places;
mod text;

use crate::{
    cli::failure::named,
    io::{
        gather_file::GatherFileError,
        model_file::Format,
        segy::{
            ByteOrder, Contents, Layout, LengthUnit, Overrides, ReadAs, Reader, ReaderOptions,
            SegyError, Warning, contents,
        },
    },
    message::Names,
};
use serde::Serialize;
use std::path::Path;

/// The content of a trace file.
#[derive(Serialize)]
pub(crate) struct TraceInfo {
    path: String,
    format: Format,
    /// None for Seismic Unix.
    revision: Option<u8>,
    byte_order: &'static str,
    /// The standard's format code.
    sample_format: i16,
    traces: u64,
    samples: usize,
    /// The value of the sample-interval field.
    interval: Option<f64>,
    /// Metres that it counts, if they are given.
    interval_metres: Option<f64>,
    /// Seismic Unix: true if traces are marked as depth traces.
    depth: bool,
    d1: Option<f64>,
    d2: Option<f64>,
    length_unit: Option<&'static str>,
    #[serde(flatten)]
    held: Contents,
    grid: Option<GridInfo>,
    looks: String,
    warnings: Vec<String>,
    text: Vec<String>,
    #[serde(skip)]
    layout: Layout,
    #[serde(skip)]
    is_model: bool,
}

/// A regular grid of traces.
#[derive(Serialize)]
struct GridInfo {
    x: usize,
    y: usize,
    /// Along x and y.
    spacing: Option<(f64, f64)>,
}

/// Reads a whole file, one trace at a time. What is told of gathers alone is not of a model.
pub(crate) fn read(
    path: &Path,
    format: Format,
    overrides: Overrides,
    is_model: bool,
) -> Result<TraceInfo, SegyError> {
    let is_su = format == Format::Su;
    overrides.fields.check(ReadAs { is_model, is_su })?;
    let mut reader = Reader::open(path, ReaderOptions { is_su, overrides })?;
    let held = contents(&mut reader)?;
    let layout = *reader.layout();
    let unnamed = (is_su && layout.unit.is_none() && !is_model).then_some(Warning::SuUnit);
    let of_model = held.of_model.iter().filter(|_| is_model);
    let all = reader.warnings().iter().chain(&held.of_places).chain(&unnamed).chain(of_model);
    let told = all.filter(|warning| !(is_model && warning.is_of_gathers())).map(Warning::to_string);
    let bad = (!(is_model || held.bad.is_empty()))
        .then(|| GatherFileError::NotFinite { numbers: held.bad.clone() }.to_string());
    let names = (!is_model).then_some(Names::Gather);
    let grid = held.grid.as_ref().and_then(|grid| grid.as_ref().ok());
    let lines = reader.texts().iter().flatten().map(|line| line.trim_end().to_owned());
    Ok(TraceInfo {
        path: path.display().to_string(),
        format,
        revision: (!is_su).then_some(layout.revision),
        byte_order: match reader.order() {
            ByteOrder::Big => "big-endian",
            ByteOrder::Little => "little-endian",
        },
        sample_format: layout.format.code(),
        traces: layout.traces,
        samples: layout.samples,
        interval: layout.interval,
        interval_metres: None,
        depth: held.is_depth(),
        d1: held.d1,
        d2: held.d2,
        length_unit: layout.unit.map(|unit| match unit {
            LengthUnit::Metre => "m",
            LengthUnit::Foot => "ft",
        }),
        grid: grid.map(|grid| GridInfo { x: grid.nx, y: grid.ny, spacing: grid.spacing }),
        looks: text::looks(&held),
        warnings: told.chain(bad).map(|warning| named(names, warning)).collect(),
        text: lines.filter(|line| text::has_words(line)).collect(),
        held,
        layout,
        is_model,
    })
}

impl TraceInfo {
    /// The same with the unit of the sample interval, in metres, if it is given.
    pub(crate) fn counting(self, interval_metres: Option<f64>) -> Self {
        TraceInfo { interval_metres, ..self }
    }
}
