//! Gathers: the traces of a shot, with the positions of its source and its receivers.

use super::{
    Clock, LengthUnit, Mark, Reader, SegyError, SurveyFile, SurveySpec, TraceHeader, binary,
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
pub(crate) struct Record {
    /// It starts with its first trace.
    pub(crate) gather: Gather,
    /// What the file says of each trace beside its place and its samples.
    pub(crate) tags: Vec<TraceTag>,
    /// The date of its traces.
    pub(crate) clock: Clock,
}

/// What a file says of a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TraceTag {
    /// Which trace of the file it is.
    pub(crate) mark: Mark,
    /// Time of the first sample, seconds after the shot.
    pub(crate) start: f64,
    /// x and y of the ensemble, metres.
    pub(crate) ensemble: (f64, f64),
}

/// A shot while it is read.
struct Open {
    shot: Shot,
    receivers: Vec<Position>,
    tags: Vec<TraceTag>,
    clock: Clock,
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
    /// These traces, by their indices in it.
    #[must_use]
    pub(crate) fn part(&self, traces: &[usize]) -> Record {
        let Record { gather, tags, clock } = self;
        let tags: Vec<_> = traces.iter().map(|trace| tags[*trace]).collect();
        let gather = Gather {
            receivers: traces.iter().map(|trace| gather.receivers[*trace]).collect(),
            traces: gather.traces.select(Axis(0), traces),
            start: tags.first().map_or(gather.start, |tag| tag.start),
            ..*gather
        };
        Record { gather, tags, clock: *clock }
    }

    /// Its traces with their tags.
    pub(crate) fn receivers(&self) -> impl Iterator<Item = (&Position, &TraceTag)> {
        self.gather.receivers.iter().zip(&self.tags)
    }

    fn by_start(self) -> Vec<Gather> {
        if self.tags.iter().all(|tag| tag.start == self.gather.start) {
            return vec![self.gather];
        }
        let mut found: Vec<(f64, Vec<usize>)> = Vec::new();
        for (trace, TraceTag { start, .. }) in self.tags.iter().enumerate() {
            match found.iter_mut().find(|(known, _)| known == start) {
                Some((_, traces)) => traces.push(trace),
                None => found.push((*start, vec![trace])),
            }
        }
        found.into_iter().map(|(_, traces)| self.part(&traces).gather).collect()
    }
}

/// Reads all gathers of a file, in the order of their first traces: those with the same field record
/// and source are one, wherever they stand. `unit` is used if the file has none.
pub(crate) fn read_records<R: Read + Seek>(
    reader: &mut Reader<R>,
    unit: Option<LengthUnit>,
) -> Result<Vec<Record>, SegyError> {
    records(reader, unit, true)
}

/// [`read_records`] without samples.
pub(crate) fn read_headers<R: Read + Seek>(
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
        let Open { shot: Shot { record, source }, receivers, tags, clock, samples } = open;
        let shape = (receivers.len(), count);
        let traces = Array2::from_shape_vec(shape, samples).expect("a row a receiver");
        let gather = Gather { record, source, receivers, traces, interval, start: tags[0].start };
        Record { gather, tags, clock }
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
                let (receivers, tags, mut samples): (_, _, Vec<f32>) = Default::default();
                // Saves copies as it grows, and takes no memory before it is filled.
                let _ = samples.try_reserve_exact(likely(&open));
                let clock = Clock::of(&header);
                open.push(Open { shot, receivers, tags, clock, samples });
            }
            let open = &mut open[number];
            open.clock.include(Clock::of(&header));
            open.receivers.push(receiver);
            // Seismic Unix has other fields there.
            let ensemble = if is_su { Ok((0.0, 0.0)) } else { geometry::ensemble(&header, unit) };
            let ensemble = ensemble.unwrap_or_default();
            let start = start(&header, layout.revision);
            open.tags.push(TraceTag { mark, start, ensemble });
            make_room(&mut open.samples, count).map_err(SegyError::Read)?;
            open.samples.extend_from_slice(&decoded[trace * count..(trace + 1) * count]);
        }
    }
    reader.warnings.extend(shots.warning(Some(LengthUnit::Metre)));
    Ok(open.into_iter().map(close).collect())
}

/// Samples that the next shot probably has: as many as each of the last two, if these are alike.
fn likely(open: &[Open]) -> usize {
    match open {
        [.., one, other] if one.samples.len() == other.samples.len() => other.samples.len(),
        _ => 0,
    }
}

/// Writes a gather of shape `[receiver][time]`, the only one of a survey, as SEG-Y.
pub fn write_gather<W: Write>(
    sink: W,
    traces: ArrayView2<'_, f32>,
    spec: SurveySpec,
) -> Result<W, SegyError> {
    SurveyFile::segy(spec)?.only(sink, traces)
}

/// Writes a zero-offset section of shape `[receiver][time]` as [`write_gather`] does: each trace
/// has its source at its receiver, whatever the source of the spec.
pub fn write_section<W: Write>(
    sink: W,
    traces: ArrayView2<'_, f32>,
    spec: SurveySpec,
) -> Result<W, SegyError> {
    SurveyFile::segy(spec)?.section(sink, traces)
}

/// Writes a gather of shape `[receiver][time]` for Seismic Unix, which has no text.
pub fn write_su_gather<W: Write>(
    sink: W,
    traces: ArrayView2<'_, f32>,
    spec: SurveySpec,
) -> Result<W, SegyError> {
    SurveyFile::su(spec)?.only(sink, traces)
}
