//! The cost of a migration, known before it runs.

use super::{Cost, Migration, Partial, Why};
use crate::plan::Array;
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
    /// Arrays besides these.
    pub memory: Vec<Array>,
}

impl Migration<'_> {
    /// The cost, with gathers of `gathers` bytes and, if known, modelling of `seconds` s.
    pub fn estimate(&self, gathers: u64, seconds: Option<f64>) -> Estimate {
        let (plan, every) = (self.plan, self.imaging.every);
        let (kept, at_once) = (self.costs(), self.at_once());
        let wave = plan.batch(0..at_once.min(plan.shots.len())).memory();
        let wave = wave.iter().map(|array| array.bytes).sum::<u64>();
        let traces = (plan.most_receivers() * (plan.time.steps + 1) * at_once) as u64;
        let sum = Partial::shapes(plan, &self.offsets);
        let sum = 4 * sum.iter().map(|n| n.iter().product::<usize>() as u64).sum::<u64>();
        // The sums that wait in the pairwise summation, those of a batch, and all in f64 at the
        // end.
        let sums = u64::from(plan.shots.len().max(1).ilog2()) + at_once as u64 + 3;
        let memory = vec![
            Array { name: "wavefields there and back", bytes: 2 * wave },
            Array { name: "gathers of all shots", bytes: gathers },
            Array { name: "traces on their way back", bytes: 24 * traces },
            Array { name: "images and their sums", bytes: sums * sum },
        ];
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
            memory,
        }
    }
}
