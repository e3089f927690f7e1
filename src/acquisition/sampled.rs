//! A wavelet given by its samples.

use super::{WaveletError, fourier, kaiser, spectrum};
use rustfft::num_complex::Complex;
use std::{f64::consts::PI, sync::Arc};

/// Samples at a fixed interval, the first at t = 0; zero after the last. Where the time step is another, they
/// are interpolated by a windowed sinc.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// s(n interval).
    pub values: Arc<[f64]>,
    /// Seconds between samples.
    pub interval: f64,
}

/// An interval this close to the time step, relatively, is the time step.
const SAME: f64 = 1e-9;
/// Energy above the Nyquist frequency of the time step that may be left out, as a part of all: 1 % in
/// amplitude.
const LOST: f64 = 1e-4;
/// Zero crossings of the sinc on each side, and the window's beta: errors below 1e-6 up to 0.94 of the lower
/// Nyquist frequency, and as much left of what lies beyond 1.06 of it (Kaiser 1974).
const WING: f64 = 64.0;
const BETA: f64 = 12.0;

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

    /// The samples themselves where the interval is the time step, else s(n dt) between them. A larger step
    /// takes away what lies above its Nyquist frequency, and is refused where that is much.
    pub(super) fn samples(&self, dt: f64, count: usize) -> Result<Vec<f64>, WaveletError> {
        let interval = self.interval;
        if (interval - dt).abs() <= SAME * interval {
            let given = self.values.iter().copied();
            return Ok(given.chain(std::iter::repeat(0.0)).take(count).collect());
        }
        let nyquist = 0.5 / dt;
        let above = if dt > interval { self.energy_above(nyquist) } else { 0.0 };
        if above > LOST {
            return Err(WaveletError::Nyquist { above, limit: LOST, nyquist, dt, interval });
        }
        Ok(resampled(&self.values, dt / interval, count))
    }

    /// Where the amplitude spectrum is largest, Hz, to a part of 1 over the wavelet's length.
    pub(super) fn peak_hz(&self) -> f64 {
        let (power, df) = self.power();
        let strongest = (1..power.len()).max_by(|a, b| power[*a].total_cmp(&power[*b]));
        strongest.unwrap_or(1) as f64 * df
    }

    /// The part of the energy above a frequency, Hz.
    fn energy_above(&self, hz: f64) -> f64 {
        let (power, df) = self.power();
        let above = power.iter().enumerate().filter(|(k, _)| *k as f64 * df > hz);
        let all: f64 = power.iter().sum();
        if all > 0.0 { above.map(|(_, power)| power).sum::<f64>() / all } else { 0.0 }
    }

    /// |S|^2 from 0 Hz to the Nyquist frequency, and the frequency from one to the next, Hz.
    fn power(&self) -> (Vec<f64>, f64) {
        let size = spectrum::size(self.values.len());
        // Scaled, so that no square overflows.
        let largest = self.values.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
        let mut spectrum: Vec<Complex<f64>> =
            self.values.iter().map(|v| (v / largest).into()).collect();
        spectrum.resize(size, Complex::default());
        fourier::forward(size).process(&mut spectrum);
        let power = spectrum[..=size / 2].iter().map(|s| s.norm_sqr()).collect();
        (power, 1.0 / (size as f64 * self.interval))
    }
}

