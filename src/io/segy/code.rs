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

    /// What one trace is, or several are, and what is done with it; where positions alone are read,
    /// what is done with those of dead ones.
    pub(super) fn words(self, several: bool, positions_alone: bool) -> String {
        let (one, more, read_as) = match self {
            Coded::Dead => ("dead", "dead", None),
            Coded::Dummy => ("a dummy", "dummies", None),
            Coded::Auxiliary => ("auxiliary, of no receiver", "auxiliary, of no receiver", None),
            Coded::Motion => ("a component of motion", "components of motion", Some("pressure")),
            Coded::Depth => ("of depth", "of depth", Some("pressure in time")),
            Coded::Other => {
                ("no seismic data in time", "no seismic data in time", Some("pressure"))
            }
        };
        let positions_alone = positions_alone && read_as.is_none();
        match several {
            false if positions_alone => format!("it is {one}, and its position is read"),
            true if positions_alone => format!("they are {more}, and their positions are read"),
            false => format!("it is {one}, and is read as {}", read_as.unwrap_or("it is")),
            true => format!("they are {more}, and are read as {}", read_as.unwrap_or("they are")),
        }
    }
}
