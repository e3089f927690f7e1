//! Where waves that run backward meet: what is kept of a field to find its sources.

use super::{Mask, Plan, Tap};
use serde::Serialize;
use std::sync::Arc;

/// What a [`Tap::Focus`] keeps at each node of the model.
///
/// At a look the fields of `groups` consecutive shots are one value, the geometric mean `v` of their |p|, so that
/// only where all of them are strong is it strong (the multiplicative condition of Nakata and Beroza 2016).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Focus {
    /// Steps between looks.
    pub every: usize,
    /// Shots that are one map: 1, or the receiver groups that run backward each by itself.
    pub groups: usize,
    /// Of what the largest is kept.
    pub condition: Condition,
}

/// The imaging condition of a focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Condition {
    /// The largest v.
    Amplitude,
    /// The largest sum of v^2 over a window whose quarters weigh 1, 3, 3 and 1, so that it has a middle, and which moves by
    /// quarters of itself; of three windows that follow each other, with the second the largest, the vertex of the parabola
    /// through them, and when it is.
    Energy {
        /// Looks in a quarter of a window, at least 1.
        quarter: usize,
    },
}

/// Sums of quarters that three windows, each a quarter after the one before, are made of.
pub(crate) const QUARTERS: usize = 6;

/// What a look at the field does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// The step of what it sees; of the energy the middle of the window that ends with it, which may be before the run.
    pub step: i32,
    /// Of the energy: to which of the [`QUARTERS`] it adds, in a circle.
    pub quarter: usize,
    /// Whether it is the first of a quarter, and the last.
    pub begins: bool,
    pub ends: bool,
}

/// What an engine brings out of the maps of a [`Focus`].
#[derive(Clone, Debug, PartialEq)]
pub enum Brought {
    /// All of them, to [`crate::engine::Observer::focus`].
    Maps,
    /// What matters of each where a mask leaves it, to [`crate::engine::Observer::summary`]: a few bytes a map.
    Summaries(Arc<Mask>),
}

/// Looks in a period of the dominant frequency: at most 1 - cos(pi / 15) = 2 % of a peak is missed.
const LOOKS: f64 = 15.0;

impl Focus {
    /// Steps between looks that are often enough for waves of mostly `dominant` Hz; 1 where that is 0.
    pub fn every(dt: f64, dominant: f64) -> usize {
        if dominant > 0.0 { ((1.0 / (LOOKS * dominant * dt)) as usize).max(1) } else { 1 }
    }

    /// The energy in windows of a period of `dominant` Hz, looked at every so many steps of `dt`.
    pub fn energy(dt: f64, dominant: f64, every: usize) -> Condition {
        let looks = 1.0 / (dominant * dt * every as f64);
        Condition::Energy { quarter: ((0.25 * looks).round() as usize).max(1) }
    }

    /// What the look at a step does.
    pub(crate) fn look(&self, step: usize) -> Look {
        let number = step / self.every;
        let quarter = match self.condition {
            Condition::Amplitude => {
                return Look { step: step as i32, quarter: 0, begins: true, ends: true };
            }
            Condition::Energy { quarter } => quarter,
        };
        // From the middle of a window of an even number of looks to its last.
        let late = (2 * quarter * self.every) as i32 - self.every as i32 / 2;
        Look {
            step: step as i32 - late,
            quarter: number / quarter % QUARTERS,
            begins: number.is_multiple_of(quarter),
            ends: (number + 1).is_multiple_of(quarter),
        }
    }

    /// Steps from a window to the next.
    pub(crate) fn quarter_steps(&self) -> usize {
        match self.condition {
            Condition::Amplitude => 0,
            Condition::Energy { quarter } => quarter * self.every,
        }
    }
}

impl Plan {
    /// The same simulation with a focus looked for. Its shots are sets of `groups` that follow each other.
    #[must_use]
    pub fn focused(mut self, focus: Focus) -> Self {
        self.taps.push(Tap::Focus { focus, brought: Brought::Maps });
        self
    }

    /// The same, of whose maps only what matters leaves the engine.
    #[must_use]
    pub fn summarised(mut self, focus: Focus, mask: Mask) -> Self {
        self.taps.push(Tap::Focus { focus, brought: Brought::Summaries(Arc::new(mask)) });
        self
    }

    /// The focus that is looked for.
    pub fn focus(&self) -> Option<&Focus> {
        self.taps.iter().find_map(|tap| match tap {
            Tap::Focus { focus, .. } => Some(focus),
            _ => None,
        })
    }
}
