//! The Ricker wavelet: the second derivative of a Gaussian (Ricker 1953).

use std::f64::consts::PI;

/// `s(t) = (1 - 2 a) exp(-a)`, `a = (pi f (t - delay))^2`: 1 at t = delay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ricker {
    /// Peak frequency f, Hz.
    pub peak_hz: f64,
    /// Time of the maximum, s.
    pub delay: f64,
}

impl Ricker {
    /// A delay after which the wavelet starts at 1e-8 of its peak, s: 1.5 periods.
    pub fn delay(peak_hz: f64) -> f64 {
        1.5 / peak_hz
    }

    /// s(t), t in seconds.
    pub fn at(&self, t: f64) -> f64 {
        let a = (PI * self.peak_hz * (t - self.delay)).powi(2);
        (1.0 - 2.0 * a) * (-a).exp()
    }
}
