//! Gain: balances the amplitudes of a gather before drawing, so that late and far reflections show
//! beside the direct wave.

use ndarray::{ArrayView2, CowArray, Ix2};

use super::RenderError;
use super::sample_axis::SampleAxis;
use super::scale::raised;
use crate::conditioning::gain::{MOST_POWER, control, raise};

/// Gain and clipping of a gather.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// Samples are multiplied by time to this power, 0 to 10; 2 compensates spherical spreading and
    /// attenuation.
    pub power: f64,
    /// Window of the automatic gain control, s: samples are divided by the RMS of the window around
    /// them.
    pub window: Option<f64>,
    /// Percentile of the amplitudes, above 0 to 100, at which they are clipped.
    pub clip: f64,
}

impl Default for Gain {
    fn default() -> Self {
        Self { power: 0.0, window: None, clip: 98.5 }
    }
}

impl Gain {
    /// Returns an error for a value out of range.
    ///
    /// # Errors
    ///
    /// [`RenderError`] with the value and its range.
    pub fn check(&self) -> Result<(), RenderError> {
        if !(self.clip > 0.0 && self.clip <= 100.0) {
            return Err(RenderError::Percentile { percentile: self.clip });
        }
        if !(0.0..=MOST_POWER).contains(&self.power) {
            return Err(RenderError::Gain { power: self.power, most: MOST_POWER });
        }
        match self.window {
            Some(window) if !(window.is_finite() && window > 0.0) => {
                Err(RenderError::Window { window })
            }
            _ => Ok(()),
        }
    }

    /// True if amplitudes are left as they are.
    pub(super) fn is_none(&self) -> bool {
        self.power == 0.0 && self.window.is_none()
    }

    /// Description of the gain, for titles.
    pub(super) fn words(&self, samples: SampleAxis) -> String {
        let (mut words, along) = (String::new(), samples.symbol());
        if self.power != 0.0 {
            words += &match self.power.fract() == 0.0 {
                true => format!(", times {along}{}", raised(self.power as i32)),
                false => format!(", times {along}^{}", self.power),
            };
        }
        if let Some(window) = self.window {
            words += &format!(", AGC {window} {}", samples.unit());
        }
        words
    }

    /// The traces [receiver, time] with gain, at a sampling interval in seconds. AGC follows the
    /// power of time.
    pub(super) fn apply<'a>(
        &self,
        traces: ArrayView2<'a, f32>,
        interval: f64,
    ) -> CowArray<'a, f32, Ix2> {
        if self.is_none() {
            return traces.into();
        }
        let mut gained = traces.to_owned();
        raise(&mut gained, (interval, 0.0), self.power);
        if let Some(window) = self.window {
            control(&mut gained, interval, window);
        }
        gained.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    /// A wave that decays as 1 / t^2; sample k is at k ms.
    fn fading() -> Array2<f32> {
        Array2::from_shape_fn((2, 2000), |(_, k)| {
            let t = k as f32 * 1e-3;
            (60.0 * t).sin() / t.max(0.01).powi(2)
        })
    }

    /// Its largest amplitude between two times, ms.
    fn largest(traces: &CowArray<'_, f32, Ix2>, from: usize, to: usize) -> f32 {
        traces.slice(ndarray::s![0, from..to]).iter().fold(0.0, |most, v| most.max(v.abs()))
    }

    #[test]
    fn a_power_of_time_makes_up_for_fading() {
        let traces = fading();
        let gain = Gain { power: 2.0, ..Gain::default() };
        let gained = gain.apply(traces.view(), 1e-3);
        for from in [300, 1000, 1800] {
            assert!((largest(&gained, from, from + 200) - 1.0).abs() < 0.01, "{from}");
        }
        let none = Gain::default().apply(traces.view(), 1e-3);
        assert_eq!(none, traces, "as it was recorded");
    }

    #[test]
    fn agc_makes_windows_alike_and_silence_stays_silent() {
        let mut traces = fading();
        traces.slice_mut(ndarray::s![.., ..500]).fill(1e-30);
        traces[[1, 1500]] = f32::NAN;
        let gain = Gain { window: Some(0.3), ..Gain::default() };
        let gained = gain.apply(traces.view(), 1e-3);
        assert!(largest(&gained, 0, 300) < 1e-3);
        for from in [800, 1200, 1600] {
            // The peak of a sine is sqrt(2) times its RMS.
            let peak = largest(&gained, from, from + 200);
            assert!((1.2..1.9).contains(&peak), "{from}: {peak}");
        }
        let bad = gained.iter().filter(|sample| !sample.is_finite()).count();
        assert_eq!(bad, 1, "it spoils no other");
    }

    #[test]
    fn bad_gains_are_refused() {
        let good = Gain::default();
        for bad in [
            Gain { clip: 0.0, ..good },
            Gain { clip: f64::NAN, ..good },
            Gain { clip: 100.5, ..good },
            Gain { power: -1.0, ..good },
            Gain { power: f64::NAN, ..good },
            Gain { window: Some(0.0), ..good },
            Gain { window: Some(f64::INFINITY), ..good },
        ] {
            assert!(bad.check().is_err(), "{bad:?}");
        }
        assert!(Gain { power: 2.0, window: Some(0.5), clip: 100.0 }.check().is_ok());
    }
}
