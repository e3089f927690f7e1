//! The samples of a Plan's wavelets, each distinct one sampled once.

use super::TimeAxis;
use crate::acquisition::{TimeDispersion, Wavelet, WaveletError, time_dispersion};
use std::sync::Arc;

/// Rows of samples under way.
pub(super) struct Rows<'w> {
    time: TimeAxis,
    seen: Vec<&'w Wavelet>,
    /// s(n dt) for n in 0..steps, a row a wavelet.
    pub(super) samples: Vec<Arc<[f64]>>,
}

impl<'w> Rows<'w> {
    pub(super) fn new(time: TimeAxis) -> Self {
        Rows { time, seen: Vec::new(), samples: Vec::new() }
    }

    /// The row of a wavelet, sampled where it has none yet.
    pub(super) fn row(&mut self, wavelet: &'w Wavelet) -> Result<usize, WaveletError> {
        if let Some(row) = self.seen.iter().position(|seen| *seen == wavelet) {
            return Ok(row);
        }
        let TimeAxis { dt, steps, .. } = self.time;
        let samples = match self.time.dispersion {
            TimeDispersion::Kept => wavelet.samples(dt, steps)?,
            TimeDispersion::Corrected => {
                time_dispersion::add(wavelet.samples(dt, 2 * steps)?, steps)
            }
        };
        if let Some(index) = samples.iter().position(|s| !s.is_finite()) {
            return Err(WaveletError::NotFinite { index, value: samples[index] });
        }
        self.seen.push(wavelet);
        self.samples.push(samples.into());
        Ok(self.samples.len() - 1)
    }
}
