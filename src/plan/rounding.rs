//! What f32 loses to time steps that are very short for their waves.
//!
//! A step rounds p to f32, 6e-8 of it, and the leapfrog sums such errors twice: with n steps a period they come to some
//! 6e-8 (n / 2 pi)^2 of the wave at the worst, in a case of 10 Hz 4e-5 at n = 1000 and 0.1 at n = 20,000. Where n is large, engines
//! therefore keep the increment d = p - p_prev in the place of p_prev:
//!
//! ```text
//! d <- d + (v dt)^2 (lap p + ...),   p <- p + d
//! ```
//!
//! What is lost where p is rounded is then not summed on, and d, some 2 pi / n of p, is rounded by as much less
//! (summed form; Henrici 1962, Error Propagation for Difference Methods). It costs another pass over both fields, so that it is
//! taken only where it pays.

use super::Plan;
use crate::remedy::{Refusal, Remedy, remedies};
use ndarray::Array3;
use serde::Serialize;
use std::{borrow::Cow, fmt};

/// Steps a period of the dominant frequency from which engines step by increments: 30 times as many as the longest
/// stable step has in a well sampled model. Below, rounding adds some 2e-5 to a trace.
const MANY: f64 = 600.0;
/// Points per wavelength that a field without a source is taken to have.
const POINTS: f64 = 20.0;
/// What steps by increments lose, for each step a period: a tenth of the rounding of d. 8e-10 was measured at 10^7 steps a
/// period, 3e-10 at 2 10^6.
const LOST: f64 = 1e-9;
/// Share of a wave from which a user is warned.
const TELLING: f64 = 1e-3;
/// Share of a wave from which a step is refused.
const MOST: f64 = 1e-2;

/// A time step so short that even increments are rounded away.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rounding {
    /// The step, s.
    pub dt: f64,
    /// What is lost, of the wave.
    pub share: f64,
    /// The shortest step that loses less than is worth a word, s.
    pub step: f64,
}

impl fmt::Display for Rounding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rounding { dt, share, .. } = self;
        write!(
            f,
            "a time step of {dt:e} s is so short for these waves that rounding to f32 takes up to {:.2} % of them, and \
             {} % is the limit; {}",
            100.0 * share,
            100.0 * TELLING,
            remedies(self)
        )
    }
}

impl std::error::Error for Rounding {}

impl Refusal for Rounding {
    fn remedies(&self) -> Vec<Remedy> {
        vec![Remedy::StepAtLeast { step: self.step }, Remedy::AutoStep]
    }
}

impl Rounding {
    /// Whether too much is lost to run.
    pub(super) fn is_too_much(&self) -> bool {
        self.share > MOST
    }
}

impl Plan {
    /// Steps a period of the dominant frequency; without a source, of waves of [`POINTS`] nodes.
    fn steps_a_period(&self) -> f64 {
        let h = self.grid.h;
        let coarsest = if self.grid.is_volume() { h.z.max(h.x).max(h.y) } else { h.z.max(h.x) };
        let sampled = f64::from(self.slowest) / (POINTS * coarsest);
        let frequency = if self.frequency > 0.0 { self.frequency } else { sampled };
        // A run of less than a period has seen no more steps than it has.
        (1.0 / (frequency * self.time.dt)).min(self.time.steps as f64)
    }

    /// Whether there are so many steps a period that increments pay.
    pub(super) fn steps_are_short(&self) -> bool {
        self.steps_a_period() > MANY
    }

    /// The field that an engine keeps beside p at t = 0, where it is not zero; shape `[y][x][z]`.
    pub fn second_field(&self) -> Option<Cow<'_, Array3<f32>>> {
        let initial = self.initial.as_ref()?;
        Some(match self.by_increments {
            false => Cow::Borrowed(&initial.before),
            true => Cow::Owned(&initial.now - &initial.before),
        })
    }

    /// What rounding takes of the waves, where it is worth a word.
    pub fn rounding(&self) -> Option<Rounding> {
        let (dt, share) = (self.time.dt, LOST * self.steps_a_period());
        let step = three_digits_up(dt * share / TELLING);
        (share > TELLING).then_some(Rounding { dt, share, step })
    }
}

/// Three significant digits, never below the value: a step that a user can copy.
fn three_digits_up(step: f64) -> f64 {
    let digit = 10f64.powi(step.log10().floor() as i32 - 2);
    // Through text, so that 1.01e-7 does not come out as 1.0099999999999999e-7.
    format!("{:.2e}", (step / digit).ceil() * digit).parse().unwrap_or(step)
}
