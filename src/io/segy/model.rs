//! Models: each trace is a column, z fastest.

use super::{
    ByteOrder, Format, IntervalUnit, LengthUnit, Reader, Revision, SegyError, Spec, TraceHeader,
    Warning, Writer, binary,
    block::Block,
    gather,
    geometry::{self, Placing},
    grid::{By, Key, SurveyGrid},
    places::Places,
    su, su_trace, trace,
};
use crate::{
    column_stream::{ColumnStream, Held},
    grid::Position,
    model::Placement,
    room::make_room,
};
use ndarray::{Array3, ArrayView3, Axis};
use std::io::{self, Read, Seek, Write};

/// A model as a file holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Model<V = Array3<f32>> {
    /// Samples of shape `[y][x][z]`; `[1][x][z]` for a plane.
    pub values: V,
    /// Metres between traces along x and y, if the file has positions.
    pub spacing: Option<(f64, f64)>,
    /// The number in the sample-interval field. Files of depth use a field of microseconds for it
    /// without a unit, so the user must give it.
    pub interval: Option<f64>,
    /// Spacing and first value of depth samples, if a file of Seismic Unix has them: in the file's
    /// own unit.
    pub(crate) depth: Option<(f64, f64)>,
    /// How traces were placed.
    pub(crate) by: By,
    /// Where the first node lies on the map, if the file has even positions.
    pub placement: Option<Placement>,
    /// Depth of the first sample, metres below the map's datum.
    pub top: f64,
}

/// Reads a whole model. `unit` is used if the file has none; it is needed only if there are
/// positions. Traces of Seismic Unix are placed by their receivers, or d2 apart if those have no
/// positions.
pub fn read_model<R: Read + Seek>(
    reader: &mut Reader<R>,
    unit: Option<LengthUnit>,
) -> Result<Model, SegyError> {
    let mut values = Vec::new();
    let count = (reader.layout().traces as usize).saturating_mul(reader.layout().samples);
    make_room(&mut values, count).map_err(SegyError::Read)?;
    let (model, columns) = arranged(reader, unit, |block| block.decode(&mut values))?;
    let read = Array3::from_shape_vec(model.values, values).expect("the grid has a place a trace");
    Ok(model.with(if in_order(&columns) { read } else { sorted(read, &columns) }))
}

/// Values along y, x and z.
pub(crate) type Shape = (usize, usize, usize);

/// Samples that stay in their file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unread {
    /// `[y][x][z]`; `[1][x][z]` for a plane.
    pub(crate) shape: Shape,
    /// The smallest and the largest.
    pub(crate) range: (f32, f32),
}

/// Reads a model but for its samples; `None` if its traces are in another order than its columns, or
/// a sample is not finite.
pub(crate) fn scan_model<R: Read + Seek>(
    reader: &mut Reader<R>,
    unit: Option<LengthUnit>,
) -> Result<Option<Model<Unread>>, SegyError> {
    let (mut samples, mut range, mut finite) =
        (Vec::new(), (f32::INFINITY, f32::NEG_INFINITY), true);
    let (model, columns) = arranged(reader, unit, |block| {
        samples.clear();
        block.decode(&mut samples);
        range = samples.iter().fold(range, |(lo, hi), v: &f32| (lo.min(*v), hi.max(*v)));
        finite &= samples.iter().all(|sample| sample.is_finite());
    })?;
    let unread = Unread { shape: model.values, range };
    Ok((finite && in_order(&columns)).then(|| model.with(unread)))
}

/// The columns of a model that [`scan_model`] has found in order.
#[derive(Debug)]
pub(crate) struct ModelColumns<R> {
    reader: Reader<R>,
    samples: Vec<f32>,
}

impl<R: Read + Seek> ModelColumns<R> {
    /// From the first trace on.
    pub(crate) fn new(mut reader: Reader<R>) -> Self {
        reader.rewind();
        ModelColumns { reader, samples: Vec::new() }
    }
}

impl<R: Read + Seek> ColumnStream for ModelColumns<R> {
    fn next_columns(&mut self) -> io::Result<Option<&[f32]>> {
        self.samples.clear();
        let Some(block) = self.reader.next_block().map_err(io::Error::other)? else {
            return Ok(None);
        };
        block.decode(&mut self.samples);
        Ok(Some(&self.samples))
    }
}

impl<V> Model<V> {
    fn with<W>(self, values: W) -> Model<W> {
        let Model { spacing, interval, depth, by, placement, top, .. } = self;
        Model { values, spacing, interval, depth, by, placement, top }
    }
}

impl<R: Read + Seek> Reader<R> {
    /// True if the file says that its samples are depths: SEG-Y in its text, as files of models and
    /// images do, Seismic Unix in the identification of its first trace.
    pub fn is_of_depth(&mut self) -> Result<bool, SegyError> {
        if !self.is_su() {
            return Ok(IntervalUnit::in_text(self.texts().iter().flatten()).is_some());
        }
        let first = self.trace(0)?.header.get(trace::IDENTIFICATION);
        self.rewind();
        Ok(su::DEPTH.contains(&first))
    }
}

