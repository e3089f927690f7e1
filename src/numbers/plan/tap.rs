//! Taps: readers of the wavefield during a run.
//!
//! A tap is declared here and implemented by each engine in the memory of its field, so that only
//! its results cross to the host.

use super::{Focus, FocusOutput, Mask, Plan, PlanError, Summed};
use crate::grid::Axis;
use std::sync::Arc;

/// A reader of the wavefield. A new one is a line here and a file per engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Tap {
    /// p at every receiver, every few steps, the first at step 0.
    Traces {
        /// Steps between samples.
        every: usize,
    },
    /// p on the model's nodes at some steps, ascending.
    Snapshots {
        /// Counted from the start of the run.
        steps: Vec<usize>,
    },
    /// The largest value of the field at each node of the model, and its time.
    Focus {
        /// The mapped quantity.
        focus: Focus,
        /// The results to report, at the end of the run.
        output: FocusOutput,
    },
    /// Stores the first differences p - p_prev on the model's nodes at imaging steps: the source
    /// wavefield, for another run.
    Store(Imaging),
    /// Correlates a backward wave ([`Plan::adjoint`]) with a source wavefield. For each shot: the
    /// image, the sum over imaging steps of the products of both differences, and the illumination,
    /// the sum of the squares of the source wavefield's.
    Imaging(Imaging),
    /// Correlates the source wavefield at x + h with the backward wave at x - h: offset gathers on
    /// a line of the model, for each shot or as [`Plan::summed`] says.
    OffsetGathers(Imaging, Offsets),
    /// Ends the run if |p| exceeds a limit that no stable run reaches, or is NaN.
    Watchdog {
        /// Steps between looks.
        every: usize,
        /// The largest |p| allowed.
        limit: f32,
    },
}

/// The steps at which two waves are correlated, and the storage of the first until then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imaging {
    /// Steps between imaging steps: those that it divides, except 0.
    pub every: usize,
    /// Imaging steps that are stored at once; a slot is reused after this many others.
    pub slots: usize,
}

impl Imaging {
    /// The slot of a step of the source wavefield, if it is an imaging step.
    pub fn slot(&self, step: usize) -> Option<usize> {
        let is_one = step > 0 && step.is_multiple_of(self.every);
        is_one.then(|| step / self.every % self.slots)
    }

    /// The slot read at a step of the backward wave, with `steps` steps in all: step m meets the
    /// difference of step N + 1 - m.
    pub fn slot_back(&self, step: usize, steps: usize) -> Option<usize> {
        if step == 0 { None } else { self.slot((steps + 1).saturating_sub(step)) }
    }
}

/// Subsurface offsets h along an axis: the correlated points are 2 h apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offsets {
    /// x or z.
    pub along: Axis,
    /// The y of the line of the gathers, cells; 0 in 2-D.
    pub line: usize,
    /// The largest offset, cells; the smallest is its negative.
    pub most: usize,
    /// Cells from one to the next, which divide the largest.
    pub step: usize,
}

impl Offsets {
    /// Number of offsets.
    pub fn count(&self) -> usize {
        2 * self.most / self.step + 1
    }

    /// The offset at an index, cells.
    pub fn at(&self, index: usize) -> isize {
        (index * self.step) as isize - self.most as isize
    }
}

impl Plan {
    /// Adds a focus tap. Every `groups` consecutive shots form one map.
    #[must_use]
    pub fn focused(mut self, focus: Focus) -> Self {
        self.taps.push(Tap::Focus { focus, output: FocusOutput::Maps });
        self
    }

    /// Adds a focus tap that reports only summaries.
    #[must_use]
    pub fn summarised(mut self, focus: Focus, mask: Mask) -> Self {
        self.taps.push(Tap::Focus { focus, output: FocusOutput::Summaries(Arc::new(mask)) });
        self
    }

    /// The focus tap, if any.
    pub fn focus(&self) -> Option<&Focus> {
        self.taps.iter().find_map(|tap| match tap {
            Tap::Focus { focus, .. } => Some(focus),
            _ => None,
        })
    }

    /// Adds offset gathers to the image of a backward wave.
    #[must_use]
    pub fn with_offsets(mut self, imaging: Imaging, offsets: &[Offsets]) -> Self {
        self.taps.extend(offsets.iter().map(|offsets| Tap::OffsetGathers(imaging, *offsets)));
        self
    }

    /// Sums the offset gathers of its shots.
    #[must_use]
    pub fn with_sums(mut self, summed: Summed) -> Self {
        self.summed = Arc::new(summed);
        self
    }

    /// The size of sets of shots that must advance together.
    pub fn set_size(&self) -> usize {
        self.focus().map_or(1, |focus| focus.groups.max(1))
    }
}

/// Steps between the watchdog's looks: rare enough to cost nothing (a look reads 4 bytes per node
/// where a step moves 16 or more, so 0.25 %), often enough to catch an instability of 1 % before it
/// overflows.
pub const WATCHDOG_EVERY: usize = 100;

/// The largest ratio of |p| to the sum of everything injected; nothing stable focuses so well.
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

/// The tap that ends a run that blows up.
pub(super) fn watchdog(plan: &Plan) -> Tap {
    let limit = WATCHDOG_FACTOR * plan.most_injected();
    let limit = limit.clamp(f64::from(f32::MIN_POSITIVE), 1e37) as f32;
    Tap::Watchdog { every: WATCHDOG_EVERY, limit }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::square;

    #[test]
    fn a_backward_wave_meets_the_difference_of_its_time() {
        let imaging = Imaging { every: 5, slots: 3 };
        let met: Vec<_> = (0..=20).map(|step| imaging.slot_back(step, 20)).collect();
        for (step, slot) in met.iter().enumerate() {
            // Steps 20, 15, 10 and 5 of the forward wave.
            let known = [(1, 1), (6, 0), (11, 2), (16, 1)].into_iter().find(|at| at.0 == step);
            assert_eq!(*slot, known.map(|(_, slot)| slot), "{step}");
        }
    }

    #[test]
    fn the_end_of_the_run_can_be_seen() {
        let plan = square(0.01, 1e-3);
        let taps = all(&plan, 0.01, &[0.0, 0.01]).expect("both are in the run");
        assert_eq!(taps.last(), Some(&Tap::Snapshots { steps: vec![0, 10] }));
        assert!(all(&plan, 0.01, &[0.011]).is_err());
    }
}
