//! What the places of all traces of a file tell together: sources of one number, receivers at one
//! place, and places that are missing.

use super::{
    Field, Mark, Shot, TRACE, Warning,
    field::Place,
    geometry::{RECEIVER, SOURCE, place_key},
    trace,
};
use crate::grid::Position;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    hash::{DefaultHasher, Hash, Hasher},
};

/// Fewer receivers do not tell how far apart those of a gather are.
const FEWEST: usize = 3;

/// The gathers of a file, trace by trace, in any unit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stations {
    gathers: Vec<Spread>,
    /// How many traces lie at each place of a gather, by a hash of both.
    places: HashMap<u64, usize>,
    /// Traces at a place that is taken, and those at x = 0, y = 0, each with its gather.
    again: Vec<(usize, u64)>,
    at_zero: Vec<(usize, u64)>,
}

/// The receivers of a gather.
#[derive(Clone, Copy, Debug)]
struct Spread {
    record: i64,
    source: [u64; 3],
    /// True if the source has a depth, and x and y of 0.
    depth_alone: bool,
    traces: u64,
    live: usize,
    /// The most at one place.
    most: usize,
    /// The first place of a receiver, and whether all are there.
    first: Option<[u64; 3]>,
    together: bool,
    /// Those that do not lie at x = 0, y = 0: how many, and their least and greatest x and y.
    placed: usize,
    x: (f64, f64),
    y: (f64, f64),
    /// The least distance of one from x = 0, y = 0.
    nearest: f64,
}

impl Spread {
    fn new(Shot { record, source }: Shot) -> Self {
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        Spread {
            record,
            source: place_key(source),
            depth_alone: is_at_zero(source) && source.z != 0.0,
            traces: 0,
            live: 0,
            most: 0,
            first: None,
            together: true,
            placed: 0,
            x: none,
            y: none,
            nearest: f64::INFINITY,
        }
    }

    fn include(&mut self, Position { x, y, .. }: Position) {
        self.placed += 1;
        self.x = (self.x.0.min(x), self.x.1.max(x));
        self.y = (self.y.0.min(y), self.y.1.max(y));
        self.nearest = self.nearest.min(x.hypot(y));
    }

    fn width(&self) -> f64 {
        (self.x.1 - self.x.0).hypot(self.y.1 - self.y.0)
    }

    /// True if x = 0, y = 0 is no place among its receivers, which lie on a line or over an area.
    fn is_far_from_zero(&self) -> bool {
        let apart = self.width() / (self.placed as f64).sqrt();
        self.placed >= FEWEST && self.nearest > 2.0 * apart
    }
}

impl Stations {
    /// Sees a trace of a gather, which is at most the one after the last.
    pub(crate) fn see(&mut self, gather: usize, shot: Shot, receiver: Position, mark: &Mark) {
        if gather == self.gathers.len() {
            self.gathers.push(Spread::new(shot));
        }
        let spread = &mut self.gathers[gather];
        spread.traces += 1;
        if !mark.is_live() {
            return;
        }
        spread.live += 1;
        spread.together &= *spread.first.get_or_insert(place_key(receiver)) == place_key(receiver);
        match is_at_zero(receiver) {
            true => self.at_zero.push((gather, mark.index)),
            false => spread.include(receiver),
        }
        // Components of motion have one place.
        let mut place = DefaultHasher::new();
        (gather, place_key(receiver), mark.code).hash(&mut place);
        let here = self.places.entry(place.finish()).or_default();
        *here += 1;
        spread.most = spread.most.max(*here);
        if *here > 1 {
            self.again.push((gather, mark.index));
        }
    }

    /// True if some gathers have one number, and no gather has receivers at two places.
    pub(super) fn are_alone(&self) -> bool {
        let numbers: BTreeSet<i64> = self.gathers.iter().map(|spread| spread.record).collect();
        numbers.len() < self.gathers.len() && self.gathers.iter().all(|spread| spread.together)
    }

    /// What disagrees, of headers or of arrays.
    pub(crate) fn warnings(&self, are_headers: bool) -> Vec<Warning> {
        let named = |field: Field<TRACE>| are_headers.then_some(field.place());
        let of_places = self.of_places(named(RECEIVER));
        let (nowhere, alone) = (self.nowhere(named(RECEIVER)), self.alone(named(SOURCE)));
        self.several_sources().into_iter().chain(of_places).chain(nowhere).chain(alone).collect()
    }

    /// Field records that have several sources. In a section every trace has its source, and may
    /// have the same record.
    fn several_sources(&self) -> Option<Warning> {
        let mut records = BTreeMap::<i64, BTreeSet<[u64; 3]>>::new();
        for Spread { record, source, .. } in &self.gathers {
            records.entry(*record).or_default().insert(*source);
        }
        let is_section = self.gathers.iter().all(|spread| spread.together);
        let mut several = records.iter().filter(|(_, sources)| sources.len() > 1);
        let (record, sources) = several.next().filter(|_| !is_section)?;
        let (record, sources, others) = (*record, sources.len(), several.count());
        Some(Warning::Sources { field: trace::RECORD.place(), record, sources, others })
    }

