//! The cost of a migration, known before it runs.

use super::Migration;
use crate::imaging::Estimate;

impl Migration<'_> {
    /// The cost, with modelling of `seconds` s, if known.
    pub fn estimate(&self, seconds: Option<f64>) -> Estimate {
        let (plan, every) = (self.plan, self.imaging.every);
        let (kept, at_once) = (self.costs(), self.at_once());
        // Forward, and back.
        let with_work =
            |seconds: f64| kept.iter().map(|cost| seconds * (cost.work + 1.0)).collect();
        Estimate {
            at_once,
            imaging_steps: plan.time.steps / every + 1,
            interval: every as f64 * plan.time.dt,
            why: self.why(),
            seconds: seconds.map(with_work),
            kept,
        }
    }
}
