//! What locating sources holds of the host's memory.

use super::LocationRun;
use crate::{
    engine::{Engine, is_on_host},
    plan::{Condition, Plan, QUARTERS},
    run::{Demand, Operation, PreparedJob, Stage, of_engine, of_wavelets},
};

/// Bytes of a node of an array in f32.
const F32: u64 = 4;

impl LocationRun<'_> {
    /// The demand of the Plan that sends the recording back, through all models or one.
    pub(super) fn demand_of(&self, engine: &dyn Engine) -> Demand {
        let PreparedJob { file, inputs } = self.job();
        let plan = &inputs.plan;
        let cells = plan.model_grid.cells() as u64;
        let at_once = engine.batch(plan).unwrap_or(1).min(plan.shots.len());
        let batch = plan.batch(0..at_once);
        let sets = (at_once / plan.set_size().max(1)).max(1) as u64;
        let snapshots = (file.job.output.snapshots.len() * plan.set_size()) as u64;
        let base = Stage(plan.own_memory())
            .with("the recording", F32 * self.back.recording.gather.len() as u64)
            .with("traces that are sent back", of_wavelets(plan))
            .with("weights of the nodes", F32 * cells);
        // The largest value at each node, and its step.
        let maps = (F32 + F32) * cells * sets;
        let stepping = base
            .clone()
            .and(&of_engine(engine, &batch))
            .with("maps of the focus", maps + F32 * cells * sets * of_a_map(plan, engine))
            .with("snapshots", F32 * cells * snapshots);
        let kept = if file.job.output.pictures.unwrap_or(true) { 2 } else { 1 };
        let writing = base
            .with("maps of the focus", maps + F32 * cells)
            .with("snapshots", F32 * cells * snapshots * kept);
        Demand::of(self.command(), [stepping, writing])
    }
}

/// Values beside the largest and its step that an engine in the host's memory keeps at a node of a
/// map: the product of the groups, and the sums of a window.
fn of_a_map(plan: &Plan, engine: &dyn Engine) -> u64 {
    let Some(focus) = plan.focus().filter(|_| is_on_host(engine)) else { return 0 };
    let window = match focus.condition {
        Condition::Amplitude => 0,
        Condition::Energy { .. } => QUARTERS as u64,
    };
    u64::from(focus.groups > 1) + window
}
