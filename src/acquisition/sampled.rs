//! A wavelet given by its samples.

use super::WaveletError;
use rustfft::{FftPlanner, num_complex::Complex};
use std::sync::Arc;

/// Samples at a fixed interval, the first at t = 0; zero after the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// s(n interval).
    pub values: Arc<[f64]>,
    /// Seconds between samples.
    pub interval: f64,
}

/// Zeros after the wavelet, in its lengths, so that its spectrum is sampled finely.
const PADDING: usize = 8;

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

    /// Where the amplitude spectrum is largest, Hz, to a part of 1 over the wavelet's length.
    pub(super) fn peak_hz(&self) -> f64 {
        let size = (PADDING * self.values.len()).next_power_of_two();
        let mut spectrum: Vec<Complex<f64>> = self.values.iter().map(|v| v.into()).collect();
        spectrum.resize(size, Complex::default());
        FftPlanner::new().plan_fft_forward(size).process(&mut spectrum);
        let power = |i: &usize| spectrum[*i].norm_sqr();
        let strongest = (1..=size / 2).max_by(|a, b| power(a).total_cmp(&power(b)));
        strongest.unwrap_or(1) as f64 / (size as f64 * self.interval)
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
        for (peak_hz, interval) in [(20.0, 1e-3), (6.0, 1e-4)] {
            let ricker = Wavelet::Ricker(Ricker { peak_hz, delay: 2.0 / peak_hz });
            let count = (4.0 / peak_hz / interval) as usize;
            let values = ricker.samples(interval, count).expect("a Ricker has samples");
            let sampled = Sampled { values: values.into(), interval };
            assert!((sampled.peak_hz() / peak_hz - 1.0).abs() < 0.02, "{}", sampled.peak_hz());
        }
    }
}
