//! The Ricker wavelet: the second derivative of a Gaussian (Ricker 1953).

use super::WaveletError;
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
    pub(super) fn check(&self) -> Result<(), WaveletError> {
        if !(self.peak_hz.is_finite() && self.peak_hz > 0.0) {
            return Err(WaveletError::Peak(self.peak_hz));
        }
        if !self.delay.is_finite() {
            return Err(WaveletError::Delay(self.delay));
        }
        Ok(())
    }

    /// s(t), t in seconds.
    pub fn at(&self, t: f64) -> f64 {
        let a = (PI * self.peak_hz * (t - self.delay)).powi(2);
        (1.0 - 2.0 * a) * (-a).exp()
    }
}
