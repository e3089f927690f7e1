//! The Ormsby wavelet: a band with straight flanks.

use super::WaveletError;
use std::f64::consts::PI;

/// The zero-phase wavelet whose amplitude spectrum rises from 0 at f1 to its full value at f2 and
/// falls from f3 to 0 at f4, in straight lines; 1 at t = delay (Ryan 1994, "Ricker, Ormsby,
/// Klauder, Butterworth - a choice of wavelets", CSEG Recorder, September 1994). Up to scale, with
/// sinc x = sin x / x and t from the delay,
///
/// ```text
/// s = pi (f4^2 sinc^2(pi f4 t) - f3^2 sinc^2(pi f3 t)) / (f4 - f3)
///   - pi (f2^2 sinc^2(pi f2 t) - f1^2 sinc^2(pi f1 t)) / (f2 - f1)
/// ```
///
/// It falls off as 1/t^2, the slower the steeper its flanks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ormsby {
    /// f1 < f2 <= f3 < f4, Hz; f1 may be 0.
    pub corners_hz: [f64; 4],
    /// Time of the maximum, s.
    pub delay: f64,
}

/// The largest value cut off at the start with the default delay, relative to the peak.
const START: f64 = 1e-3;

impl Ormsby {
    /// A delay after which the wavelet starts below 1e-3 of its peak, s.
    pub fn delay(corners_hz: [f64; 4]) -> f64 {
        // |s| is at most (1 / (f4 - f3) + 1 / (f2 - f1)) / (pi t)^2 over f4 + f3 - f2 - f1.
        let [f1, f2, f3, f4] = corners_hz;
        let flanks = 1.0 / (f4 - f3) + 1.0 / (f2 - f1);
        (flanks / (START * (f4 + f3 - f2 - f1))).sqrt() / PI
    }

    pub(super) fn check(&self) -> Result<(), WaveletError> {
        let [f1, f2, f3, f4] = self.corners_hz;
        if f4.is_finite() && f1 >= 0.0 && f1 < f2 && f2 <= f3 && f3 < f4 {
            return Ok(());
        }
        Err(WaveletError::Corners(self.corners_hz))
    }

    /// The middle of its flat band, Hz.
    pub(super) fn peak_hz(&self) -> f64 {
        0.5 * (self.corners_hz[1] + self.corners_hz[2])
    }

    /// s(t), t in seconds.
    pub(crate) fn at(&self, t: f64) -> f64 {
        let [f1, f2, f3, f4] = self.corners_hz;
        let lobe = |f: f64| (f * sinc(PI * f * (t - self.delay))).powi(2);
        let sum = (lobe(f4) - lobe(f3)) / (f4 - f3) - (lobe(f2) - lobe(f1)) / (f2 - f1);
        sum / (f4 + f3 - f2 - f1)
    }
}

/// `sin x / x`.
fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x.sin() / x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::amplitude_at;

    const ORMSBY: Ormsby = Ormsby { corners_hz: [5.0, 10.0, 40.0, 50.0], delay: 4.0 };

    #[test]
    fn its_spectrum_is_a_trapezium() {
        assert!((ORMSBY.at(4.0) - 1.0).abs() < 1e-15);
        assert!((ORMSBY.at(3.9) - ORMSBY.at(4.1)).abs() < 1e-12, "zero phase");
        let samples: Vec<f64> = (0..8000).map(|n| ORMSBY.at(1e-3 * f64::from(n))).collect();
        // The area is f4 + f3 - f2 - f1 over both sides of 0 Hz, as s is 1 in the middle.
        let flat = 1.0 / 75.0;
        for (hz, wanted) in [
            (2.0, 0.0),
            (5.0, 0.0),
            (7.5, 0.5),
            (10.0, 1.0),
            (25.0, 1.0),
            (40.0, 1.0),
            (45.0, 0.5),
            (50.0, 0.0),
            (60.0, 0.0),
        ] {
            let ours = amplitude_at(&samples, 1e-3, hz) / flat;
            // Four seconds round off a corner by about 1 / 4 s, in units of the flank's width.
            assert!((ours - wanted).abs() < 0.02, "{hz} Hz: {ours}, not {wanted}");
        }
    }

    #[test]
    fn the_default_delay_starts_near_zero() {
        for corners_hz in [[5.0, 10.0, 40.0, 50.0], [0.0, 1.0, 2.0, 3.0], [8.0, 20.0, 20.0, 90.0]] {
            let ormsby = Ormsby { corners_hz, delay: Ormsby::delay(corners_hz) };
            assert!(ormsby.at(0.0).abs() <= START, "{}", ormsby.at(0.0));
            assert!(ormsby.delay < 40.0 / (corners_hz[3] - corners_hz[0]), "{}", ormsby.delay);
        }
    }
}
