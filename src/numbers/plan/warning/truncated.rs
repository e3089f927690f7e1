//! Wavelets that end after the run, or start after it.

use super::{
    Plan, Seconds, from_one,
    wavelet_ends::{NEAR_ZERO, end},
};
use crate::rounded::rounded;
use serde::Serialize;
use std::fmt;

/// The first source of a Plan whose wavelet the run cuts off, or misses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Truncated {
    /// Index of the shot.
    #[serde(serialize_with = "from_one")]
    pub shot: usize,
    /// Index of the source in the shot.
    #[serde(rename = "source", serialize_with = "from_one")]
    pub source_index: usize,
    /// |s| at the end of the run over its largest value so far; `None` if all of it is zero.
    pub(crate) end: Option<f64>,
    /// The simulated time, s.
    pub(crate) duration: f64,
}

impl fmt::Display for Truncated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Truncated { shot, source_index, end, duration } = self;
        match end {
            Some(end) => write!(
                f,
                "the wavelet of source {} of shot {} is still at {:.3} % of its peak when the \
                 run ends after {}; it has ended at {} % or less; simulate longer, or give it a \
                 smaller delay",
                source_index + 1,
                shot + 1,
                100.0 * end,
                Seconds(rounded(*duration)),
                100.0 * NEAR_ZERO,
            ),
            None => write!(
                f,
                "source {} of shot {} makes no wave: its amplitude, or all of its wavelet in the \
                 {} of the run, is zero; give it an amplitude above 0, give its wavelet nonzero \
                 samples, or give it a delay within the run",
                source_index + 1,
                shot + 1,
                Seconds(*duration),
            ),
        }
    }
}

impl Plan {
    /// The first source whose wavelet has not ended, or not begun, at the end of the run.
    pub(crate) fn truncated(&self) -> Option<Truncated> {
        let ends: Vec<Option<f64>> = self.wavelets.iter().map(|row| end(row)).collect();
        let duration = self.time.duration();
        let mut all = self.all_sources().map(|(shot, sources, source)| {
            let asked = sources.asked.sources.get(source.source);
            let silent = asked.is_some_and(|asked| asked.amplitude == 0.0);
            let end = ends[source.wavelet].filter(|_| !silent);
            Truncated { shot, source_index: source.source, end, duration }
        });
        all.find(|source| source.end.is_none_or(|end| end > NEAR_ZERO))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_run_is_rounded() {
        let end = Some(0.1);
        let cut = Truncated { shot: 0, source_index: 0, end, duration: 0.299_501_499_8 };
        assert!(cut.to_string().contains("when the run ends after 0.2995 s;"), "{cut}");
    }
}
