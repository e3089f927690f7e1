//! The samples of a Plan's wavelets, each distinct one sampled once.

use super::TimeAxis;
use crate::acquisition::{TimeDispersion, Wavelet, WaveletError, highest_hz, time_dispersion};
use std::sync::Arc;

/// Rows of samples under way.
pub(super) struct Rows<'w> {
    time: TimeAxis,
    seen: Vec<&'w Wavelet>,
    /// s(n dt) for n in 0..steps, a row a wavelet.
    pub(super) samples: Vec<Arc<[f64]>>,
    /// The highest frequency of them all, Hz, before any warp.
    pub(super) highest: f64,
}

impl<'w> Rows<'w> {
    pub(super) fn new(time: TimeAxis) -> Self {
        Rows { time, seen: Vec::new(), samples: Vec::new(), highest: 0.0 }
    }

    /// The row of a wavelet, sampled where it has none yet.
    pub(super) fn row(&mut self, wavelet: &'w Wavelet) -> Result<usize, WaveletError> {
        if let Some(row) = self.seen.iter().position(|seen| *seen == wavelet) {
            return Ok(row);
        }
        let TimeAxis { dt, steps, .. } = self.time;
        let corrected = self.time.dispersion == TimeDispersion::Corrected;
        let samples = wavelet.samples(dt, if corrected { 2 * steps } else { steps })?;
        let highest = highest_hz(&samples[..steps], dt);
        let samples = if corrected { time_dispersion::add(samples, steps) } else { samples };
        if let Some(index) = samples.iter().position(|s| !s.is_finite()) {
            return Err(WaveletError::NotFinite { index, value: samples[index] });
        }
        self.highest = self.highest.max(highest);
        self.seen.push(wavelet);
        self.samples.push(samples.into());
        Ok(self.samples.len() - 1)
    }
}