    /// Receivers at one place, and records that are there more than once.
    fn of_places(&self, field: Option<Place>) -> Vec<Warning> {
        let mut again = vec![0usize; self.gathers.len()];
        self.again.iter().for_each(|(gather, _)| again[*gather] += 1);
        // All are at one place where headers have none, and where each place has its source.
        let alone = self.are_alone();
        let is_told = |gather: usize| {
            let Spread { live, placed, .. } = self.gathers[gather];
            live - again[gather] > 1 || alone && placed > 0
        };
        // As many at every place.
        let times = |gather: usize| {
            let Spread { live, most, .. } = self.gathers[gather];
            (!alone && live == (live - again[gather]) * most).then_some(most)
        };
        let told = || self.again.iter().filter(|(gather, _)| is_told(*gather));
        let indices = |of: bool| -> Vec<u64> {
            let those = told().filter(|(gather, _)| times(*gather).is_some() == of);
            those.map(|(_, index)| *index).collect()
        };
        let (whole, single) = (indices(true), indices(false));
        let repeated = told().filter_map(|(gather, _)| Some((*gather, times(*gather)?)));
        let repeated: BTreeMap<usize, usize> = repeated.collect();
        let first = repeated.first_key_value().map(|(gather, times)| Warning::Repeated {
            field,
            record: self.gathers[*gather].record,
            times: *times,
            others: repeated.len() - 1,
            indices: whole,
        });
        let single = (!single.is_empty()).then_some(Warning::OnePlace { field, indices: single });
        first.into_iter().chain(single).collect()
    }

    /// A few receivers at x = 0, y = 0, far from the others of their record.
    fn nowhere(&self, field: Option<Place>) -> Option<Warning> {
        let is_told = |gather: usize| {
            let spread = &self.gathers[gather];
            spread.is_far_from_zero() && spread.live - spread.placed < spread.placed
        };
        let told = self.at_zero.iter().filter(|(gather, _)| is_told(*gather));
        let (gathers, indices): (BTreeSet<usize>, Vec<u64>) = told.copied().unzip();
        let placed = gathers.iter().map(|gather| self.gathers[*gather].placed).sum();
        (!indices.is_empty()).then_some(Warning::Nowhere { field, indices, placed })
    }

    /// Sources of which a depth is all that is known.
    fn alone(&self, field: Option<Place>) -> Option<Warning> {
        let is_alone =
            |of: &&Spread| of.depth_alone && of.placed >= FEWEST && of.nearest > of.width();
        let mut alone = self.gathers.iter().filter(is_alone);
        let record = alone.next()?.record;
        Some(Warning::DepthAlone { field, record, others: alone.count() })
    }
}

fn is_at_zero(at: Position) -> bool {
    at.x == 0.0 && at.y == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The warnings of a gather of live traces with receivers at these places.
    fn told(source: Position, x: &[f64]) -> Vec<Warning> {
        let mut stations = Stations::default();
        for (index, x) in (0..).zip(x) {
            let receiver = Position { x: *x, y: 0.0, z: 0.0 };
            stations.see(0, Shot { record: 5, source }, receiver, &Mark { index, code: 1 });
        }
        stations.warnings(true)
    }

    #[test]
    fn receivers_at_one_place_are_told_and_records_that_are_there_twice() {
        let none = Position::default();
        assert_eq!(told(none, &[0.0, 10.0, 20.0, 30.0]), []);
        let one = told(none, &[0.0, 10.0, 20.0, 10.0]);
        assert!(matches!(&one[..], [Warning::OnePlace { indices, .. }] if *indices == [3]));
        let said = one[0].to_string();
        assert!(said.contains("trace 4") && said.contains("bytes 81-88"), "{said}");
        let twice = told(none, &[0.0, 10.0, 20.0, 0.0, 10.0, 20.0]);
        let [Warning::Repeated { record: 5, times: 2, others: 0, indices, .. }] = &twice[..] else {
            panic!("{twice:?}")
        };
        assert_eq!(*indices, [3, 4, 5]);
        assert_eq!(told(none, &[7.0, 7.0, 7.0]), [], "there are no positions");
        let some = told(none, &[0.0, 10.0, 0.0, 0.0]);
        assert!(matches!(&some[..], [Warning::OnePlace { .. }]), "{some:?}");
    }

    #[test]
    fn zero_is_a_place_beside_others_and_none_far_from_them() {
        let none = Position::default();
        let far: Vec<f64> = (0..40).map(|n| 5e5 + 10.0 * f64::from(n)).chain([0.0]).collect();
        let told_far = told(none, &far);
        let [Warning::Nowhere { indices, placed: 40, .. }] = &told_far[..] else {
            panic!("{told_far:?}")
        };
        assert_eq!(*indices, [40]);
        let depth = Position { z: 12.0, ..none };
        let alone = |warnings: Vec<Warning>| {
            warnings.iter().any(|of| matches!(of, Warning::DepthAlone { record: 5, .. }))
        };
        assert!(alone(told(depth, &far)) && !alone(told_far));
        assert_eq!(told(depth, &[0.0, 10.0, 20.0, 30.0]), []);
        let beside: Vec<f64> = (10..34).map(|n| 10.0 * f64::from(n)).collect();
        assert_eq!(told(depth, &beside), []);
    }
}
