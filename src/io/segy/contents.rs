//! Summary of a file of traces without assumptions about its purpose: extents, counts and
//! positions, as the headers have them.

use super::{
    Field, Irregular, LengthUnit, Mark, Reader, SegyError, Stations, SurveyGrid, TRACE,
    TraceHeader, Warning,
    copies::Copies,
    gather,
    geometry::scaled,
    numbered::{Numbered, Shot},
    places::Places,
    range::Range,
    su, su_trace, trace,
};
use crate::grid::Position;
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{Read, Seek},
};

/// The range of some numbers; `None` before the first.
pub type Extent = Option<(f64, f64)>;

/// The contents of a file's traces, in the file's own units.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// Number of gathers: traces with the same field record and source, wherever they stand.
    pub gathers: u64,
    /// Traces of the smallest gather and of the largest.
    pub gather_traces: (u64, u64),
    /// Field record numbers.
    pub records: Extent,
    /// What disagrees in the places of all traces.
    pub of_places: Vec<Warning>,
    /// True if each trace lies at its source, as in a section.
    pub at_sources: bool,
    /// Offsets, as headers say them.
    pub offsets: Extent,
    /// Inline numbers, and how many distinct ones; none in files of Seismic Unix.
    pub inlines: (Extent, usize),
    /// Crossline numbers, likewise.
    pub crosslines: (Extent, usize),
    /// x and y of ensembles; none in files of Seismic Unix.
    pub ensembles: (Extent, Extent),
    /// x, y and depth of sources.
    pub sources: [Extent; 3],
    /// x, y and depth of receivers.
    pub receivers: [Extent; 3],
    /// Scalars of coordinates.
    pub coordinate_scalars: BTreeSet<i64>,
    /// Scalars of elevations and depths.
    pub elevation_scalars: BTreeSet<i64>,
    /// Codes of the coordinates' unit: 0 and 1 are lengths.
    pub coordinate_units: BTreeSet<i64>,
    /// Trace identification codes, each with the number of its traces.
    pub identifications: BTreeMap<i64, u64>,
    /// Delay recording times with their scalar, seconds.
    pub delays: Extent,
    /// d1 and d2 of Seismic Unix, if the first trace has them.
    pub d1: Option<f64>,
    /// See `d1`.
    pub d2: Option<f64>,
    /// The finite samples.
    pub values: Extent,
    /// Number of samples that are not finite.
    pub not_finite: u64,
    /// Numbers of the traces that have one, from 1.
    pub bad: Vec<u64>,
    /// What is taken for granted to read them as a model.
    pub of_model: Option<Warning>,
    /// The traces as a model, or why they are not one; `None` if positions are angles.
    pub grid: Option<Result<SurveyGrid, Irregular>>,
}

/// d1 and d2 that are none are bytes of other fields, whose floats are tiny, huge or no numbers.
const LENGTHS: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

fn extend(extent: &mut Extent, value: f64) {
    let (least, most) = extent.get_or_insert((value, value));
    *least = least.min(value);
    *most = most.max(value);
}

