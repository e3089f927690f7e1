//! What an inversion holds of the host's memory.

use super::InversionRun;
use crate::{
    engine::{Engine, EngineError},
    job::{Inputs, JobFile},
    operations::{
        gradient::{Compared, of_gradient, of_stages},
        rtm::{Waves, observed},
    },
    run::{Demand, Operation, Stage},
};

impl Demand {
    /// Of an inversion, as [`Demand::of_gradient`].
    ///
    /// # Errors
    ///
    /// As of [`Demand::of_gradient`].
    pub fn of_invert(
        file: &JobFile,
        inputs: &Inputs,
        compared: Compared,
        engine: &dyn Engine,
        devices: usize,
    ) -> Result<(Self, Option<u64>), EngineError> {
        of_stages(InversionRun::COMMAND, &inputs.plan, compared, (engine, devices), &|waves| {
            of_invert(file, inputs, compared, waves)
        })
    }
}

/// The stages of an inversion.
fn of_invert(file: &JobFile, inputs: &Inputs, compared: Compared, waves: &Waves<'_>) -> Vec<Stage> {
    let (cells, keys) = (inputs.plan.model_grid.cells() as u64, file.invert());
    // As many as an L-BFGS descent keeps.
    let pairs = keys.iterations.min(8) as u64;
    let descent = 8 * cells * (2 * pairs + 2);
    let unknowns = Stage::default()
        .with("models of the inversion", 4 * 4 * cells)
        .with("unknowns of the inversion", 8 * 8 * cells)
        .with("the descent", descent)
        .with("observed traces in a band", observed(&inputs.plan));
    let evaluating = of_gradient(file, inputs, compared, waves).into_iter();
    let evaluating = evaluating.map(|stage| stage.and(&unknowns));
    // The state is copied, and becomes bytes.
    let state = descent + (4 + 8) * cells;
    let writing = Stage(inputs.plan.own_memory())
        .and(&unknowns)
        .with("the state, and its way to a file", 2 * state);
    evaluating.chain([writing]).collect()
}
