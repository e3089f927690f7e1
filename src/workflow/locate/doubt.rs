//! Doubts whether what was found is a source.

use super::{Beside, Peak};
use crate::plan::Condition;

/// A source is a peak this many times as high as the highest that is not named; for energies the
/// square.
const CLEAR: f64 = 1.5;
/// It is also this many times as high as the median of the map; likewise.
const ABOVE: f64 = 3.5;

/// Fewer traces with a signal determine no position and no model.
pub const FEWEST_TRACES: usize = 5;

/// Fewer points per wavelength of the dominant frequency do not propagate as in the ground: a
/// Ricker wavelet extends to 2.4 times that frequency, where 4 points are fewer than 2.
pub const LEAST_POINTS: f64 = 4.0;

/// Why a peak may be no source, as side lobes and scattered waves are none.
#[allow(missing_docs, reason = "the variants say it")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doubt {
    /// It is so many times as high as the highest peak that is not named, and less than `least`.
    Next { over: f64, least: f64 },
    /// It is so many times as high as the median of the map, and less than `least`.
    Background { over: f64, least: f64 },
}

impl Peak {
    /// The first doubt about it, in a map of this condition.
    pub fn doubt(&self, condition: Condition) -> Option<Doubt> {
        let [clear, above] = [CLEAR, ABOVE].map(|limit| of_condition(limit, condition));
        let next = self.over_next.filter(|over| *over < clear);
        let background = self.over_background.filter(|over| *over < above);
        next.map(|over| Doubt::Next { over, least: clear })
            .or(background.map(|over| Doubt::Background { over, least: above }))
    }

    /// The peak beside it, if that is high enough to be another source.
    pub fn rival(&self, condition: Condition) -> Option<Beside> {
        self.beside.filter(|beside| beside.share * of_condition(CLEAR, condition) > 1.0)
    }
}

/// A ratio of amplitudes as one of values of a map.
fn of_condition(ratio: f64, condition: Condition) -> f64 {
    match condition {
        Condition::Amplitude => ratio,
        Condition::Energy { .. } => ratio * ratio,
    }
}
