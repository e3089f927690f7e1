//! Gathers: the traces of a shot, with the positions of its source and its receivers.

use super::{
    ByteOrder, Format, LengthUnit, Reader, SegyError, ShotSpec, SurveyFile, SurveySpec,
    TraceHeader, ValueUnit, Warning, binary,
    geometry::{self, scaled},
    model::no_unit,
    trace,
};
use crate::grid::Position;
use ndarray::{Array2, ArrayView2, Axis};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    io::{Read, Seek, Write},
};

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

/// The values common to all traces of a shot.
#[derive(Clone, Copy, PartialEq)]
struct Shot {
    record: i64,
    source: Position,
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
}

/// A trace of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its index in the file, from 0.
    pub index: u64,
    /// False if its header says that it is dead, a dummy, or of no receiver.
    pub live: bool,
}

impl Mark {
    pub(super) fn of(index: u64, header: &TraceHeader) -> Self {
        Mark { index, live: !is_dead(header.get(trace::IDENTIFICATION)) }
    }
}

/// True of the identification codes of dead traces and dummies, and of time breaks, sweeps, vibrators
/// and the like beside the traces of receivers.
pub(super) fn is_dead(code: i64) -> bool {
    matches!(code, -1 | 2..=10 | 18..=22)
}

/// A shot while it is read.
struct Open {
    shot: Shot,
    receivers: Vec<Position>,
    starts: Vec<f64>,
    marks: Vec<Mark>,
    samples: Vec<f32>,
}

/// Time of the first sample, s: the delay in milliseconds with the scalar of times.
pub(super) fn start(header: &TraceHeader, revision: u8) -> f64 {
    let scalar = if revision == 0 { 0 } else { header.get(trace::TIME_SCALAR) };
    scaled(header.get(trace::DELAY), scalar) / 1e3
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
        let Record { gather, starts, marks } = self;
        *starts = kept.iter().map(|trace| starts[*trace]).collect();
        *marks = kept.iter().map(|trace| marks[*trace]).collect();
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
    let layout = *reader.layout();
    let unit = unit_of(reader, unit)?;
    let field = binary::INTERVAL.place();
    let interval = layout.interval.ok_or(SegyError::NoInterval { field })? / 1e6;
    let close = |open: Open| {
        let Open { shot: Shot { record, source }, receivers, starts, marks, samples } = open;
        let shape = (receivers.len(), layout.samples);
        let traces = Array2::from_shape_vec(shape, samples).expect("a row a receiver");
        let gather = Gather { record, source, receivers, traces, interval, start: starts[0] };
        Record { gather, starts, marks }
    };
    let mut open: Vec<Open> = Vec::new();
    let mut shots = Numbered::default();
    let mut decoded = Vec::new();
    while let Some(block) = reader.next_block()? {
        decoded.clear();
        block.decode(&mut decoded);
        for ((index, header), samples) in block.headers().zip(decoded.chunks(layout.samples)) {
            let mark = Mark::of(index, &header);
            let (source, receiver) = shots
                .positions(&header, unit, block.kill.keeps(&mark))
                .map_err(|error| error.of_trace(index))?;
            let shot = Shot { record: header.get(trace::RECORD), source };
            let number = shots.of(shot);
            if number == open.len() {
                let (receivers, starts, marks, samples) = Default::default();
                open.push(Open { shot, receivers, starts, marks, samples });
            }
            let open = &mut open[number];
            open.starts.push(start(&header, layout.revision));
            open.receivers.push(receiver);
            open.marks.push(mark);
            let room = open.samples.try_reserve(layout.samples);
            room.map_err(|error| SegyError::Read(error.into()))?;
            open.samples.extend_from_slice(samples);
        }
    }
    Ok(open.into_iter().map(close).collect())
}

/// Numbers shots in the order of their first traces.
#[derive(Default)]
pub(super) struct Numbered {
    last: Option<(Shot, usize)>,
    known: HashMap<(i64, [u64; 3]), usize>,
}

