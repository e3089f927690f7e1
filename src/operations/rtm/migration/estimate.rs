//! The cost of a migration, known before it runs.

use super::Migration;
use crate::{imaging::Estimate, plan::Offsets};

/// Time of a product of both waves at an offset over that of a node's step: measured on two CPU
/// cores (docs/notebook.md).
const PRODUCT: f64 = 0.6;

impl Migration<'_> {
    /// The cost, with modelling of `seconds` s, if known.
    pub fn estimate(&self, seconds: Option<f64>) -> Estimate {
        let (plan, every) = (self.plan, self.imaging.every);
        let (kept, at_once) = (self.costs(), self.at_once());
        let imaging_steps = plan.time.steps / every + 1;
        let gathers = PRODUCT * self.products(imaging_steps) / plan.updates();
        // Forward, and back.
        let with_work =
            |seconds: f64| kept.iter().map(|cost| seconds * (cost.work + 1.0 + gathers)).collect();
        Estimate {
            at_once,
            imaging_steps,
            interval: every as f64 * plan.time.dt,
            why: self.why(),
            seconds: seconds.map(with_work),
            kept,
        }
    }

    /// Products that offset gathers sum: one for each offset, node of a line, imaging step and shot.
    fn products(&self, imaging_steps: usize) -> f64 {
        let n = self.plan.model_grid.n;
        let offsets: usize = self.offsets.iter().map(Offsets::count).sum();
        (offsets * n.x * n.z) as f64 * (imaging_steps * self.plan.shots.len()) as f64
    }
}
