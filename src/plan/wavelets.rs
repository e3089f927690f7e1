//! The samples of a Plan's wavelets, each distinct one sampled once.

use super::TimeAxis;
use crate::acquisition::{TimeDispersion, Wavelet, WaveletError, highest_hz, time_dispersion};
use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

/// Rows of samples under way.
pub(super) struct Rows<'w> {
    time: TimeAxis,
    /// By a hash of the wavelet: a field sent back has as many wavelets as receivers.
    seen: HashMap<u64, Vec<(&'w Wavelet, usize)>>,
    /// s(n dt) for n in 0..steps, a row a wavelet.
    pub(super) samples: Vec<Arc<[f64]>>,
    /// The highest frequency of them all, Hz, before any warp.
    pub(super) highest: f64,
}

impl<'w> Rows<'w> {
    pub(super) fn new(time: TimeAxis) -> Self {
        Rows { time, seen: HashMap::new(), samples: Vec::new(), highest: 0.0 }
    }

    /// The row of a wavelet, sampled where it has none yet.
    pub(super) fn row(&mut self, wavelet: &'w Wavelet) -> Result<usize, WaveletError> {
        let alike = self.seen.entry(hash(wavelet)).or_default();
        if let Some((_, row)) = alike.iter().find(|(seen, _)| *seen == wavelet) {
            return Ok(*row);
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
        alike.push((wavelet, self.samples.len()));
        self.samples.push(samples.into());
        Ok(self.samples.len() - 1)
    }
}

/// Each distinct wavelet once.
pub(super) fn distinct<'w>(all: impl Iterator<Item = &'w Wavelet>) -> Vec<&'w Wavelet> {
    let mut seen: HashMap<u64, Vec<&Wavelet>> = HashMap::new();
    let mut distinct = Vec::new();
    for wavelet in all {
        let alike = seen.entry(hash(wavelet)).or_default();
        if !alike.contains(&wavelet) {
            alike.push(wavelet);
            distinct.push(wavelet);
        }
    }
    distinct
}

fn hash(wavelet: &Wavelet) -> u64 {
    let mut hasher = DefaultHasher::new();
    match wavelet {
        Wavelet::Sampled(sampled) => {
            sampled.values.iter().for_each(|value| value.to_bits().hash(&mut hasher));
        }
        // A few numbers.
        formula => format!("{formula:?}").hash(&mut hasher),
    }
    hasher.finish()
}
