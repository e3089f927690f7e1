//! A Gaussian and its derivatives.

use super::{WaveletError, positive_peak};
use std::f64::consts::PI;

/// The derivative of order n of `exp(-a (t - delay)^2)`, scaled so that the largest |s| is 1. It
/// keeps the derivative's sign, so order 2 is a negative Ricker wavelet.
///
/// With x = sqrt(a) (t - delay) it is `(-1)^n H_n(x) exp(-x^2)` up to scale, H_n being the Hermite
/// polynomial (Abramowitz and Stegun 1972, 22.11.7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gaussian {
    /// Order n of the derivative, 0 to [`Gaussian::HIGHEST`].
    pub derivative: usize,
    /// Frequency of the largest amplitude, Hz. The spectrum of order 0 falls from its value at
    /// 0 Hz: here it is 1/e of that.
    pub peak_hz: f64,
    /// Time of the Gaussian's middle, s.
    pub delay: f64,
}

impl Gaussian {
    /// The highest order: above it the wavelet is nearly a cosine under a bell.
    pub const HIGHEST: usize = 10;

    /// A delay after which the wavelet starts below 1e-7 of its peak, s; at order 2 1.5 periods, as
    /// for a Ricker wavelet.
    pub fn delay(derivative: usize, peak_hz: f64) -> f64 {
        (1.5 * PI + 0.1 * (derivative as f64 - 2.0)) / root_a(derivative, peak_hz)
    }

    pub(super) fn check(&self) -> Result<(), WaveletError> {
        if self.derivative > Self::HIGHEST {
            return Err(WaveletError::Derivative(self.derivative));
        }
        positive_peak(self.peak_hz)
    }

    /// s at each of some times, s.
    pub(super) fn samples(&self, times: impl Iterator<Item = f64>) -> Vec<f64> {
        let scale = 1.0 / self.largest();
        let root = root_a(self.derivative, self.peak_hz);
        times.map(|t| scale * derivative(self.derivative, root * (t - self.delay))).collect()
    }

    /// The largest |`derivative`|: in the middle for even orders, else where the next order is
    /// zero.
    fn largest(&self) -> f64 {
        let n = self.derivative;
        if n.is_multiple_of(2) {
            return derivative(n, 0.0).abs();
        }
        // The next order falls through its first zero between 0 and the turning point sqrt(2 n).
        let next = |x: f64| derivative(n + 1, x) / derivative(n + 1, 0.0);
        let (mut low, mut high) = (
            0.0,
            (1..)
                .map(|k| 0.1 * f64::from(k))
                .find(|x| next(*x) <= 0.0)
                .expect("a derivative of a Gaussian crosses zero"),
        );
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if next(middle) > 0.0 { low = middle } else { high = middle }
        }
        derivative(n, low).abs()
    }
}

/// sqrt(a), 1/s. The spectrum `w^n exp(-w^2 / (4 a))` is largest at w = sqrt(2 a n).
fn root_a(derivative: usize, peak_hz: f64) -> f64 {
    match derivative {
        0 => PI * peak_hz,
        n => PI * peak_hz * (2.0 / n as f64).sqrt(),
    }
}

/// `d^n/dx^n exp(-x^2) = (-1)^n H_n(x) exp(-x^2)`, with `H_n+1 = 2 x H_n - 2 n H_n-1`.
fn derivative(n: usize, x: f64) -> f64 {
    let (mut before, mut now) = (0.0, (-x * x).exp());
    for k in 0..n {
        (before, now) = (now, -2.0 * (x * now + k as f64 * before));
    }
    now
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_the_derivative_of_the_one_before_and_peaks_at_one() {
        assert_eq!([0.0, -1.5].map(|x| derivative(0, x)), [1.0, (-2.25f64).exp()]);
        for n in 1..=Gaussian::HIGHEST {
            let h = 1e-5;
            for x in [-1.3, 0.4, 2.1] {
                let slope = (derivative(n - 1, x + h) - derivative(n - 1, x - h)) / (2.0 * h);
                let exact = derivative(n, x);
                assert!(
                    (slope - exact).abs() < 1e-7 * exact.abs().max(1e3),
                    "{n}: {slope} {exact}"
                );
            }
            let gaussian = Gaussian { derivative: n, peak_hz: 10.0, delay: 0.5 };
            let samples = gaussian.samples((0..20_000).map(|k| 5e-5 * f64::from(k)));
            let peak = samples.iter().fold(0.0f64, |m, s| m.max(s.abs()));
            assert!((peak - 1.0).abs() < 1e-4, "{n}: {peak}");
        }
    }

    #[test]
    fn the_default_delay_starts_near_zero() {
        for derivative in 0..=Gaussian::HIGHEST {
            let delay = Gaussian::delay(derivative, 7.0);
            let gaussian = Gaussian { derivative, peak_hz: 7.0, delay };
            let first = gaussian.samples([0.0].into_iter())[0].abs();
            assert!(first < 1e-7, "{derivative}: {first:e} after {delay} s");
        }
        assert!((Gaussian::delay(2, 10.0) - 0.15).abs() < 1e-15);
    }
}
