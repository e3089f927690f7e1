//! What would keep the waves of a Plan in step: computed, one change at a time.

use super::{Plan, dispersion::Case, error::round_down};
use crate::{
    grid::Axes,
    stencil::{AxisOperator, Family, MAX_RADIUS, Window, largest_step},
};
use serde::Serialize;
use std::fmt;

/// A change to a job that would do, all else as it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "change")]
pub enum Remedy {
    /// A Taylor operator of a higher order.
    Order {
        /// The order.
        order: usize,
        /// The time step that it needs, s, where the present one is too long for it.
        step: Option<f64>,
    },
    /// A windowed sinc of a longer wing.
    Wing {
        /// Cells, on every axis.
        wing: usize,
        /// The time step that it needs, s, where the present one is too long for it.
        step: Option<f64>,
    },
    /// A finer grid with a time step as much shorter.
    Spacing {
        /// m
        spacing: Axes<f64>,
        /// Whether the model is 3-D.
        volume: bool,
        /// s
        step: f64,
    },
    /// A shorter time step.
    Step {
        /// s
        step: f64,
    },
    /// Time dispersion corrected in the traces.
    Corrected,
    /// Sources of lower frequency.
    Frequency {
        /// The highest peak frequency, Hz.
        peak_hz: f64,
    },
}

/// Says it in the keys of a job.
impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let with = |step: Option<f64>| {
            step.map_or_else(String::new, |step| format!(" with step = {step} or \"auto\""))
        };
        match *self {
            Remedy::Order { order, step } => write!(f, "order = {order}{}", with(step)),
            Remedy::Wing { wing, step } => write!(f, "wing = {wing}{}", with(step)),
            Remedy::Spacing { spacing: Axes { z, x, y }, volume, step } => {
                let even = z == x && (!volume || z == y);
                let y = if volume { format!(", y = {y}") } else { String::new() };
                match even {
                    true => write!(f, "spacing = {z}{}", with(Some(step))),
                    false => {
                        write!(f, "spacing = {{ z = {z}, x = {x}{y} }}{}", with(Some(step)))
                    }
                }
            }
            Remedy::Step { step } => write!(f, "step = {step}"),
            Remedy::Corrected => write!(f, "dispersion = \"corrected\" (traces only)"),
            Remedy::Frequency { peak_hz } => write!(f, "peak_hz = {peak_hz}"),
        }
    }
}

/// The part of a largest stable step that a remedy takes: what `auto` takes.
const STABLE: f64 = super::time::AUTO;
/// A grid, a step or a frequency is made smaller by this much at the most.
const LEAST: f64 = 1.0 / 64.0;
/// Halvings in which the largest that does is found: to four digits and better.
const HALVINGS: usize = 20;

impl Plan {
    /// The changes that would each keep its waves in step; none where they are, or where none would do.
    pub fn remedies(&self) -> Vec<Remedy> {
        let Some(case) = self.case().filter(|case| !does(case)) else { return Vec::new() };
        let finer = largest(|s| {
            let h = case.h.map(|h| s * h);
            self.family.on(h).is_ok_and(|operator| {
                does(&Case { operator: &operator, h, dt: s * case.dt, ..case })
            })
        });
        let shorter = largest(|s| does(&Case { dt: s * case.dt, ..case }));
        let corrected = case.dt > 0.0 && does(&Case { dt: 0.0, ..case });
        let lower = largest(|s| {
            let (dominant, highest) = (s * case.dominant, s * case.highest);
            does(&Case { dominant, highest, ..case })
        });
        let spacing = |s: f64| {
            let spacing = case.h.map(|h| round_down(s * h));
            Remedy::Spacing { spacing, volume: case.volume, step: round_down(s * self.time.dt) }
        };
        let all = [
            self.wider(&case),
            finer.map(spacing),
            corrected.then_some(Remedy::Corrected),
            shorter.map(|s| Remedy::Step { step: round_down(s * case.dt) }),
            lower.map(|s| Remedy::Frequency { peak_hz: round_down(s * case.dominant) }),
        ];
        all.into_iter().flatten().collect()
    }

    /// The narrowest wider operator that would do: of the same family or, where none does, of Taylor's.
    fn wider(&self, case: &Case<'_>) -> Option<Remedy> {
        let order = |from: usize| {
            (from..=MAX_RADIUS).step_by(2).find_map(|order| {
                let step = self.does_with(&Family::Taylor { order }, case)?;
                Some(Remedy::Order { order, step })
            })
        };
        match self.family {
            Family::Taylor { order: present } => order(present + 2),
            Family::WindowedSinc { window } => {
                let longest = window.z.wing.max(window.x.wing);
                let wing = (longest + 1..=MAX_RADIUS).find_map(|wing| {
                    let window = window.map(|window| Window { wing, ..window });
                    let step = self.does_with(&Family::WindowedSinc { window }, case)?;
                    Some(Remedy::Wing { wing, step })
                });
                wing.or_else(|| order(2))
            }
        }
    }

    /// Whether another operator would do and, if so, the time step that it needs where the present one is too
    /// long for it.
    fn does_with(&self, family: &Family, case: &Case<'_>) -> Option<Option<f64>> {
        let operator = family.on(case.h).ok()?;
        let limit = self.limit_of(&operator);
        let step = (self.time.dt > limit).then(|| round_down(STABLE * limit));
        // Where time dispersion is corrected, it is no shorter for that.
        let dt = step.map_or(case.dt, |step| step.min(case.dt));
        does(&Case { operator: &operator, dt, ..*case }).then_some(step)
    }

    fn limit_of(&self, operator: &Axes<AxisOperator>) -> f64 {
        let y = self.grid.is_volume().then_some(&operator.y);
        largest_step(f64::from(self.fastest), [&operator.z, &operator.x].into_iter().chain(y))
    }
}

/// Whether there is nothing to warn of.
fn does(case: &Case<'_>) -> bool {
    let dispersion = case.dispersion();
    !dispersion.is_out_of_step() && !dispersion.is_sparse()
}

/// The largest factor from [`LEAST`] to 1 that does, where all below it do.
fn largest(does: impl Fn(f64) -> bool) -> Option<f64> {
    if !does(LEAST) {
        return None;
    }
    let (mut good, mut bad) = (LEAST, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(good, bad);
        if does(middle) { good = middle } else { bad = middle }
    }
    Some(good)
}
