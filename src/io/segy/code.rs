//! Trace identification codes of other than seismic data in time.

use super::{mark::is_dead, su};

/// What traces of some identification codes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Coded {
    Dead,
    Dummy,
    Auxiliary,
    Motion,
    Depth,
    Other,
}

/// What the standard, or Seismic Unix, means by a code.
pub fn code_name(code: i64) -> &'static str {
    match code {
        0 => "unknown",
        1 => "seismic data",
        2 => "dead",
        3 => "dummy",
        4 => "time break",
        5 => "uphole",
        6 => "sweep",
        7 => "timing",
        8 => "water break",
        9 => "near-field gun signature",
        10 => "far-field gun signature",
        11 => "pressure",
        12 => "vertical motion",
        13 => "cross-line motion",
        14 => "in-line motion",
        15 => "rotated vertical motion",
        16 => "rotated transverse motion",
        17 => "rotated radial motion",
        18 => "vibrator reaction mass",
        19 => "vibrator baseplate",
        20 => "estimated ground force",
        21 => "vibrator reference",
        22 => "time-velocity pairs",
        30 | 130 => "depth",
        _ => "other",
    }
}

impl Coded {
    /// Of a code; `None` of seismic data, or of one that says nothing.
    pub(super) fn of(code: i64) -> Option<Self> {
        match code {
            // 11 is a sensor of pressure.
            0 | 1 | 11 => None,
            2 => Some(Coded::Dead),
            3 => Some(Coded::Dummy),
            code if is_dead(code) => Some(Coded::Auxiliary),
            12..=17 => Some(Coded::Motion),
            code if su::DEPTH.contains(&code) => Some(Coded::Depth),
            _ => Some(Coded::Other),
        }
    }

    /// True if the code itself says that the trace is to be left out.
    pub(super) fn is_dead(self) -> bool {
        matches!(self, Coded::Dead | Coded::Dummy | Coded::Auxiliary)
    }

    /// What one trace is, and several are, where their positions alone are read.
    pub(super) fn in_geometry(self) -> Option<(&'static str, &'static str)> {
        match self {
            Coded::Dead => Some((
                "it is dead, and its position is read",
                "they are dead, and their positions are read",
            )),
            Coded::Dummy => Some((
                "it is a dummy, and its position is read",
                "they are dummies, and their positions are read",
            )),
            Coded::Auxiliary => Some((
                "it is auxiliary, of no receiver, and its position is read",
                "they are auxiliary, of no receiver, and their positions are read",
            )),
            _ => None,
        }
    }

    /// What is done with one trace, and with several.
    pub(super) fn words(self) -> (&'static str, &'static str) {
        match self {
            Coded::Dead => {
                ("it is dead, and is read as it is", "they are dead, and are read as they are")
            }
            Coded::Dummy => (
                "it is a dummy, and is read as it is",
                "they are dummies, and are read as they are",
            ),
            Coded::Auxiliary => (
                "it is auxiliary, of no receiver, and is read as it is",
                "they are auxiliary, of no receiver, and are read as they are",
            ),
            Coded::Motion => (
                "it is a component of motion, and is read as pressure",
                "they are components of motion, and are read as pressure",
            ),
            Coded::Depth => (
                "it is of depth, and is read as pressure in time",
                "they are of depth, and are read as pressure in time",
            ),
            Coded::Other => (
                "it is no seismic data in time, and is read as pressure",
                "they are no seismic data in time, and are read as pressure",
            ),
        }
    }
}
