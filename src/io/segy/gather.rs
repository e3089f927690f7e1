//! Gathers: the traces of a shot, with the positions of its source and its receivers.

use super::{
    ByteOrder, Format, LengthUnit, Mark, Reader, SegyError, ShotSpec, SurveyFile, SurveySpec,
    TraceHeader, ValueUnit, binary,
    geometry::{self, scaled},
    model::no_unit,
    numbered::{Numbered, Shot},
    trace,
};
use crate::{grid::Position, room::make_room};
use ndarray::{Array2, ArrayView2, Axis};
use std::io::{Read, Seek, Write};

/// The traces of a shot.
#[derive(Clone, Debug, PartialEq)]
pub struct Gather {
    /// Number of the shot.
    pub record: i64,
    /// Position of the source, metres.
    pub source: Position,
    /// Positions of the receivers, metres.
    pub receivers: Vec<Position>,
    /// Samples of shape `[receiver][time]`.
    pub traces: Array2<f32>,
    /// Seconds between samples.
    pub interval: f64,
    /// Time of the first sample, seconds after the shot.
    pub start: f64,
}

/// A gather whose traces may start at different times.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// It starts with its first trace.
    pub gather: Gather,
    /// Time of the first sample of each trace, seconds after the shot.
    pub starts: Vec<f64>,
    /// Which traces of the file they are.
    pub marks: Vec<Mark>,
    /// x and y of the ensemble of each trace, metres.
    pub ensembles: Vec<(f64, f64)>,
}

/// A shot while it is read.
struct Open {
    shot: Shot,
    receivers: Vec<Position>,
    starts: Vec<f64>,
    marks: Vec<Mark>,
    ensembles: Vec<(f64, f64)>,
    samples: Vec<f32>,
}

/// Time of the first sample, s: the delay in milliseconds.
pub(super) fn start(header: &TraceHeader, revision: u8) -> f64 {
    delay(header, revision) / 1e3
}

/// The delay with the scalar of times.
pub(super) fn delay(header: &TraceHeader, revision: u8) -> f64 {
    let scalar = if revision == 0 { 0 } else { header.get(trace::TIME_SCALAR) };
    scaled(header.get(trace::DELAY), scalar)
}

/// The unit of a file, or `unit`. Metres are taken, with the reader's warning, for a code that is no
/// unit.
fn unit_of<R: Read + Seek>(
    reader: &Reader<R>,
    unit: Option<LengthUnit>,
) -> Result<LengthUnit, SegyError> {
    let code = reader.binary().map_or(0, |header| header.get(binary::MEASUREMENT));
    let nonsense = (code != 0).then_some(LengthUnit::Metre);
    reader.layout().unit.or(unit).or(nonsense).ok_or_else(|| no_unit(reader))
}

/// Reads all gathers of a file as [`read_records`] does; those of a record whose traces start at
/// different times are several, in the order of their first traces.
pub fn read_gathers<R: Read + Seek>(
    reader: &mut Reader<R>,
    unit: Option<LengthUnit>,
) -> Result<Vec<Gather>, SegyError> {
    Ok(read_records(reader, unit)?.into_iter().flat_map(Record::by_start).collect())
}

impl Record {
    /// Keeps these traces, by their indices in it.
    pub fn select(&mut self, kept: &[usize]) {
        let Record { gather, starts, marks, ensembles } = self;
        *starts = kept.iter().map(|trace| starts[*trace]).collect();
        *marks = kept.iter().map(|trace| marks[*trace]).collect();
        *ensembles = kept.iter().map(|trace| ensembles[*trace]).collect();
        gather.start = starts.first().copied().unwrap_or(gather.start);
        gather.receivers = kept.iter().map(|trace| gather.receivers[*trace]).collect();
        gather.traces = gather.traces.select(Axis(0), kept);
    }

    fn by_start(self) -> Vec<Gather> {
        let Record { gather, starts, .. } = self;
        if starts.iter().all(|start| *start == gather.start) {
            return vec![gather];
        }
        let mut found: Vec<(f64, Vec<usize>)> = Vec::new();
        for (trace, start) in starts.into_iter().enumerate() {
            match found.iter_mut().find(|(known, _)| *known == start) {
                Some((_, traces)) => traces.push(trace),
                None => found.push((start, vec![trace])),
            }
        }
        let part = |(start, traces): (f64, Vec<usize>)| Gather {
            start,
            receivers: traces.iter().map(|trace| gather.receivers[*trace]).collect(),
            traces: gather.traces.select(Axis(0), &traces),
            record: gather.record,
            source: gather.source,
            interval: gather.interval,
        };
        found.into_iter().map(part).collect()
    }
}

/// Reads all gathers of a file, in the order of their first traces: those with the same field record
/// and source are one, wherever they stand. `unit` is used if the file has none.
pub fn read_records<R: Read + Seek>(
    reader: &mut Reader<R>,
    unit: Option<LengthUnit>,
) -> Result<Vec<Record>, SegyError> {
    records(reader, unit, true)
}