/// Sources of consecutive traces this near, metres, are one: scalars may differ in rounding.
const ONE_PLACE: f64 = 0.1;

impl Numbered {
    /// The positions of the source and the receiver of a trace. One that is left out is of the shot
    /// of the trace before it, and its receiver means nothing.
    fn positions(
        &self,
        header: &TraceHeader,
        unit: LengthUnit,
        kept: bool,
    ) -> Result<(Position, Position), SegyError> {
        if kept {
            return Ok((geometry::source(header, unit)?, geometry::receiver(header, unit)?));
        }
        let own = || geometry::source(header, unit).unwrap_or_default();
        Ok((self.last.map_or_else(own, |(shot, _)| shot.source), Position::default()))
    }

    /// The number of a record and source.
    pub(super) fn number(&mut self, record: i64, source: Position) -> usize {
        self.of(Shot { record, source })
    }

    fn of(&mut self, shot: Shot) -> usize {
        if let Some((last, number)) = self.last.filter(|(last, _)| last.is_one_with(&shot)) {
            self.last = Some((last, number));
            return number;
        }
        let Position { x, y, z } = shot.source;
        // 0.0 and -0.0 are one place.
        let bits = [x, y, z].map(|v| (v + 0.0).to_bits());
        let next = self.known.len();
        let number = *self.known.entry((shot.record, bits)).or_insert(next);
        self.last = Some((shot, number));
        number
    }
}

impl Shot {
    fn is_one_with(&self, other: &Shot) -> bool {
        let [a, b] = [self.source, other.source];
        let near = (a.x - b.x).hypot(a.y - b.y).hypot(a.z - b.z) <= ONE_PLACE;
        near && self.record == other.record
    }
}

/// Reads the positions of the sources and receivers of a file, shot by shot in the order of their
/// first traces: those with the same field record and source are one. With each come the traces that
/// they are. `unit` is used if the file has none.
pub fn read_shots<R: Read + Seek>(
    reader: &mut Reader<R>,
    unit: Option<LengthUnit>,
) -> Result<Vec<(ShotSpec, Vec<Mark>)>, SegyError> {
    let unit = unit_of(reader, unit)?;
    let mut shots: Vec<(i64, Position, Vec<Position>, Vec<Mark>)> = Vec::new();
    let mut numbered = Numbered::default();
    while let Some(block) = reader.next_block()? {
        for (index, header) in block.headers() {
            let mark = Mark::of(index, &header);
            let record = header.get(trace::RECORD);
            let (source, receiver) = numbered
                .positions(&header, unit, block.kill.keeps(&mark))
                .map_err(|error| error.of_trace(index))?;
            let number = numbered.number(record, source);
            if number == shots.len() {
                shots.push((record, source, Vec::new(), Vec::new()));
            }
            shots[number].2.push(receiver);
            shots[number].3.push(mark);
        }
    }
    let shot = |(record, source, receivers, marks): (_, _, Vec<Position>, _)| {
        (ShotSpec { record, source, receivers: receivers.into() }, marks)
    };
    Ok(shots.into_iter().map(shot).collect())
}

/// Warns of field records that have several sources, of the record, source and number of traces of
/// each gather. In a section every trace has its source, and may have the same record.
pub fn several_sources<S: Ord>(gathers: impl Iterator<Item = (i64, S, u64)>) -> Option<Warning> {
    let (mut records, mut most) = (BTreeMap::<i64, BTreeSet<S>>::new(), 0);
    for (record, source, traces) in gathers {
        // Those of one source stand for traces that start at different times.
        records.entry(record).or_default().insert(source);
        most = most.max(traces);
    }
    let mut several = records.iter().filter(|(_, sources)| sources.len() > 1);
    let (record, sources) = several.next().filter(|_| most > 1)?;
    let (record, sources, others) = (*record, sources.len(), several.count());
    Some(Warning::Sources { field: trace::RECORD.place(), record, sources, others })
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
