//! Sources that switch on with a jump.

use super::{
    Plan, from_one,
    wavelet_ends::{NEAR_ZERO, end, start},
};
use serde::Serialize;
use std::fmt;

/// The source of a Plan that starts furthest from zero.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AbruptStart {
    /// Index of the shot.
    #[serde(serialize_with = "from_one")]
    pub(crate) shot: usize,
    /// Index of the source in the shot.
    #[serde(rename = "source", serialize_with = "from_one")]
    pub(crate) source_index: usize,
    /// |s| at t = 0 over its largest value.
    pub(crate) start: f64,
}

impl fmt::Display for AbruptStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AbruptStart { shot, source_index, start } = self;
        write!(
            f,
            "source {} of shot {} starts at {:.3} % of its peak, and the jump excites every \
             frequency; {} % or less is near zero; give its wavelet a larger delay, or a file \
             that starts at zero",
            source_index + 1,
            shot + 1,
            100.0 * start,
            100.0 * NEAR_ZERO
        )
    }
}

impl Plan {
    /// The source that starts furthest from zero, if it is beyond 0.1 % of its peak: its jump
    /// is a click of all frequencies, including those that the grid cannot represent.
    pub(crate) fn abrupt_start(&self) -> Option<AbruptStart> {
        // The peak of a wavelet that the run cuts off is unknown.
        let whole = |row: &[f64]| end(row).is_some_and(|end| end <= NEAR_ZERO);
        let of = |row: &[f64]| start(row).filter(|_| whole(row)).unwrap_or(0.0);
        let starts: Vec<f64> = self.wavelets.iter().map(|row| of(row)).collect();
        let all = self.all_sources().map(|(shot, _, source)| AbruptStart {
            shot,
            source_index: source.source,
            start: starts[source.wavelet],
        });
        // The first of equals.
        let worst = all.reduce(|worst, next| if next.start > worst.start { next } else { worst });
        worst.filter(|worst| worst.start > NEAR_ZERO)
    }
}
