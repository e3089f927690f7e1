//! What reads the wavefield while it runs.
//!
//! A tap is declared here and implemented by each engine where its field lives, so that nothing but
//! what a tap brings out crosses to the host.

use super::{Brought, Focus, Plan, PlanError, Saved, Summed};
use crate::grid::Axis;
use std::sync::Arc;

/// A reader of the wavefield. A new one is a line here and a file an engine.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Tap {
    /// p at every receiver, every so many steps, the first at step 0.
    Traces {
        /// Steps between samples.
        every: usize,
    },
    /// p on the model's nodes at some steps, ascending.
    Snapshots {
        /// The steps.
        steps: Vec<usize>,
    },
    /// The largest of what the field was at each node of the model, and when.
    Focus {
        /// What is kept.
        focus: Focus,
        /// What leaves the engine of it, at the end of the run.
        brought: Brought,
    },
    /// The zero-lag correlation of two waves: the sum over looks, the first at step 0, of the products of the fields of each pair
    /// of shots, 1 and 2, 3 and 4, at each node of the model.
    Correlation {
        /// Steps between looks.
        every: usize,
    },
    /// Keeps the first differences p - p_prev on the model's nodes at imaging steps: the source wavefield, for another run.
    Store(Imaging),
    /// Saves the field on the ring of nodes just outside the model ([`Plan::ring`]) at every step, for a run that rebuilds the wave backward in time.
    Boundaries(Saved),
    /// Where the wave, which goes back in time ([`Plan::adjoint`]), meets a source wavefield: of each shot the image, the sum over
    /// imaging steps of the products of both differences, and the illumination, the sum of the squares of the source wavefield's.
    Imaging(Imaging),
    /// The same of the source wavefield an offset on, x + h, and the wave that goes back an offset before, x - h: offset gathers on a line of the
    /// model, of each shot or as [`Plan::summed`] says.
    OffsetGathers(Imaging, Offsets),
    /// Ends the run where |p| passes a limit that no stable run reaches, or is NaN.
    Watchdog {
        /// Steps between looks.
        every: usize,
        /// The limit.
        limit: f32,
    },
}

/// At which steps two waves are imaged, and where one is kept until then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imaging {
    /// Steps from one imaging step to the next; they are those that it divides, but for 0.
    pub every: usize,
    /// Imaging steps that are kept at once; what is kept of one stays until as many others were.
    pub slots: usize,
}

impl Imaging {
    /// Where a step of the source wavefield is kept, if it is an imaging step.
    pub fn slot(&self, step: usize) -> Option<usize> {
        let is_one = step > 0 && step.is_multiple_of(self.every);
        is_one.then(|| step / self.every % self.slots)
    }

    /// The same of a wave that is rebuilt backward in time, of `steps` in all: its difference at m is that of N - m, with the other sign.
    pub fn slot_rebuilt(&self, step: usize, steps: usize) -> Option<usize> {
        self.slot(steps.saturating_sub(step))
    }

    /// What a step of the wave that goes back meets, of `steps` in all: its difference at m is that of N + 1 - m and the one after.
    pub fn slot_back(&self, step: usize, steps: usize) -> Option<usize> {
        if step == 0 { None } else { self.slot((steps + 1).saturating_sub(step)) }
    }
}

/// Subsurface offsets h along an axis: waves are met 2 h apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offsets {
    /// x or z.
    pub along: Axis,
    /// The y of the line that gathers are made on, cells; 0 in 2-D.
    pub line: usize,
    /// The largest, cells; the smallest is as much below zero.
    pub most: usize,
    /// Cells from one to the next, which divide it.
    pub step: usize,
}

impl Offsets {
    /// How many there are.
    pub fn count(&self) -> usize {
        2 * self.most / self.step + 1
    }

    /// One of them, cells.
    pub fn at(&self, index: usize) -> isize {
        (index * self.step) as isize - self.most as isize
    }
}

impl Plan {
    /// The same wave that goes back with offset gathers beside its image.
    #[must_use]
    pub fn with_offsets(mut self, imaging: Imaging, offsets: &[Offsets]) -> Self {
        self.taps.extend(offsets.iter().map(|offsets| Tap::OffsetGathers(imaging, *offsets)));
        self
    }

    /// The same with the offset gathers of its shots summed so.
    #[must_use]
    pub fn with_sums(mut self, summed: Summed) -> Self {
        self.summed = Arc::new(summed);
        self
    }

    /// The same simulation with the fields of its pairs of shots correlated every so many steps.
    #[must_use]
    pub fn correlated(mut self, every: usize) -> Self {
        self.taps.push(Tap::Correlation { every });
        self
    }

    /// Shots that must advance together.
    pub fn together(&self) -> usize {
        let of = |tap: &Tap| match tap {
            Tap::Focus { focus, .. } => focus.groups.max(1),
            Tap::Correlation { .. } => 2,
            _ => 1,
        };
        // Groups of 3 and pairs are sets of 6.
        self.taps.iter().map(of).fold(1, |all, one| all / gcd(all, one) * one)
    }
}

/// The greatest common divisor.
fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Steps between the watchdog's looks: rare enough to cost nothing (a look reads 4 bytes a node where a step moves
/// 16 or more, so a quarter of a per cent), often enough that an instability of 1 % is caught before it
/// overflows.
pub(crate) const WATCHDOG_EVERY: usize = 100;

/// |p| may exceed the sum of all that was put in by this factor; nothing stable focuses so well.
const WATCHDOG_FACTOR: f64 = 1e4;

pub(super) fn all(plan: &Plan, duration: f64, snapshots: &[f64]) -> Result<Vec<Tap>, PlanError> {
    let mut taps = vec![watchdog(plan)];
    if plan.shots.iter().any(|shot| !shot.receivers.is_empty()) {
        taps.push(Tap::Traces { every: plan.time.record_every });
    }
    for (index, &at) in snapshots.iter().enumerate() {
        if !(at >= 0.0 && at <= duration * (1.0 + 1e-9)) {
            return Err(PlanError::Snapshot { index, at, duration });
        }
    }
    let steps = plan.time.steps_at(snapshots);
    if !steps.is_empty() {
        taps.push(Tap::Snapshots { steps });
    }
    Ok(taps)
}

/// What ends a run that blows up.
pub(super) fn watchdog(plan: &Plan) -> Tap {
    Tap::Watchdog { every: WATCHDOG_EVERY, limit: blow_up(plan) }
}

/// The |p| beyond which a run has blown up.
fn blow_up(plan: &Plan) -> f32 {
    (WATCHDOG_FACTOR * plan.most_injected()).clamp(f64::from(f32::MIN_POSITIVE), 1e37) as f32
}