/// The values at n `step`, n in 0..count, in units of their interval: `sum_j v_j c sinc(c (n step - j))` under
/// a Kaiser window, c = min(1, 1 / step) being the lower of the two Nyquist frequencies. Two steps that are
/// each other's inverse are each other's adjoint.
fn resampled(values: &[f64], step: f64, count: usize) -> Vec<f64> {
    let c = (1.0 / step).min(1.0);
    let reach = WING / c;
    let peak = kaiser::window(BETA, 0.0);
    let kernel = |x: f64| {
        let x = c * x;
        let sinc = if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) };
        c * sinc * kaiser::window(BETA, x / WING) / peak
    };
    let at = |n: usize| {
        let t = n as f64 * step;
        // As floats saturate to integers, no time is too late.
        let first = (t - reach).ceil().max(0.0) as usize;
        let last = ((t + reach).floor() as usize).min(values.len() - 1);
        (first..=last).map(|j| values[j] * kernel(t - j as f64)).sum()
    };
    (0..count).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::{Ricker, Wavelet};

    fn ricker(peak_hz: f64, interval: f64, count: usize) -> Vec<f64> {
        let ricker = Wavelet::Ricker(Ricker { peak_hz, delay: Ricker::delay(peak_hz) });
        ricker.samples(interval, count).expect("a Ricker has samples")
    }

    #[test]
    fn samples_are_taken_as_they_are_and_padded() {
        let values = ricker(20.0, 1e-3, 150);
        let wavelet = Sampled { values: values.clone().into(), interval: 1e-3 };
        // To the bit, and with an interval that was printed and read again.
        for dt in [1e-3, 1e-3 * (1.0 + 1e-12)] {
            let samples = wavelet.samples(dt, 200).expect("the same interval");
            assert_eq!(
                (&samples[..150], &samples[150..]),
                (values.as_slice(), [0.0; 50].as_slice())
            );
        }
        assert_eq!(wavelet.samples(1e-3, 2), Ok(values[..2].to_vec()));
    }

    /// The relative error of a 25 Hz Ricker wavelet that was sampled at an interval and is wanted at another.
    fn error(interval: f64, dt: f64, mistake: impl Fn(&mut Sampled)) -> f64 {
        let mut wavelet =
            Sampled { values: ricker(25.0, interval, (0.12 / interval) as usize).into(), interval };
        mistake(&mut wavelet);
        let count = (0.2 / dt) as usize;
        let ours = wavelet.samples(dt, count).expect("its band fits");
        let exact = ricker(25.0, dt, count);
        let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|v| v * v).sum::<f64>().sqrt();
        norm(&mut ours.iter().zip(&exact).map(|(a, b)| a - b)) / norm(&mut exact.iter().copied())
    }

    #[test]
    fn resampling_gives_the_analytic_wavelet() {
        for (interval, dt) in [
            (4e-3, 1e-3),
            (4e-3, 7.3e-4),
            (2e-3, 1.999e-3),
            (5e-4, 2e-3),
            (1e-3, 3.1e-3),
            (2e-3, 5e-5),
        ] {
            let error = error(interval, dt, |_| ());
            println!("from {interval} s to {dt} s: {error:.1e}");
            assert!(error < 2e-6, "{interval} s to {dt} s: {error:e}");
        }
    }

    /// A test of the test.
    #[test]
    fn mistakes_in_resampling_are_seen() {
        let late = |wavelet: &mut Sampled| {
            wavelet.values = std::iter::once(0.0).chain(wavelet.values.iter().copied()).collect();
        };
        let slow = |wavelet: &mut Sampled| wavelet.interval *= 1.01;
        let silent = |wavelet: &mut Sampled| wavelet.values = vec![0.0; 30].into();
        for error in [error(4e-3, 1e-3, late), error(4e-3, 1e-3, slow), error(4e-3, 1e-3, silent)] {
            assert!(error > 0.05, "{error}");
        }
    }

    #[test]
    fn finer_and_coarser_are_adjoint() {
        let mut seed = 7u64;
        let mut random = |count: usize| -> Vec<f64> {
            let mut number = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
            };
            (0..count).map(|_| number()).collect()
        };
        for step in [0.25, 0.73, 1.0 / 3.0] {
            let (coarse, fine) = (random(300), random(700));
            let up = resampled(&coarse, step, fine.len());
            let down = resampled(&fine, 1.0 / step, coarse.len());
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            // As integrals over time.
            let (one, other) = (dot(&up, &fine) * step, dot(&coarse, &down));
            let scale = (dot(&up, &up) * dot(&fine, &fine)).sqrt() * step;
            assert!((one - other).abs() < 1e-12 * scale, "{one} and {other}");
        }
    }

    #[test]
    fn energy_above_the_new_nyquist_is_refused() {
        let wavelet = Sampled { values: ricker(100.0, 5e-4, 800).into(), interval: 5e-4 };
        let refused = wavelet.samples(4e-3, 50);
        let Err(WaveletError::Nyquist { above, nyquist, .. }) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(nyquist, 125.0);
        // The power of a Ricker wavelet is f^4 exp(-2 (f / f0)^2).
        let power = |x: f64| x.powi(4) * (-2.0 * x * x).exp();
        let sum = |from: i32, to: i32| {
            (from..to).map(|k| power(1e-3 * (f64::from(k) + 0.5))).sum::<f64>()
        };
        let exact = sum(1250, 8000) / sum(0, 8000);
        assert!((above / exact - 1.0).abs() < 0.02, "{above} and {exact}");
        assert!(wavelet.samples(1e-3, 50).is_ok());
    }

    #[test]
    fn any_finite_wavelet_is_resampled_to_finite_samples() {
        for values in [vec![1.0], vec![1e300; 40], vec![0.0; 10], vec![-1e-300, 1e-300]] {
            let wavelet = Sampled { values: values.into(), interval: 1e-3 };
            for dt in [1e-9, 7e-4, 1e3] {
                if let Ok(samples) = wavelet.samples(dt, 5) {
                    assert!(samples.iter().all(|s| s.is_finite()), "{dt}: {samples:?}");
                }
            }
        }
    }

    #[test]
    fn the_peak_of_a_sampled_ricker_is_its_peak() {
        for (peak_hz, interval) in [(20.0, 1e-3), (6.0, 1e-4)] {
            let count = (4.0 / peak_hz / interval) as usize;
            let sampled = Sampled { values: ricker(peak_hz, interval, count).into(), interval };
            assert!((sampled.peak_hz() / peak_hz - 1.0).abs() < 0.02, "{}", sampled.peak_hz());
        }
    }
}
