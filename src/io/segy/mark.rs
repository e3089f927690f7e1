//! What tells a trace of a file from the others, and which are left out.

use super::{TraceHeader, trace};

/// A trace of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Its index in the file, from 0.
    pub(crate) index: u64,
    /// Its identification code.
    pub(crate) code: i64,
}

impl Mark {
    pub(super) fn of(index: u64, header: &TraceHeader) -> Self {
        Mark { index, code: header.get(trace::IDENTIFICATION) }
    }

    /// False if its header says that it is dead, a dummy, or of no receiver.
    pub(crate) fn is_live(&self) -> bool {
        !is_dead(self.code)
    }
}

/// True of the identification codes of dead traces and dummies, and of time breaks, sweeps, vibrators
/// and the like beside the traces of receivers.
pub(super) fn is_dead(code: i64) -> bool {
    matches!(code, -1 | 2..=10 | 18..=22)
}

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
    pub(crate) fn keeps(&self, mark: &Mark) -> bool {
        !(self.dead && !mark.is_live() || self.traces.contains(&(mark.index + 1)))
    }
}
