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
    /// The largest sum of v^2 over a window that moves by halves of itself.
    Energy {
        /// Looks in half a window, at least 1.
        half: usize,
    },
}

impl Condition {
    /// Whether the value of a look with this number ends half a window.
    pub(crate) fn ends_half(self, look: usize) -> bool {
        matches!(self, Condition::Energy { half } if (look + 1).is_multiple_of(half))
    }

    /// Looks from the middle of what is kept to the look at which it is kept.
    pub(crate) fn delay(self) -> usize {
        match self {
            Condition::Amplitude => 0,
            Condition::Energy { half } => half,
        }
    }
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

    /// Shots that must advance together.
    pub fn together(&self) -> usize {
        self.focus().map_or(1, |focus| focus.groups)
    }
}
