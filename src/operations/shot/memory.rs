//! What modelling the shots of a job holds of the host's memory.

use super::ShotRun;
use crate::{
    engine::Engine,
    job::{GatherFormat, Inputs, JobFile},
    operations::shot,
    plan::Plan,
    run::{Demand, Operation, PreparedJob, Stage, of_engine},
};

impl ShotRun<'_> {
    /// The demand on an engine that takes `at_once` shots together.
    pub(crate) fn demand_of(&self, engine: &dyn Engine, at_once: usize) -> Demand {
        let PreparedJob { file, inputs } = &self.job;
        let writing = writing(file, inputs);
        let stages = of_shots(inputs, &inputs.plan, engine, at_once).into_iter();
        Demand::of(self.command(), stages.map(|stage| stage.and(&writing)))
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
    let (cells, every) = (plan.survey_grid().cells() as u64, !plan.snapshots().is_empty());
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
