//! What traces are read for, which says which of them belong together.

use crate::{
    grid::Position,
    segy::{Gather, Kill, Record, Warning, trace},
};
use ndarray::{Axis, concatenate};
use std::collections::{BTreeMap, BTreeSet};

/// The use of traces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// Shots: the traces of a field record and source are a gather.
    #[default]
    Shots,
    /// Shots that are migrated or compared: samples that were not recorded have no weight.
    Observed,
    /// The positions of shots alone, whatever the times of their traces.
    Geometry,
    /// Recordings of unknown sources: if no two places of receivers have one source, the traces of a
    /// field record are a gather.
    Recordings,
    /// A zero-offset section: every trace is a gather, at its ensemble if it has no other position.
    Section,
}

impl Purpose {
    /// The gathers for this use; those that are left out belong to none by their positions.
    pub(super) fn of(
        self,
        records: Vec<Record>,
        kill: &Kill,
        warnings: &mut Vec<String>,
    ) -> Vec<Record> {
        match self {
            Purpose::Recordings if are_of_many_sources(&records, kill) => {
                warnings.push(format!(
                    "no two places of receivers have one source: the traces of a number in {} are taken as one recording",
                    trace::RECORD.place()
                ));
                by_number(records)
            }
            Purpose::Shots | Purpose::Observed | Purpose::Geometry
                if are_of_many_sources(&records, kill) =>
            {
                warnings.push(Warning::EachAlone.to_string());
                records
            }
            Purpose::Shots | Purpose::Observed | Purpose::Geometry | Purpose::Recordings => records,
            Purpose::Section => {
                let mut section = each_alone(records);
                if at_ensembles(&mut section, kill) {
                    warnings.push(Warning::AtEnsembles.to_string());
                }
                section
            }
        }
    }
}

/// True if each source has receivers at one place, such as its own, and some have one field record.
fn are_of_many_sources(records: &[Record], kill: &Kill) -> bool {
    let together = |record: &Record| {
        let mut kept = record.receivers().filter(|(_, tag)| kill.keeps(&tag.mark));
        kept.next().is_none_or(|(first, _)| kept.all(|(other, _)| other == first))
    };
    let numbers: BTreeSet<i64> = records.iter().map(|record| record.gather.record).collect();
    numbers.len() < records.len() && records.iter().all(together)
}

/// Every trace by itself, in the order of the file.
fn each_alone(records: Vec<Record>) -> Vec<Record> {
    let parts = |record: Record| {
        (0..record.tags.len()).map(move |trace| record.part(&[trace])).collect::<Vec<_>>()
    };
    let mut all: Vec<Record> = records.into_iter().flat_map(parts).collect();
    all.sort_by_key(|record| record.tags[0].mark.index);
    all
}

/// The traces of each field record as one gather, in the order of the file, of a source that is not
/// known.
fn by_number(records: Vec<Record>) -> Vec<Record> {
    let (mut groups, mut places) = (Vec::<Vec<Record>>::new(), BTreeMap::new());
    for one in each_alone(records) {
        let place = *places.entry(one.gather.record).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups.into_iter().map(joined).collect()
}

fn joined(parts: Vec<Record>) -> Record {
    let views: Vec<_> = parts.iter().map(|part| part.gather.traces.view()).collect();
    let traces = concatenate(Axis(0), &views).expect("traces of a file are as long as each other");
    let Gather { record, interval, start, .. } = parts[0].gather;
    let receivers = parts.iter().map(|part| part.gather.receivers[0]).collect();
    let gather = Gather { record, source: Position::default(), receivers, traces, interval, start };
    let mut clock = parts[0].clock;
    parts.iter().for_each(|part| clock.include(part.clock));
    Record { gather, tags: parts.iter().map(|part| part.tags[0]).collect(), clock }
}

/// Takes the positions of ensembles in a section without others; true if it did.
fn at_ensembles(section: &mut [Record], kill: &Kill) -> bool {
    let is_at_zero = |at: Position| at.x == 0.0 && at.y == 0.0;
    let mut kept = section.iter().filter(|of| kill.keeps(&of.tags[0].mark));
    let nowhere =
        kept.clone().all(|of| is_at_zero(of.gather.source) && is_at_zero(of.gather.receivers[0]));
    let takes = nowhere && kept.any(|of| of.tags[0].ensemble != (0.0, 0.0));
    for Record { gather, tags, .. } in section.iter_mut().filter(|_| takes) {
        let (x, y) = tags[0].ensemble;
        let at = Position { x, y, z: gather.receivers[0].z };
        (gather.source, gather.receivers[0]) = (at, at);
    }
    takes
}
