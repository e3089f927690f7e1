//! The rounding error of f32 with time steps that are very short for their waves.
//!
//! A step rounds p to f32, 6e-8 of it, and the leapfrog sums such errors twice: with n steps per
//! period they reach at worst some 6e-8 (n / 2 pi)^2 of the wave, in a case of 10 Hz 4e-5 at n =
//! 1000 and 0.1 at n = 20,000. If n is large, engines therefore keep the increment d = p - p_prev
//! instead of p_prev:
//!
//! ```text
//! d <- d + (v dt)^2 (lap p + ...),   p <- p + d
//! ```
//!
//! The rounding error of p is then not summed, and d, some 2 pi / n of p, has an error smaller by
//! that factor (summed form; Henrici 1962, Error Propagation for Difference Methods). It costs
//! another pass over both fields, so it is used only where it pays.

use super::Plan;
use ndarray::Array3;
use serde::Serialize;
use std::{borrow::Cow, fmt};

/// Steps per period of the dominant frequency from which engines use increments: 30 times as many
/// as the longest stable step has in a well sampled model. Below, rounding adds some 2e-5 to a
/// trace.
const STEPS_PER_PERIOD: f64 = 600.0;
/// Assumed points per wavelength of a field without a source.
const POINTS: f64 = 20.0;
/// The error with increments, per step per period: a tenth of the rounding of d. 8e-10 was measured
/// at 10^7 steps per period, 3e-10 at 2 10^6.
const LOSS_PER_STEP: f64 = 1e-9;
/// Relative error from which a user is warned.
const WARN_ABOVE: f64 = 1e-3;
/// Relative error from which a step is rejected.
const REFUSE_ABOVE: f64 = 1e-2;

/// A time step so short that even increments are rounded away.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rounding {
    /// The step, s.
    pub(crate) dt: f64,
    /// The relative error of the wave.
    pub(crate) share: f64,
    /// The shortest step that needs no warning, s.
    pub step: f64,
}

impl fmt::Display for Rounding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rounding { dt, share, step } = self;
        write!(
            f,
            "a time step of {dt:e} s is so short for these waves that rounding to f32 takes up to {:.2} % of them, and \
             {} % is the limit; use step = {step:e} or more, or step = \"auto\"",
            100.0 * share,
            100.0 * WARN_ABOVE,
        )
    }
}

impl std::error::Error for Rounding {}

impl Rounding {
    /// True if the error is too large to run.
    pub(super) fn is_too_much(&self) -> bool {
        self.share > REFUSE_ABOVE
    }
}

impl Plan {
    /// Steps per period of the dominant frequency; without a source, of waves of [`POINTS`] nodes.
    fn steps_a_period(&self) -> f64 {
        let coarsest = self.grid.h.largest(self.grid.is_volume());
        let sampled = f64::from(self.slowest) / (POINTS * coarsest);
        let frequency = if self.frequency > 0.0 { self.frequency } else { sampled };
        // A run of less than a period has only its own steps.
        (1.0 / (frequency * self.time.dt)).min(self.time.steps as f64)
    }

    /// True if there are so many steps per period that increments pay.
    pub(super) fn steps_are_short(&self) -> bool {
        self.steps_a_period() > STEPS_PER_PERIOD
    }

    /// The array that an engine keeps beside p at t = 0, if it is not zero; shape `[y][x][z]`.
    pub fn second_field(&self) -> Option<Cow<'_, Array3<f32>>> {
        let initial = self.initial.as_ref()?;
        Some(match self.by_increments {
            false => Cow::Borrowed(&initial.before),
            true => Cow::Owned(&initial.now - &initial.before),
        })
    }

    /// The rounding error of the waves, if it calls for a warning.
    pub(crate) fn rounding(&self) -> Option<Rounding> {
        let (dt, share) = (self.time.dt, LOSS_PER_STEP * self.steps_a_period());
        let step = three_digits_up(dt * share / WARN_ABOVE);
        (share > WARN_ABOVE).then_some(Rounding { dt, share, step })
    }
}

/// Rounds up to three significant digits: a step that a user can copy.
fn three_digits_up(step: f64) -> f64 {
    let digit = 10f64.powi(step.log10().floor() as i32 - 2);
    // Through text, so that 1.01e-7 does not come out as 1.0099999999999999e-7.
    format!("{:.2e}", (step / digit).ceil() * digit).parse().unwrap_or(step)
}

#[cfg(test)]
mod tests {
    use crate::testing::square;

    #[test]
    fn a_run_of_less_than_a_period_has_its_own_steps_alone() {
        assert!(!square(1e-4, 1e-6).by_increments);
        assert!(square(1e-3, 1e-6).by_increments);
    }
}
