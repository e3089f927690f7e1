//! Records that are in a file again under another number.

use super::{Reader, Record, SegyError, Shot, Warning, geometry::place_key, trace};
use crate::grid::Position;
use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    io::{Read, Seek},
};

/// The gathers of a file, trace by trace.
#[derive(Debug, Default)]
pub(super) struct Copies(Vec<Laid>);

/// A gather, and where it lies.
#[derive(Debug)]
struct Laid {
    record: i64,
    /// Of the places of its source and its receivers.
    places: DefaultHasher,
    /// Its traces by their indices in the file.
    traces: Vec<u64>,
}

/// Tells of records that have the places and the samples of an earlier one.
pub(crate) fn copied<'a, R: Read + Seek>(
    reader: &mut Reader<R>,
    records: impl Iterator<Item = &'a Record>,
) -> Result<Option<Warning>, SegyError> {
    let mut copies = Copies::default();
    let kill = reader.kill.clone();
    let kept = |record: &&Record| record.tags.iter().any(|tag| kill.keeps(&tag.mark));
    for (number, record) in records.filter(kept).enumerate() {
        let shot = Shot { record: record.gather.record, source: record.gather.source };
        for (receiver, tag) in record.receivers().filter(|(_, tag)| kill.keeps(&tag.mark)) {
            copies.see(number, shot, *receiver, tag.mark.index);
        }
    }
    copies.warning(reader)
}

impl Copies {
    /// Sees a trace of a gather, which is at most the one after the last.
    pub(crate) fn see(&mut self, gather: usize, shot: Shot, receiver: Position, index: u64) {
        if gather == self.0.len() {
            let mut places = DefaultHasher::new();
            place_key(shot.source).hash(&mut places);
            self.0.push(Laid { record: shot.record, places, traces: Vec::new() });
        }
        let Laid { places, traces, .. } = &mut self.0[gather];
        place_key(receiver).hash(places);
        traces.push(index);
    }

    /// The gathers that have the places and the samples of an earlier one. Traces of one place alone
    /// are read again, all of a gather only if the first is that of another.
    pub(crate) fn warning<R: Read + Seek>(
        &self,
        reader: &mut Reader<R>,
    ) -> Result<Option<Warning>, SegyError> {
        let mut alike: Vec<Vec<&Laid>> =
            grouped(self.0.iter().filter(|of| of.traces.len() > 1), |of| {
                Ok((of.traces.len(), of.places.finish()))
            })?;
        for count in [1, usize::MAX] {
            let mut next = Vec::new();
            for group in alike {
                next.extend(grouped(group.into_iter(), |of| {
                    let mut samples = DefaultHasher::new();
                    for index in of.traces.iter().take(count) {
                        let samples_of = reader.trace(*index)?.samples;
                        samples_of.iter().for_each(|sample| sample.to_bits().hash(&mut samples));
                    }
                    Ok(samples.finish())
                })?);
            }
            alike = next;
        }
        let mut again = alike.iter().flat_map(|group| group[1..].iter().map(|of| (group[0], *of)));
        let Some((first, copy)) = again.next() else { return Ok(None) };
        let (record, copy) = (first.record, copy.record);
        let field = trace::RECORD.place();
        Ok(Some(Warning::Copied { field, record, copy, others: again.count() }))
    }
}

/// Those that have a key with another, in their order.
fn grouped<'a, K: Eq + Hash>(
    all: impl Iterator<Item = &'a Laid>,
    mut key: impl FnMut(&Laid) -> Result<K, SegyError>,
) -> Result<Vec<Vec<&'a Laid>>, SegyError> {
    let (mut groups, mut of_key) = (Vec::<Vec<&Laid>>::new(), HashMap::new());
    for one in all {
        let group = *of_key.entry(key(one)?).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups.retain(|group| group.len() > 1);
    Ok(groups)
}
