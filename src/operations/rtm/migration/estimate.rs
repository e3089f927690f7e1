//! The cost of a migration, known before it runs.

use super::{Cost, Migration, Why};
use serde::Serialize;

/// The cost of a migration.
#[derive(Clone, Debug, Serialize)]
pub struct Estimate {
    /// Shots that are migrated together.
    pub at_once: usize,
    /// Imaging steps of a run.
    pub imaging_steps: usize,
    /// Seconds between them.
    pub interval: f64,
    /// Storage of the source wavefields, from the one with the most memory on.
    pub kept: Vec<Cost>,
    /// The reason for the choice taken.
    pub why: Why,
    /// Seconds of stepping for each of `kept`, at the rate of the shots and in proportion to the
    /// bytes moved; unknown if no rate is remembered.
    pub seconds: Option<Vec<f64>>,
}

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
