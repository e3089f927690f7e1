//! Traces of a file that are left out.

use super::GatherFileError;
use crate::io::segy::Mark;

/// Which traces of a file are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kill {
    /// Those whose headers say that they are dead, dummies, or of no receiver.
    pub dead: bool,
    /// Those of these numbers, counted through the file from 1.
    pub traces: Vec<u64>,
}

impl Kill {
    fn keeps(&self, mark: &Mark) -> bool {
        !(self.dead && !mark.live || self.traces.contains(&(mark.index + 1)))
    }

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
    ) -> Result<Vec<T>, GatherFileError> {
        if *self == Kill::default() {
            return Ok(all);
        }
        let (mut count, mut killed) = (0, 0);
        let mut left = Vec::with_capacity(all.len());
        for mut gather in all {
            let marks = marks(&gather);
            let kept: Vec<usize> =
                (0..marks.len()).filter(|trace| self.keeps(&marks[*trace])).collect();
            count += marks.len();
            killed += marks.len() - kept.len();
            if kept.len() < marks.len() {
                select(&mut gather, &kept);
            }
            if !kept.is_empty() {
                left.push(gather);
            }
        }
        if left.is_empty() {
            return Err(GatherFileError::Killed { traces: count });
        }
        warnings.push(format!("{killed} of {count} traces are left out, as asked"));
        Ok(left)
    }
}
