//! Gain: balances the amplitudes of a gather before drawing, so that late and far reflections show
//! beside the direct wave.

use ndarray::{ArrayView2, CowArray, Ix2};

use super::RenderError;
use super::sample_axis::SampleAxis;
use super::scale::raised;
use crate::conditioning::gain::{MOST_POWER, agc, power_of_time};

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
        let checked = "a figure checks its interval and its gain";
        power_of_time(&mut gained, interval, self.power).expect(checked);
        if let Some(window) = self.window {
            agc(&mut gained, interval, window).expect(checked);
        }
        gained.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gain_control_follows_a_power_of_time() {
        let mut traces = ndarray::Array2::from_shape_fn((2, 90), |(r, k)| ((r + k) as f32).sin());
        let gain = Gain { power: 2.0, window: Some(0.03), ..Gain::default() };
        let gained = gain.apply(traces.view(), 1e-3).into_owned();
        assert_eq!(Gain::default().apply(traces.view(), 1e-3), traces, "as it was recorded");
        power_of_time(&mut traces, 1e-3, 2.0).expect("a power");
        agc(&mut traces, 1e-3, 0.03).expect("a window");
        assert_eq!(gained, traces);
    }

    #[test]
    fn bad_gains_are_refused() {
        let good = Gain { power: 2.0, window: Some(0.5), clip: 100.0 };
        assert!(good.check().is_ok());
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
    }
}
