//! Models: a trace is a column, z fastest.

use super::{
    ByteOrder, Format, LengthUnit, Point, Reader, SegyError, Spec, Writer, binary,
    geometry::{self, Placing},
    grid::{self, By, Key, SurveyGrid},
    trace,
};
use ndarray::{Array3, ArrayView3, Axis};
use std::io::{Read, Seek, Write};

/// A model as a file holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Samples of shape `[y][x][z]`; `[1][x][z]` for a plane.
    pub values: Array3<f32>,
    /// Metres between traces along x and y, where the file says so.
    pub spacing: Option<(f64, f64)>,
    /// The number in the sample-interval field. Files of depth use a field of microseconds for it, and no field
    /// says what was meant: ask.
    pub interval: Option<f64>,
    /// How traces were placed.
    pub by: By,
}

/// Reads a model whole. `unit` stands for what a file does not say; metres need it only where positions are there.
pub fn read_model<R: Read + Seek>(
    reader: &mut Reader<R>,
    unit: Option<LengthUnit>,
) -> Result<Model, SegyError> {
    let layout = *reader.layout();
    let (mut keys, mut values) = (Vec::new(), Vec::new());
    let placed = |key: &Key| key.x != 0.0 || key.y != 0.0;
    while let Some(trace) = reader.next_trace()? {
        let of_trace = |error: SegyError| error.of_trace(trace.index);
        let unit = layout.unit.or(unit);
        let (x, y) =
            geometry::ensemble(trace.header, unit.unwrap_or_default()).map_err(of_trace)?;
        let number = |field| trace.header.get(field);
        let key = Key { inline: number(trace::INLINE), crossline: number(trace::CROSSLINE), x, y };
        if unit.is_none() && placed(&key) {
            return Err(no_unit(reader));
        }
        keys.push(key);
        values.extend(trace.samples.iter().map(|sample| *sample as f32));
    }
    let SurveyGrid { nx, ny, spacing, columns, by } = grid::arrange(&keys)?;
    let nz = layout.samples;
    let read = Array3::from_shape_vec((ny, nx, nz), values).expect("the grid has a place a trace");
    let in_order = columns.iter().enumerate().all(|(trace, column)| trace == *column);
    let values = if in_order { read } else { sorted(read, &columns) };
    Ok(Model { values, spacing, interval: layout.interval, by })
}

/// The error where positions have no unit.
pub(super) fn no_unit<R: Read + Seek>(reader: &Reader<R>) -> SegyError {
    let field = binary::MEASUREMENT;
    SegyError::Unit { field: field.place(), value: reader.binary().get(field) }
}

/// Traces in the order of their columns.
fn sorted(read: Array3<f32>, columns: &[usize]) -> Array3<f32> {
    let (ny, nx, nz) = read.dim();
    let mut trace_of = vec![0; columns.len()];
    for (trace, column) in columns.iter().enumerate() {
        trace_of[*column] = trace;
    }
    let flat = read.into_shape_with_order((ny * nx, nz)).expect("as many values");
    let sorted = flat.select(Axis(0), &trace_of);
    sorted.into_shape_with_order((ny, nx, nz)).expect("as many values")
}

/// How a model is written.
#[derive(Clone, Debug)]
pub struct ModelSpec {
    /// Lines of the textual header.
    pub text: Vec<String>,
    /// Metres between traces along x and y.
    pub spacing: (f64, f64),
    /// The number for the sample-interval field. Say in the text what it means.
    pub interval: f64,
    /// The sample format.
    pub format: Format,
    /// The byte order.
    pub order: ByteOrder,
    /// The unit of positions.
    pub unit: LengthUnit,
}

/// Writes a model of shape `[y][x][z]`: inlines along y and crosslines along x, both from 1, and the ensembles'
/// coordinates, in revision 1 where that holds it.
pub fn write_model<W: Write>(
    sink: W,
    values: ArrayView3<'_, f32>,
    spec: ModelSpec,
) -> Result<W, SegyError> {
    let (ny, nx, nz) = values.dim();
    let at = |y: usize, x: usize| Point {
        x: x as f64 * spec.spacing.0,
        y: y as f64 * spec.spacing.1,
        z: 0.0,
    };
    let points = (0..ny).flat_map(|y| (0..nx).map(move |x| (y, x))).map(|(y, x)| at(y, x));
    let placing = Placing::new(spec.unit, points)?;
    let ModelSpec { text, interval, format, order, unit, .. } = spec;
    let traces = Some((ny * nx) as u64);
    let file = Spec { text, samples: nz, interval, format, order, unit, traces, ..Spec::default() };
    let mut writer = Writer::new(sink, file.in_earliest_revision())?;
    for (y, section) in values.outer_iter().enumerate() {
        for (x, column) in section.outer_iter().enumerate() {
            let mut header = writer.header();
            let number = (y * nx + x + 1) as i64;
            header.set(trace::ENSEMBLE, number)?;
            header.set(trace::IN_ENSEMBLE, 1)?;
            header.set(trace::INLINE, y as i64 + 1)?;
            header.set(trace::CROSSLINE, x as i64 + 1)?;
            let Point { x, y, .. } = at(y, x);
            placing.put_ensemble(&mut header, x, y)?;
            writer.trace(header, column.iter().map(|value| f64::from(*value)))?;
        }
    }
    writer.finish()
}