/// Reads all traces, a block in memory at a time; each takes up to 100 bytes for its places.
pub fn contents<R: Read + Seek>(reader: &mut Reader<R>) -> Result<Contents, SegyError> {
    let mut contents = Contents::default();
    let (is_su, revision) = (reader.is_su(), reader.layout().revision);
    let (mut inlines, mut crosslines) = (BTreeSet::new(), BTreeSet::new());
    let mut places = Places::new(is_su, reader.overrides, 0);
    let mut shots = Vec::<u64>::new();
    let (mut numbered, mut stations) = (Numbered::default(), Stations::default());
    let mut copies = Copies::default();
    let (mut at_sources, mut somewhere) = (0, false);
    let mut angles = false;
    let (format, order) = (reader.layout().format, reader.order());
    while let Some(block) = reader.next_block()? {
        let ranges = block.map(|samples| Range::of(format, order, samples));
        for ((index, header), range) in block.headers().zip(ranges) {
            contents.place(&header, is_su);
            extend(&mut contents.delays, gather::start(&header, revision));
            if !is_su {
                inlines.insert(header.get(trace::INLINE));
                crosslines.insert(header.get(trace::CROSSLINE));
            } else if index == 0 {
                let there = |field| Some(header.float(field)).filter(|h| LENGTHS.contains(h));
                (contents.d1, contents.d2) = (there(su_trace::D1), there(su_trace::D2));
            }
            angles |= places.see(&header, LengthUnit::Metre).is_err();
            let [x, y, z] = source_of(&header);
            let (record, source) = (header.get(trace::RECORD), Position { x, y, z });
            let [x, y, z] = receiver_of(&header);
            let receiver = Position { x, y, z };
            let shot = Shot { record, source };
            let number = numbered.of(shot, receiver, &header, LengthUnit::Metre);
            if number == shots.len() {
                shots.push(0);
            }
            shots[number] += 1;
            copies.see(number, (record, source), receiver, index);
            at_sources += u64::from(receiver == source);
            somewhere |= receiver != Position::default();
            stations.see(number, (record, source), receiver, &Mark::of(index, &header));
            if range.least <= range.most {
                extend(&mut contents.values, range.least);
                extend(&mut contents.values, range.most);
            }
            contents.not_finite += range.not_finite;
            if range.not_finite > 0 {
                contents.bad.push(index + 1);
            }
        }
    }
    contents.gathers = shots.len() as u64;
    contents.at_sources = somewhere && at_sources == reader.layout().traces;
    let is_section = contents.at_sources && shots.iter().all(|traces| *traces == 1);
    let alone = (stations.are_alone() && !is_section).then_some(Warning::EachAlone);
    let all_zero = |all: &[Extent]| all.iter().all(|extent| *extent == Some((0.0, 0.0)));
    let nowhere = [&contents.sources[..2], &contents.receivers[..2]].into_iter().all(all_zero);
    let at_ensembles =
        nowhere && !all_zero(&[contents.ensembles.0, contents.ensembles.1]) && !is_su;
    let of_all = stations.warnings(true).into_iter().chain(alone);
    let of_all = of_all.chain(at_ensembles.then_some(Warning::AtEnsembles));
    let of_all = of_all.chain(numbered.warning(reader.layout().unit));
    contents.of_places = of_all.chain(copies.warning(reader)?).collect();
    let counts = || shots.iter().copied();
    contents.gather_traces = counts().min().zip(counts().max()).unwrap_or_default();
    let extent = |numbers: &BTreeSet<i64>| {
        let ends = numbers.first().zip(numbers.last());
        (ends.map(|(least, most)| (*least as f64, *most as f64)), numbers.len())
    };
    (contents.inlines, contents.crosslines) = (extent(&inlines), extent(&crosslines));
    contents.grid = (!angles).then(|| {
        let (grid, warning) = places.arranged()?;
        contents.of_model = warning;
        Ok(grid)
    });
    Ok(contents)
}

impl Contents {
    /// True if Seismic Unix marks the traces as depth.
    pub fn is_depth(&self) -> bool {
        self.identifications.keys().any(|code| su::DEPTH.contains(code))
    }

    /// Includes a header's positions.
    fn place(&mut self, header: &TraceHeader, is_su: bool) {
        let across = |field| across(header, field);
        let (source, receiver) = (source_of(header), receiver_of(header));
        for (extents, at) in [(&mut self.sources, source), (&mut self.receivers, receiver)] {
            for (extent, value) in extents.iter_mut().zip(at) {
                extend(extent, value);
            }
        }
        if !is_su {
            extend(&mut self.ensembles.0, across(trace::CDP_X));
            extend(&mut self.ensembles.1, across(trace::CDP_Y));
        }
        extend(&mut self.records, header.float(trace::RECORD));
        extend(&mut self.offsets, header.float(trace::OFFSET));
        self.coordinate_scalars.insert(header.get(trace::COORDINATE_SCALAR));
        self.elevation_scalars.insert(header.get(trace::ELEVATION_SCALAR));
        self.coordinate_units.insert(header.get(trace::COORDINATE_UNITS));
        *self.identifications.entry(header.get(trace::IDENTIFICATION)).or_default() += 1;
    }
}

/// A coordinate, in the file's own unit.
fn across(header: &TraceHeader, field: Field<TRACE>) -> f64 {
    scaled(header.get(field), header.get(trace::COORDINATE_SCALAR))
}

/// An elevation or a depth, likewise.
fn up(header: &TraceHeader, field: Field<TRACE>) -> f64 {
    scaled(header.get(field), header.get(trace::ELEVATION_SCALAR))
}

/// x, y and depth of the source.
fn source_of(header: &TraceHeader) -> [f64; 3] {
    [
        across(header, trace::SOURCE_X),
        across(header, trace::SOURCE_Y),
        up(header, trace::SOURCE_DEPTH) - up(header, trace::SURFACE_ELEVATION),
    ]
}

/// x, y and depth of the receiver.
fn receiver_of(header: &TraceHeader) -> [f64; 3] {
    [
        across(header, trace::RECEIVER_X),
        across(header, trace::RECEIVER_Y),
        // 0 - 0 is 0, where -0 would be -0.
        0.0 - up(header, trace::RECEIVER_ELEVATION),
    ]
}
