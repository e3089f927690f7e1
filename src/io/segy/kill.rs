//! Traces that are left out.

use super::Mark;

/// Which traces of a file are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kill {
    /// Those whose headers say that they are dead, dummies, or of no receiver.
    pub dead: bool,
    /// Those of these numbers, counted through the file from 1.
    pub traces: Vec<u64>,
}

impl Kill {
    /// True of a trace that stays.
    pub fn keeps(&self, mark: &Mark) -> bool {
        !(self.dead && !mark.is_live() || self.traces.contains(&(mark.index + 1)))
    }
}
