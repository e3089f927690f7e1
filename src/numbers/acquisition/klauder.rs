//! The Klauder wavelet: the autocorrelation of a linear sweep.

use super::WaveletError;
use std::f64::consts::{PI, TAU};

/// The autocorrelation of a linear sweep from f1 to f2 in T seconds, 1 at t = delay and zero T from
/// there (Klauder et al. 1960; as the real part of that of `exp(2 pi i (f1 t + k t^2 / 2))` in Ryan
/// 1994, "Ricker, Ormsby, Klauder, Butterworth - a choice of wavelets", CSEG Recorder, September
/// 1994). With k = (f2 - f1) / T, f0 = (f1 + f2) / 2 and t from the delay,
///
/// ```text
/// s = sin(pi k t (T - |t|)) / (pi k t T) cos(2 pi f0 t)
/// ```
///
/// Its envelope falls off as 1/t, so that it is long whatever the sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Klauder {
    /// First frequency of the sweep, Hz, above 0.
    pub from_hz: f64,
    /// Last frequency, Hz; above or below the first.
    pub to_hz: f64,
    /// Length T of the sweep, s.
    pub length: f64,
    /// Time of the maximum, s.
    pub delay: f64,
}

/// The zero of the envelope at which the wavelet starts with the default delay: from there on it is
/// below 1/(32 pi), 1 %.
const ZERO: f64 = 32.0;

impl Klauder {
    /// A delay, s, after which the wavelet starts at a zero of its envelope beyond which at most 1
    /// % of its peak is cut off, or nothing.
    pub fn delay(from_hz: f64, to_hz: f64, length: f64) -> f64 {
        // The envelope is zero where k t (T - t) is a whole number; k T^2 / 4 is the largest that
        // it reaches.
        let turns = (to_hz - from_hz).abs() * length;
        match 1.0 - 4.0 * ZERO / turns {
            root if root >= 0.0 => 0.5 * length * (1.0 - root.sqrt()),
            _ => length,
        }
    }

    pub(super) fn check(&self) -> Result<(), WaveletError> {
        let Klauder { from_hz, to_hz, length, .. } = *self;
        let positive = [from_hz, to_hz, length].iter().all(|v| v.is_finite() && *v > 0.0);
        match positive && from_hz != to_hz {
            true => Ok(()),
            false => Err(WaveletError::Sweep { from_hz, to_hz, length }),
        }
    }

    /// The middle of the sweep, Hz.
    pub(super) fn peak_hz(&self) -> f64 {
        0.5 * (self.from_hz + self.to_hz)
    }

    /// s(t), t in seconds.
    pub(crate) fn at(&self, t: f64) -> f64 {
        let (t, length) = ((t - self.delay).abs(), self.length);
        if t >= length {
            return 0.0;
        }
        let rate = (self.to_hz - self.from_hz) / length;
        let overlap = length - t;
        let x = PI * rate * t * overlap;
        let envelope = if x == 0.0 { overlap } else { overlap * x.sin() / x };
        envelope / length * (TAU * self.peak_hz() * t).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{dot, error};

    const KLAUDER: Klauder = Klauder { from_hz: 10.0, to_hz: 60.0, length: 6.0, delay: 6.0 };

    #[test]
    fn it_is_the_autocorrelation_of_a_sweep() {
        let dt = 5e-4;
        let count = (KLAUDER.length / dt) as usize;
        let phase = |t: f64| TAU * (10.0 * t + 0.5 * (50.0 / 6.0) * t * t);
        let sweep: Vec<f64> = (0..count).map(|n| phase((n as f64 + 0.5) * dt).cos()).collect();
        let lag = |lag: usize| dot(&sweep, &sweep[lag..]) * dt / (0.5 * KLAUDER.length);
        // Out to its end, near the middle and far from it.
        let lags = || (0..400).chain((400..count).step_by(7));
        let ours: Vec<f64> = lags().map(|n| KLAUDER.at(KLAUDER.delay + n as f64 * dt)).collect();
        let error = error(&ours, &lags().map(lag).collect::<Vec<_>>());
        // A real sweep also has the sum of frequencies, which the formula omits.
        assert!(error < 0.01, "{error}");
        println!("Klauder against the autocorrelation of a sweep: {:.2} %", 100.0 * error);
        assert_eq!((KLAUDER.at(6.0), KLAUDER.at(12.0), KLAUDER.at(0.0)), (1.0, 0.0, 0.0));
    }

    #[test]
    fn the_default_delay_starts_at_zero() {
        for (from_hz, to_hz, length) in [(10.0, 60.0, 6.0), (80.0, 8.0, 12.0), (5.0, 10.0, 2.0)] {
            let delay = Klauder::delay(from_hz, to_hz, length);
            let klauder = Klauder { from_hz, to_hz, length, delay };
            assert!(klauder.at(0.0).abs() < 1e-9, "{}", klauder.at(0.0));
            let before = (1..2000).map(|n| klauder.at(-1e-3 * f64::from(n)).abs());
            assert!(before.fold(0.0, f64::max) < 0.0102);
            assert!(delay <= length);
        }
    }
}
