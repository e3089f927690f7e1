//! A zero-phase filter for the band of a wavelet, or of four corner frequencies.

use huygens_fourier::{self as fourier, Complex};
use std::f64::consts::PI;

/// A filter with the amplitude spectrum of a wavelet and zero phase. It turns a spike into the
/// wavelet without its delay if that is symmetric, as a Ricker wavelet is, otherwise into the
/// symmetric wavelet of the same spectrum. Its gain is 1 where the spectrum is largest, so the
/// filtered values keep their unit and do not depend on the sampling.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// For each frequency of a transform of this length.
    gain: Vec<f64>,
    /// Samples of the traces.
    count: usize,
}

impl Band {
    /// From a wavelet's samples, for traces of `count` samples at its interval; `None` for silence.
    pub fn new(wavelet: &[f64], count: usize) -> Option<Self> {
        // Padded so that a trace's end does not wrap around to its beginning.
        let size = (count + wavelet.len().max(count)).next_power_of_two();
        let mut spectrum: Vec<Complex<f64>> = wavelet.iter().map(|s| s.into()).collect();
        spectrum.resize(size, Complex::default());
        fourier::forward(size).process(&mut spectrum);
        let gain: Vec<f64> = spectrum.iter().map(|s| s.norm()).collect();
        let largest = gain.iter().copied().fold(0.0, f64::max);
        let sound = largest > 0.0 && largest.is_finite();
        sound.then(|| Band { gain: gain.iter().map(|g| g / largest).collect(), count })
    }

    /// From corners f1 <= f2 <= f3 <= f4, Hz, for traces of `count` samples, `interval` s apart.
    /// The gain rises from 0 at f1 to 1 at f2 as the square of a sine, and falls likewise from f3
    /// to f4.
    pub fn of_corners([f1, f2, f3, f4]: [f64; 4], interval: f64, count: usize) -> Self {
        let size = (2 * count).next_power_of_two();
        // From 0 at one frequency to 1 at another.
        let ramp = |f: f64, from: f64, to: f64| match (f - from) / (to - from) {
            part if part > 0.0 && part < 1.0 => (0.5 * PI * part).sin().powi(2),
            part => f64::from(u8::from(part >= 1.0)),
        };
        let gain = (0..size).map(|k| {
            let f = k.min(size - k) as f64 / (size as f64 * interval);
            let rising = if f >= f2 { 1.0 } else { ramp(f, f1, f2) };
            let falling = if f <= f3 { 1.0 } else { ramp(f, f4, f3) };
            rising * falling
        });
        Band { gain: gain.collect(), count }
    }

    /// Filters a trace; its length does not change.
    pub fn pass(&self, trace: impl IntoIterator<Item = f64>) -> Vec<f64> {
        let passed = self.passed(trace.into_iter().map(Complex::from));
        // By reference: else it would keep the memory of the whole transform.
        passed.iter().map(|value| value.re).collect()
    }

    /// Filters two traces of one length in place, in the time of one.
    pub fn pass_both(&self, one: &mut [f64], other: &mut [f64]) {
        let both = one.iter().zip(other.iter()).map(|(re, im)| Complex::new(*re, *im));
        let passed = self.passed(both);
        for ((one, other), value) in one.iter_mut().zip(other).zip(passed) {
            (*one, *other) = (value.re, value.im);
        }
    }

    /// The gain is real and the same for both signs of a frequency: it keeps real and imaginary parts
    /// apart.
    fn passed(&self, trace: impl Iterator<Item = Complex<f64>>) -> Vec<Complex<f64>> {
        let size = self.gain.len();
        let mut spectrum: Vec<_> = trace.take(self.count).collect();
        let kept = spectrum.len();
        spectrum.resize(size, Complex::default());
        fourier::forward(size).process(&mut spectrum);
        // A forward and an inverse transform are not normalised.
        let scaled = spectrum.iter_mut().zip(&self.gain);
        scaled.for_each(|(value, gain)| *value *= gain / size as f64);
        fourier::inverse(size).process(&mut spectrum);
        spectrum.truncate(kept);
        spectrum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Ricker, Wavelet},
        testing::{assert_adjoint, dot, random},
    };

    const DT: f64 = 2e-3;

    #[test]
    fn a_spike_becomes_the_wavelet_without_its_delay() {
        let ricker = Ricker { peak_hz: 12.0, delay: 0.13 };
        let samples = Wavelet::Ricker(ricker).samples(DT, 400).expect("samples");
        let band = Band::new(&samples, 500).expect("it sounds");
        let passed = band.pass((0..500).map(|n| f64::from(u8::from(n == 200))));
        assert_eq!(Band::new(&[0.0; 9], 9), None);
        let largest = passed[200];
        for (n, value) in passed.iter().enumerate() {
            let expected = ricker.at((n as f64 - 200.0) * DT + ricker.delay);
            assert!((value / largest - expected).abs() < 1e-4, "{n}: {value}");
        }
        // The integral of a Ricker wavelet times its phase is 2 / (sqrt(pi) e f) at the peak.
        let gain = 2.0 / (std::f64::consts::PI.sqrt() * std::f64::consts::E * 12.0);
        assert!((largest - DT / gain).abs() < 1e-3 * largest, "{largest}");
    }

    const CORNERS: [f64; 4] = [4.0, 8.0, 20.0, 30.0];

    #[test]
    fn a_band_is_linear_and_its_own_adjoint() {
        let band = Band::of_corners(CORNERS, DT, 301);
        let (a, b) = (random(1, 301), random(2, 301));
        let (of_a, of_b) = (band.pass(a.clone()), band.pass(b.clone()));
        assert_adjoint([&a, &of_a], [&b, &of_b]);
        let mut both = [a.clone(), b.clone()];
        let [one, other] = &mut both;
        band.pass_both(one, other);
        let near = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-14);
        assert!(near(&both[0], &of_a) && near(&both[1], &of_b));
        // Tests the test: one sample late is seen.
        assert!((dot(&of_a[1..], &b) - dot(&a[1..], &of_b)).abs() > 1e-2);
        let sum = band.pass(a.iter().zip(&b).map(|(a, b)| 3.0 * a - b));
        let same = sum.iter().zip(of_a.iter().zip(&of_b));
        assert!(same.into_iter().all(|(sum, (a, b))| (sum - (3.0 * a - b)).abs() < 1e-12));
    }

    #[test]
    fn the_beginning_of_a_trace_does_not_reach_its_end() {
        let passed =
            Band::of_corners(CORNERS, DT, 512).pass((0..512).map(|n| f64::from(u8::from(n == 0))));
        let end = passed[400..].iter().fold(0.0f64, |m, v| m.max(v.abs()));
        assert!(end < 1e-2 * passed[0], "{end} {}", passed[0]);
    }
}
