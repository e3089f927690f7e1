//! Traces of a file that are left out.

use super::GatherFileError;
use crate::segy::{Clock, Kill, Record};

/// Where the traces of a gather were in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The gather, among those of the file that were chosen, from 0.
    pub gather: usize,
    /// Its traces among those of that gather, from 0.
    pub traces: Vec<usize>,
    /// Their numbers in the file, from 1.
    pub numbers: Vec<u64>,
    /// Traces of the gather in the file.
    pub of: usize,
    /// Its date.
    pub clock: Clock,
}

impl Kill {
    /// Returns an error if a number is that of no trace of a file.
    pub(super) fn check(&self, traces: usize) -> Result<(), GatherFileError> {
        let there = |number: &u64| (1..=traces as u64).contains(number);
        match self.traces.iter().find(|number| !there(number)) {
            Some(number) => Err(GatherFileError::NoTrace { number: *number, traces }),
            None => Ok(()),
        }
    }

    /// Leaves traces out of gathers, and those gathers out that have no other. Tells how many.
    pub(super) fn of(
        &self,
        all: Vec<Record>,
        warnings: &mut Vec<String>,
    ) -> Result<(Vec<Record>, Vec<Origin>), GatherFileError> {
        let (mut count, mut killed) = (0, 0);
        let marked = all.iter().flat_map(|record| &record.tags).any(|tag| !tag.mark.is_live());
        let (mut left, mut origins) = (Vec::with_capacity(all.len()), Vec::new());
        for (index, mut record) in all.into_iter().enumerate() {
            let of = record.tags.len();
            let keeps = |trace: &usize| self.keeps(&record.tags[*trace].mark);
            let traces: Vec<_> = (0..of).filter(keeps).collect();
            count += of;
            killed += of - traces.len();
            if traces.len() < of {
                record = record.part(&traces);
            }
            if !traces.is_empty() {
                let numbers = record.tags.iter().map(|tag| tag.mark.index + 1).collect();
                origins.push(Origin { gather: index, traces, numbers, of, clock: record.clock });
                left.push(record);
            }
        }
        if left.is_empty() && count > 0 {
            return Err(GatherFileError::Killed { traces: count });
        }
        if self.dead && !marked {
            warnings.push("no trace is marked dead (bytes 29-30)".into());
        }
        if killed > 0 || !self.traces.is_empty() {
            warnings.push(format!("of {count} traces {killed} are left out, as asked"));
        }
        Ok((left, origins))
    }
}
