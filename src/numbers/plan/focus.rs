//! Focusing of waves that run backward: the maps that locate their sources.

use super::Mask;
use serde::Serialize;
use std::sync::Arc;

/// The map of a [`super::Tap::Focus`] at each node of the model.
///
/// At a look the fields of `groups` consecutive shots are combined into the geometric mean `v` of
/// their |p|, which is large only where all of them are (the multiplicative condition of Nakata and
/// Beroza 2016).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Focus {
    /// Steps between looks.
    pub every: usize,
    /// Shots per map: 1, or the number of receiver groups that run backward separately.
    pub groups: usize,
    /// The quantity whose largest value is kept.
    pub condition: Condition,
}

/// The imaging condition of a focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Condition {
    /// The largest v.
    Amplitude,
    /// v^2 summed over a window of four quarters weighted 1, 3, 3, 1, which moves by a quarter at a
    /// time. The value and time are those of the vertex of the parabola through the largest sum and
    /// its two neighbours.
    Energy {
        /// Looks per quarter of a window, at least 1.
        quarter: usize,
    },
}

/// Quarters that three windows cover, each a quarter after the previous one.
pub const QUARTERS: usize = 6;

/// The role of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// The step of the value; for the energy, the middle of the window that ends with it, which may
    /// be before the run.
    pub step: i32,
    /// For the energy: index of its quarter in the ring of [`QUARTERS`].
    pub quarter: usize,
    /// Whether it is the first of a quarter.
    pub begins: bool,
    /// Whether it is the last of a quarter.
    pub ends: bool,
}

/// The results of a [`Focus`] that an engine reports.
#[derive(Clone, Debug, PartialEq)]
pub enum FocusOutput {
    /// All maps, to `Observer::focus`.
    Maps,
    /// A summary of each map where a mask admits nodes, to `Observer::summary`: a
    /// few bytes per map.
    Summaries(Arc<Mask>),
}

/// Looks per period of the dominant frequency: at most 1 - cos(pi / 15) = 2 % of a peak is missed.
const LOOKS: f64 = 15.0;

impl Focus {
    /// Steps between looks that resolve waves of mostly `dominant` Hz; 1 if that is 0.
    pub fn every(dt: f64, dominant: f64) -> usize {
        if dominant > 0.0 { ((1.0 / (LOOKS * dominant * dt)) as usize).max(1) } else { 1 }
    }

    /// The energy in windows of a period of `dominant` Hz, with a look every `every` steps of `dt`.
    pub fn energy(dt: f64, dominant: f64, every: usize) -> Condition {
        let looks = 1.0 / (dominant * dt * every as f64);
        Condition::Energy { quarter: ((0.25 * looks).round() as usize).max(1) }
    }

    /// True if its maps grow with the square of the field.
    pub fn is_square(&self) -> bool {
        matches!(self.condition, Condition::Energy { .. })
    }

    /// The role of the look at a step.
    pub fn look(&self, step: usize) -> Look {
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

    /// Steps from one window to the next.
    pub fn quarter_steps(&self) -> usize {
        match self.condition {
            Condition::Amplitude => 0,
            Condition::Energy { quarter } => quarter * self.every,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_a_period_and_its_value_that_of_its_middle() {
        let condition = Focus::energy(1e-3, 10.0, 5);
        assert_eq!(condition, Condition::Energy { quarter: 5 });
        let focus = Focus { every: 5, groups: 1, condition };
        // The first window: 20 looks, at steps 0 to 95.
        let look = focus.look(95);
        assert_eq!(look, Look { step: 47, quarter: 3, begins: false, ends: true });
        assert_eq!(focus.quarter_steps(), 25);
    }
}
