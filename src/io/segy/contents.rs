//! Summary of a file of traces without assumptions about its purpose: extents, counts and
//! positions, as the headers have them.

use super::{
    Irregular, LengthUnit, Mark, Reader, SegyError, Stations, SurveyGrid, TraceHeader, Warning,
    copies::Copies,
    gather, geometry,
    numbered::{Numbered, Shot},
    places::Places,
    range::Range,
    su, su_trace, trace,
};
use crate::grid::Position;
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{Read, Seek},
};

/// The range of some numbers; `None` before the first.
pub type Extent = Option<(f64, f64)>;

/// The contents of a file's traces, in the file's own units; positions are x, y and depth, with
/// their scalars applied.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Contents {
    /// d1 and d2 of Seismic Unix, if the first trace has them.
    #[serde(skip)]
    pub d1: Option<f64>,
    /// See `d1`.
    #[serde(skip)]
    pub d2: Option<f64>,
    /// The least finite sample.
    pub least: Option<f64>,
    /// The greatest.
    pub most: Option<f64>,
    /// Number of samples that are not finite.
    pub not_finite: u64,
    /// Number of gathers: traces with the same field record and source, wherever they stand.
    pub gathers: u64,
    /// Traces of the smallest gather and of the largest.
    pub traces_of_a_gather: (u64, u64),
    /// Field record numbers.
    pub records: Extent,
    /// Inline numbers; none in files of Seismic Unix, as crosslines and ensembles.
    pub inlines: Extent,
    /// Crossline numbers.
    pub crosslines: Extent,
    /// x and y.
    pub ensembles: [Extent; 2],
    /// Of all traces.
    pub sources: [Extent; 3],
    /// Likewise.
    pub receivers: [Extent; 3],
    /// Scalars of coordinates.
    pub coordinate_scalars: BTreeSet<i64>,
    /// Scalars of elevations and depths.
    pub elevation_scalars: BTreeSet<i64>,
    /// Trace identification codes, each with the number of its traces.
    pub identifications: BTreeMap<i64, u64>,
    /// True if each trace lies at its source, as in a section.
    pub at_sources: bool,
    /// Offsets, as headers say them.
    pub offsets: Extent,
    /// Delay recording times with their scalar, seconds.
    pub delays: Extent,
    /// Numbers of the traces that have a sample that is not finite, from 1.
    #[serde(skip)]
    pub bad: Vec<u64>,
    /// What disagrees in the places of all traces.
    #[serde(skip)]
    pub of_places: Vec<Warning>,
    /// What is taken for granted to read them as a model.
    #[serde(skip)]
    pub of_model: Option<Warning>,
    /// The traces as a model, or why they are not one; `None` if positions are angles.
    #[serde(skip)]
    pub grid: Option<Result<SurveyGrid, Irregular>>,
}

/// d1 and d2 that are none are bytes of other fields, whose floats are tiny, huge or no numbers.
const LENGTHS: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

fn extend(extent: &mut Extent, value: f64) {
    let (least, most) = extent.get_or_insert((value, value));
    *least = least.min(value);
    *most = most.max(value);
}

/// True if there is no number but 0.
pub fn all_zero(extents: &[Extent]) -> bool {
    extents.iter().all(|extent| matches!(extent, None | Some((0.0, 0.0))))
}

/// The traces of a file while they are read; each takes up to 100 bytes for its places.
struct Seen {
    contents: Contents,
    is_su: bool,
    revision: u8,
    places: Places,
    /// Traces of each gather.
    shots: Vec<u64>,
    numbered: Numbered,
    stations: Stations,
    copies: Copies,
    /// Traces at their source.
    at_sources: u64,
    /// True if a receiver has a position.
    somewhere: bool,
    /// True if some coordinates are angles.
    angles: bool,
}

/// Reads all traces, a block in memory at a time.
pub fn contents<R: Read + Seek>(reader: &mut Reader<R>) -> Result<Contents, SegyError> {
    let (is_su, layout, order) = (reader.is_su(), *reader.layout(), reader.order());
    let mut seen = Seen {
        contents: Contents::default(),
        is_su,
        revision: layout.revision,
        places: Places::new(is_su, reader.overrides, 0),
        shots: Vec::new(),
        numbered: Numbered::default(),
        stations: Stations::default(),
        copies: Copies::default(),
        at_sources: 0,
        somewhere: false,
        angles: false,
    };
    while let Some(block) = reader.next_block()? {
        let ranges = block.map(|samples| Range::of(layout.format, order, samples));
        for ((index, header), range) in block.headers().zip(ranges) {
            seen.place(index, &header);
            seen.contents.include_samples(index, range);
        }
    }
    seen.contents(reader)
}

