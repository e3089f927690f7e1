//! A wavelet given by its samples.

use super::WaveletError;
use std::{f64::consts::TAU, sync::Arc};

/// Samples at a fixed interval, the first at t = 0; zero after the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// s(n interval).
    pub values: Arc<[f64]>,
    /// Seconds between samples.
    pub interval: f64,
}

/// Frequencies tried for the spectrum's peak, up to Nyquist.
const SPECTRUM: usize = 512;

impl Sampled {
    pub(super) fn check(&self) -> Result<(), WaveletError> {
        let count = self.values.len();
        if count == 0 || !(self.interval.is_finite() && self.interval > 0.0) {
            return Err(WaveletError::Empty { count, interval: self.interval });
        }
        match self.values.iter().position(|v| !v.is_finite()) {
            Some(index) => Err(WaveletError::NotFinite { index, value: self.values[index] }),
            None => Ok(()),
        }
    }

    pub(super) fn samples(&self, dt: f64, count: usize) -> Result<Vec<f64>, WaveletError> {
        let interval = self.interval;
        if (interval - dt).abs() > 1e-9 * interval {
            return Err(WaveletError::Interval { interval, dt });
        }
        let given = self.values.iter().copied();
        Ok(given.chain(std::iter::repeat(0.0)).take(count).collect())
    }

    /// Where the amplitude spectrum is largest, Hz; Nyquist over [`SPECTRUM`] is the resolution.
    pub(super) fn peak_hz(&self) -> f64 {
        let nyquist = 0.5 / self.interval;
        let power = |f: f64| {
            let step = TAU * f * self.interval;
            let sum = self.values.iter().enumerate().fold((0.0, 0.0), |(re, im), (n, v)| {
                let (sin, cos) = (step * n as f64).sin_cos();
                (re + v * cos, im + v * sin)
            });
            sum.0 * sum.0 + sum.1 * sum.1
        };
        let spectrum = (1..=SPECTRUM).map(|i| {
            let frequency = nyquist * i as f64 / SPECTRUM as f64;
            (power(frequency), frequency)
        });
        let strongest = spectrum.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, frequency)| frequency);
        strongest.unwrap_or(nyquist)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::{Ricker, Wavelet};

    #[test]
    fn samples_are_taken_as_they_are_and_padded() {
        let wavelet = Sampled { values: Arc::from([1.0, 2.0]), interval: 0.001 };
        assert_eq!(wavelet.samples(0.001, 4), Ok(vec![1.0, 2.0, 0.0, 0.0]));
        assert!(matches!(wavelet.samples(0.002, 4), Err(WaveletError::Interval { .. })));
    }

    #[test]
    fn the_peak_of_a_sampled_ricker_is_its_peak() {
        let ricker = Wavelet::Ricker(Ricker { peak_hz: 20.0, delay: 0.1 });
        let values = ricker.samples(0.001, 400).expect("a Ricker has samples");
        let sampled = Sampled { values: values.into(), interval: 0.001 };
        assert!((sampled.peak_hz() - 20.0).abs() <= 1.0);
    }
}