/// [`read_records`] without samples.
pub fn read_headers<R: Read + Seek>(
    reader: &mut Reader<R>,
    unit: Option<LengthUnit>,
) -> Result<Vec<Record>, SegyError> {
    records(reader, unit, false)
}

fn records<R: Read + Seek>(
    reader: &mut Reader<R>,
    unit: Option<LengthUnit>,
    with_samples: bool,
) -> Result<Vec<Record>, SegyError> {
    let layout = *reader.layout();
    let (unit, is_su) = (unit_of(reader, unit)?, reader.is_su());
    let count = if with_samples { layout.samples } else { 0 };
    let interval = match layout.interval {
        Some(interval) => interval / 1e6,
        // Positions alone need none.
        None if !with_samples => 0.0,
        None => return Err(SegyError::NoInterval { field: binary::INTERVAL.place() }),
    };
    let close = |open: Open| {
        let Open { shot: Shot { record, source }, receivers, starts, marks, ensembles, samples } =
            open;
        let shape = (receivers.len(), count);
        let traces = Array2::from_shape_vec(shape, samples).expect("a row a receiver");
        let gather = Gather { record, source, receivers, traces, interval, start: starts[0] };
        Record { gather, starts, marks, ensembles }
    };
    let mut open: Vec<Open> = Vec::new();
    let mut shots = Numbered::default();
    let mut decoded = Vec::new();
    while let Some(block) = reader.next_block()? {
        decoded.clear();
        if with_samples {
            block.decode(&mut decoded);
        }
        for (trace, (index, header)) in block.headers().enumerate() {
            let mark = Mark::of(index, &header);
            let (source, receiver) = shots
                .positions(&header, unit, block.kill.keeps(&mark))
                .map_err(|error| error.of_trace(index))?;
            let shot = Shot { record: header.get(trace::RECORD), source };
            let number = shots.of(shot, receiver, &header, unit);
            if number == open.len() {
                let (receivers, starts, marks, ensembles, samples) = Default::default();
                open.push(Open { shot, receivers, starts, marks, ensembles, samples });
            }
            let open = &mut open[number];
            open.starts.push(start(&header, layout.revision));
            open.receivers.push(receiver);
            open.marks.push(mark);
            // Seismic Unix has other fields there.
            let ensemble = if is_su { Ok((0.0, 0.0)) } else { geometry::ensemble(&header, unit) };
            open.ensembles.push(ensemble.unwrap_or_default());
            make_room(&mut open.samples, count).map_err(SegyError::Read)?;
            open.samples.extend_from_slice(&decoded[trace * count..(trace + 1) * count]);
        }
    }
    reader.warnings.extend(shots.warning(Some(LengthUnit::Metre)));
    Ok(open.into_iter().map(close).collect())
}

/// The settings of a file of one gather.
#[derive(Clone, Debug)]
pub struct GatherSpec {
    /// Lines of the textual header.
    pub text: Vec<String>,
    /// Number of the shot.
    pub record: i64,
    /// Position of the source, metres.
    pub source: Position,
    /// Positions of the receivers, metres.
    pub receivers: Vec<Position>,
    /// Seconds between samples; the first is at the shot.
    pub interval: f64,
    /// The sample format.
    pub format: Format,
    /// The byte order.
    pub order: ByteOrder,
    /// The unit of positions.
    pub unit: LengthUnit,
}

impl GatherSpec {
    /// The survey of this one shot, with `samples` samples per trace.
    fn survey(self, samples: usize) -> SurveySpec {
        let GatherSpec { text, record, source, receivers, interval, format, order, unit } = self;
        let shots = vec![ShotSpec { record, source, receivers: receivers.into() }];
        SurveySpec {
            text,
            shots,
            samples,
            interval,
            format,
            order,
            unit,
            bins: None,
            values: ValueUnit::Unknown,
        }
    }
}

/// Writes a gather of shape `[receiver][time]` as SEG-Y.
pub fn write_gather<W: Write>(
    sink: W,
    traces: ArrayView2<'_, f32>,
    spec: GatherSpec,
) -> Result<W, SegyError> {
    SurveyFile::segy(spec.survey(traces.ncols()))?.only(sink, traces)
}

/// Writes a zero-offset section of shape `[receiver][time]` as [`write_gather`] does: each trace
/// has its source at its receiver, whatever the source of the spec.
pub fn write_section<W: Write>(
    sink: W,
    traces: ArrayView2<'_, f32>,
    spec: GatherSpec,
) -> Result<W, SegyError> {
    SurveyFile::segy(spec.survey(traces.ncols()))?.section(sink, traces)
}

/// Writes a gather of shape `[receiver][time]` for Seismic Unix, which has no text.
pub fn write_su_gather<W: Write>(
    sink: W,
    traces: ArrayView2<'_, f32>,
    spec: GatherSpec,
) -> Result<W, SegyError> {
    SurveyFile::su(spec.survey(traces.ncols()))?.only(sink, traces)
}
