//! What a migration would take, known before it runs.

use super::{Cost, Migration, Partial};
use crate::plan::Array;
use serde::Serialize;

/// How shots would be migrated.
#[derive(Clone, Debug, Serialize)]
pub struct Estimate {
    /// Shots that are migrated together.
    pub at_once: usize,
    /// Imaging steps of a run.
    pub imaging_steps: usize,
    /// Seconds between them.
    pub interval: f64,
    /// What may be kept of the sources' waves, from that which takes most memory on.
    pub kept: Vec<Cost>,
    /// Why the one that is taken is.
    pub why: &'static str,
    /// Of stepping at the rate of the shots and, in proportion, of what is moved beside, for each of these; unknown where none is remembered.
    pub seconds: Option<Vec<f64>>,
    /// Arrays beside these.
    pub memory: Vec<Array>,
}

impl Migration<'_> {
    /// What it would take, with gathers of so many bytes and, where it is known, modelling of so many seconds.
    pub fn estimate(&self, gathers: u64, seconds: Option<f64>) -> Estimate {
        let (plan, every) = (self.plan, self.imaging.every);
        let (kept, at_once) = (self.costs(), self.at_once());
        let wave = plan.batch(0..at_once.min(plan.shots.len())).memory();
        let wave = wave.iter().map(|array| array.bytes).sum::<u64>();
        let traces = (plan.most_receivers() * (plan.time.steps + 1) * at_once) as u64;
        let sum = Partial::shapes(plan, &self.offsets);
        let sum = 4 * sum.iter().map(|n| n.iter().product::<usize>() as u64).sum::<u64>();
        // As many as wait for a sum by pairs, those of a batch, and all in f64 at the end.
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
