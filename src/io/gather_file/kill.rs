//! Traces of a file that are left out.

use super::GatherFileError;
use crate::io::segy::{Kill, Mark};

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
    pub(super) fn of<T>(
        &self,
        all: Vec<T>,
        marks: impl Fn(&T) -> &[Mark],
        select: impl Fn(&mut T, &[usize]),
        warnings: &mut Vec<String>,
    ) -> Result<(Vec<T>, Vec<Origin>), GatherFileError> {
        let (mut count, mut killed) = (0, 0);
        let (mut left, mut origins) = (Vec::with_capacity(all.len()), Vec::new());
        for (index, mut gather) in all.into_iter().enumerate() {
            let marks = marks(&gather);
            let of = marks.len();
            let traces: Vec<usize> = (0..of).filter(|trace| self.keeps(&marks[*trace])).collect();
            let numbers = traces.iter().map(|trace| marks[*trace].index + 1).collect();
            count += of;
            killed += of - traces.len();
            if traces.len() < of {
                select(&mut gather, &traces);
            }
            if !traces.is_empty() {
                left.push(gather);
                origins.push(Origin { gather: index, traces, numbers, of });
            }
        }
        if left.is_empty() && count > 0 {
            return Err(GatherFileError::Killed { traces: count });
        }
        if *self != Kill::default() {
            warnings.push(format!("of {count} traces {killed} are left out, as asked"));
        }
        Ok((left, origins))
    }
}