impl Seen {
    fn place(&mut self, index: u64, header: &TraceHeader) {
        extend(&mut self.contents.delays, gather::start(header, self.revision));
        if self.is_su && index == 0 {
            let there = |field| Some(header.float(field)).filter(|h| LENGTHS.contains(h));
            (self.contents.d1, self.contents.d2) = (there(su_trace::D1), there(su_trace::D2));
        }
        self.angles |= self.places.see(header, LengthUnit::Metre).is_err();
        let source = geometry::any_source(header, LengthUnit::Metre);
        let receiver = geometry::any_receiver(header, LengthUnit::Metre);
        self.contents.include(header, source, receiver);
        if !self.is_su {
            self.contents.include_lines(header);
        }
        let shot = Shot { record: header.get(trace::RECORD), source };
        let number = self.numbered.of(shot, receiver, header, LengthUnit::Metre);
        if number == self.shots.len() {
            self.shots.push(0);
        }
        self.shots[number] += 1;
        self.copies.see(number, shot, receiver, index);
        self.stations.see(number, shot, receiver, &Mark::of(index, header));
        self.at_sources += u64::from(receiver == source);
        self.somewhere |= receiver != Position::default();
    }

    fn contents<R: Read + Seek>(self, reader: &mut Reader<R>) -> Result<Contents, SegyError> {
        let Seen { mut contents, is_su, places, shots, numbered, stations, copies, .. } = self;
        contents.gathers = shots.len() as u64;
        let least_and_most = shots.iter().copied().min().zip(shots.iter().copied().max());
        contents.traces_of_a_gather = least_and_most.unwrap_or_default();
        contents.at_sources = self.somewhere && self.at_sources == reader.layout().traces;
        let is_section = contents.at_sources && shots.iter().all(|traces| *traces == 1);
        let alone = (stations.are_alone() && !is_section).then_some(Warning::EachAlone);
        let nowhere = all_zero(&contents.sources[..2]) && all_zero(&contents.receivers[..2]);
        let at_ensembles = nowhere && !all_zero(&contents.ensembles) && !is_su;
        let of_places = stations.warnings(true).into_iter().chain(alone);
        let of_places = of_places.chain(at_ensembles.then_some(Warning::AtEnsembles));
        let of_places = of_places.chain(numbered.warning(reader.layout().unit));
        contents.of_places = of_places.chain(copies.warning(reader)?).collect();
        contents.grid = (!self.angles).then(|| {
            let (grid, warning) = places.arranged()?;
            contents.of_model = warning;
            Ok(grid)
        });
        Ok(contents)
    }
}

impl Contents {
    /// True if Seismic Unix marks the traces as depth.
    pub fn is_depth(&self) -> bool {
        self.identifications.keys().any(|code| su::DEPTH.contains(code))
    }

    fn include_samples(&mut self, index: u64, Range { least, most, not_finite }: Range) {
        if least <= most {
            self.least = Some(self.least.map_or(least, |of| of.min(least)));
            self.most = Some(self.most.map_or(most, |of| of.max(most)));
        }
        self.not_finite += not_finite;
        if not_finite > 0 {
            self.bad.push(index + 1);
        }
    }

    /// Includes a header's numbers.
    fn include(&mut self, header: &TraceHeader, source: Position, receiver: Position) {
        for (extents, at) in [(&mut self.sources, source), (&mut self.receivers, receiver)] {
            extents.iter_mut().zip([at.x, at.y, at.z]).for_each(|(of, value)| extend(of, value));
        }
        extend(&mut self.records, header.float(trace::RECORD));
        extend(&mut self.offsets, header.float(trace::OFFSET));
        self.coordinate_scalars.insert(header.get(trace::COORDINATE_SCALAR));
        self.elevation_scalars.insert(header.get(trace::ELEVATION_SCALAR));
        *self.identifications.entry(header.get(trace::IDENTIFICATION)).or_default() += 1;
    }

    /// Includes what Seismic Unix has other fields for.
    fn include_lines(&mut self, header: &TraceHeader) {
        for (extent, field) in self.ensembles.iter_mut().zip([trace::CDP_X, trace::CDP_Y]) {
            extend(extent, geometry::across(header, field, LengthUnit::Metre));
        }
        extend(&mut self.inlines, header.float(trace::INLINE));
        extend(&mut self.crosslines, header.float(trace::CROSSLINE));
    }
}
