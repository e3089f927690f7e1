//! What modelling the shots of a job holds of the host's memory.

use super::ShotRun;
use crate::{
    engine::Engine,
    job::{GatherFormat, Inputs, JobFile},
    operations::shot,
    plan::Plan,
    run::{Demand, Operation, Stage, of_engine},
};

impl Demand {
    /// Of the shots of a job, on an engine that takes `at_once` of them together.
    pub fn of_shot(file: &JobFile, inputs: &Inputs, engine: &dyn Engine, at_once: usize) -> Self {
        let stages = of_shots(inputs, &inputs.plan, engine, at_once);
        let writing = writing(file, inputs);
        let stages = stages.into_iter().map(|stage| stage.and(&writing));
        Demand::of(ShotRun::COMMAND, stages)
    }
}

/// The stages of modelling the shots of a Plan.
pub(crate) fn of_shots(
    inputs: &Inputs,
    plan: &Plan,
    engine: &dyn Engine,
    at_once: usize,
) -> Vec<Stage> {
    let batch = plan.batch(0..at_once.clamp(1, plan.shots.len().max(1)).min(plan.shots.len()));
    let gathers = shot::waiting(plan, at_once);
    let (cells, every) = (plan.model_grid.cells() as u64, !plan.snapshots().is_empty());
    let snapshot = if every && !inputs.snapshots.is_empty() { 2 * 4 * cells } else { 0 };
    vec![
        Stage(plan.own_memory())
            .and(&of_engine(engine, &batch))
            .with("gathers on their way to files", gathers)
            .with("a snapshot on its way to the disk", snapshot),
    ]
}

/// What is held while files are written, beside gathers.
fn writing(file: &JobFile, inputs: &Inputs) -> Stage {
    let (output, plan) = (&file.job.output, &inputs.plan);
    let shots = plan.shots.len();
    let gather = 4 * (plan.most_receivers() * plan.time.kept()) as u64;
    let archive = if output.writes(GatherFormat::Npz, shots) { gather } else { 0 };
    Stage::default().with("the .npz on its way to a file", archive)
}