/// A model's shape in place of its samples, and the column of each trace; `each` takes the blocks.
fn arranged<R: Read + Seek>(
    reader: &mut Reader<R>,
    unit: Option<LengthUnit>,
    mut each: impl FnMut(&Block<'_>),
) -> Result<(Model<Shape>, Vec<usize>), SegyError> {
    let layout = *reader.layout();
    let is_su = reader.is_su();
    let mut places = Places::new(is_su, reader.overrides, layout.traces);
    let (mut depth, mut d2, mut datum, mut delay) = (None, None, 0.0, None);
    let placed = |key: &Key| key.x != 0.0 || key.y != 0.0;
    let unit = layout.unit.or(unit);
    while let Some(block) = reader.next_block()? {
        let mut lacks_unit = false;
        for (index, header) in block.headers() {
            let of_trace = |error: SegyError| error.of_trace(index);
            let key = places.see(&header, unit.unwrap_or_default()).map_err(of_trace)?;
            if index == 0 && is_su {
                (depth, d2) = su_axes(&header);
            } else if index == 0 {
                datum = geometry::datum(&header, unit.unwrap_or_default());
            }
            let own = gather::delay(&header, layout.revision);
            let first = *delay.get_or_insert(own);
            if own != first && depth.is_none() {
                let field = trace::DELAY.place();
                return Err(SegyError::OtherTop { field, own, first }.of_trace(index));
            }
            lacks_unit |= unit.is_none() && placed(&key);
        }
        each(&block);
        if lacks_unit {
            return Err(no_unit(reader));
        }
    }
    let (SurveyGrid { nx, ny, spacing, placement, columns, by }, warning) = places.arranged()?;
    reader.warnings.extend(warning);
    let metres = unit.unwrap_or_default().metres();
    let delay = delay.filter(|delay| *delay != 0.0 && depth.is_none());
    if let Some(value) = delay {
        let (field, depth) = (trace::DELAY.place(), value * metres);
        reader.warnings.push(Warning::Top { field, value, depth });
    }
    let top = match depth {
        Some((_, first)) => first * metres,
        None => delay.map_or(0.0, |delay| delay * metres) - datum,
    };
    let at_depth = |of: Placement| Placement { origin: Position { z: top, ..of.origin }, ..of };
    let placement = placement.map(at_depth);
    // For a plane whose receivers have no positions.
    let d2 = d2.filter(|_| ny == 1).map(|h: f64| h * metres);
    let spacing = spacing.or(d2.map(|h| (h, h)));
    let (values, interval) = ((ny, nx, layout.samples), layout.interval);
    Ok((Model { values, spacing, interval, depth, by, placement, top }, columns))
}

/// True if each trace is the column of its own number.
fn in_order(columns: &[usize]) -> bool {
    columns.iter().enumerate().all(|(trace, column)| trace == *column)
}

/// d1 with f1 of depth traces, or of traces without an interval of time, and d2, if present.
fn su_axes(header: &TraceHeader) -> (Option<(f64, f64)>, Option<f64>) {
    let length = |field| Some(header.float(field)).filter(|h: &f64| h.is_finite() && *h > 0.0);
    let of_depth = su::DEPTH.contains(&header.get(trace::IDENTIFICATION));
    let no_time = header.get(trace::INTERVAL) == 0;
    let d1 = length(su_trace::D1).filter(|_| of_depth || no_time);
    (d1.map(|d1| (d1, header.float(su_trace::F1))), length(su_trace::D2))
}

/// The error for positions without a unit.
pub(super) fn no_unit<R: Read + Seek>(reader: &Reader<R>) -> SegyError {
    let field = binary::MEASUREMENT;
    reader.binary().map_or(SegyError::SuUnit, |header| SegyError::Unit {
        field: field.place(),
        value: header.get(field),
    })
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

/// The settings of a model's file.
#[derive(Clone, Debug)]
pub struct ModelSpec {
    /// Lines of the textual header.
    pub text: Vec<String>,
    /// Metres between traces along x and y.
    pub spacing: (f64, f64),
    /// The number for the sample-interval field; give its unit in the text
    /// ([`super::IntervalUnit`]). Metres for Seismic Unix.
    pub interval: f64,
    /// The revision, or the earliest later one that can store the model.
    pub revision: Revision,
    /// The sample format.
    pub format: Format,
    /// The byte order.
    pub order: ByteOrder,
    /// The unit of positions.
    pub unit: LengthUnit,
    /// Where the first node lies on the map.
    pub placement: Placement,
}

impl ModelSpec {
    /// The file for a model of shape `[y][x][z]`.
    fn file(&self, (ny, nx, nz): Shape) -> Spec {
        Spec {
            text: self.text.clone(),
            samples: nz,
            interval: self.interval,
            format: self.format,
            order: self.order,
            unit: self.unit,
            traces: Some((ny * nx) as u64),
            ..Spec::default()
        }
    }

    /// The largest error of the columns' positions in a file, metres; the spacing of a model is read
    /// back if it is below 0.005 of it.
    /// Fails if a position does not fit 32 bits.
    pub(crate) fn rounding(&self, shape: Shape) -> Result<f64, SegyError> {
        let points = self.points(shape);
        Ok(Placing::new(self.unit, points.clone())?.rounding(points))
    }

    fn points(&self, (ny, nx, _): Shape) -> impl Iterator<Item = Position> + Clone {
        let places = (0..ny).flat_map(move |y| (0..nx).map(move |x| (y, x)));
        places.map(|(y, x)| {
            let (x, y) = (x as f64 * self.spacing.0, y as f64 * self.spacing.1);
            self.placement.on_map(Position { x, y, z: 0.0 })
        })
    }

    /// Writes the columns; `put` fills a header, which has the number of its trace, by y and x.
    fn write<W: Write>(
        &self,
        mut writer: Writer<W>,
        columns: Columns<'_>,
        put: impl Fn(&Placing, &mut TraceHeader, (usize, usize), Position) -> Result<(), SegyError>,
    ) -> Result<W, SegyError> {
        let Columns { shape: (ny, nx, nz), stream } = columns;
        let mut points = self.points((ny, nx, nz));
        let placing = Placing::new(self.unit, points.clone())?;
        let mut places = (0..ny).flat_map(|y| (0..nx).map(move |x| (y, x)));
        while let Some(values) = stream.next_columns().map_err(SegyError::Read)? {
            let columns = values.chunks_exact(nz).zip((&mut places).zip(&mut points));
            for (column, ((y, x), at)) in columns {
                let mut header = writer.header();
                header.set(trace::ENSEMBLE, (y * nx + x + 1) as i64)?;
                header.set(trace::IN_ENSEMBLE, 1)?;
                put(&placing, &mut header, (y, x), at)?;
                writer.trace_of_singles(header, column)?;
            }
        }
        writer.finish()
    }

    /// Writes SEG-Y: inlines along y and crosslines along x, both from 1, and the ensembles'
    /// coordinates, in this revision, or in the earliest later one that can store it.
    pub(crate) fn segy<W: Write>(&self, sink: W, columns: Columns<'_>) -> Result<W, SegyError> {
        let file = self.file(columns.shape).in_earliest_revision();
        let writer =
            Writer::new(sink, Spec { revision: self.revision.max(file.revision), ..file })?;
        self.write(writer, columns, |placing, header, (y, x), at| {
            header.set(trace::INLINE, y as i64 + 1)?;
            header.set(trace::CROSSLINE, x as i64 + 1)?;
            placing.put_ensemble(header, at.x, at.y)?;
            placing.put_datum(header, 0.0 - at.z)
        })
    }

    /// Writes traces for Seismic Unix: depth traces, `interval` apart in d1 and placed by their
    /// receivers, with d2 between those along x.
    pub(crate) fn su<W: Write>(&self, sink: W, columns: Columns<'_>) -> Result<W, SegyError> {
        // A depth has no interval of time, but some programs reject a 0, so millimetres are written
        // there if they fit.
        let millimetres = (1e3 * self.interval).round();
        let interval = if millimetres <= f64::from(u16::MAX) { millimetres } else { 0.0 };
        let file = Spec { interval, ..self.file(columns.shape) };
        self.write(Writer::su(sink, file)?, columns, |placing, header, _, at| {
            let surface = Position { z: 0.0, ..at };
            header.set(trace::IDENTIFICATION, su::DEPTH[0])?;
            header.set_float(su_trace::D1, self.interval / self.unit.metres());
            header.set_float(su_trace::F1, at.z / self.unit.metres());
            header.set_float(su_trace::D2, self.spacing.0 / self.unit.metres());
            placing.put(header, surface, surface)
        })
    }
}

/// The columns of a model of a shape, one after the other.
pub struct Columns<'a> {
    /// Values along y, x and z.
    pub(crate) shape: Shape,
    /// The values.
    pub(crate) stream: &'a mut dyn ColumnStream,
}

/// Writes a model of shape `[y][x][z]` as [`ModelSpec::segy`] does.
pub fn write_model<W: Write>(
    sink: W,
    values: ArrayView3<'_, f32>,
    spec: ModelSpec,
) -> Result<W, SegyError> {
    let whole = values.as_standard_layout();
    let stream = &mut Held::new(whole.as_slice().expect("it is in standard layout"));
    spec.segy(sink, Columns { shape: values.dim(), stream })
}

/// Writes a model of shape `[y][x][z]` as [`ModelSpec::su`] does.
pub fn write_su_model<W: Write>(
    sink: W,
    values: ArrayView3<'_, f32>,
    spec: ModelSpec,
) -> Result<W, SegyError> {
    let whole = values.as_standard_layout();
    let stream = &mut Held::new(whole.as_slice().expect("it is in standard layout"));
    spec.su(sink, Columns { shape: values.dim(), stream })
}
