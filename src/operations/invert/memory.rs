//! What an inversion holds of the host's memory.

use crate::{
    operations::{
        gradient::{self, Observations},
        rtm::{Waves, observed},
    },
    run::{PreparedJob, Stage},
};

/// The stages of an inversion.
pub(super) fn stages(
    job: &PreparedJob<'_>,
    observations: &Observations,
    waves: &Waves<'_>,
) -> Vec<Stage> {
    let PreparedJob { file, inputs } = job;
    let (cells, keys) = (inputs.plan.survey_grid().cells() as u64, file.invert());
    // As many as an L-BFGS descent keeps.
    let pairs = keys.iterations.min(8) as u64;
    let descent = 8 * cells * (2 * pairs + 2);
    let unknowns = Stage::default()
        .with("models of the inversion", 4 * 4 * cells)
        .with("unknowns of the inversion", 8 * 8 * cells)
        .with("the descent", descent)
        .with("observed traces in a band", observed(&inputs.plan));
    let traces = match keys.traces {
        true => gradient::modelling(job, observations, waves),
        false => Vec::new(),
    };
    // Those of the first and the last model.
    let modelled = 2 * observed(&inputs.plan);
    let traces = traces.into_iter().map(|stage| stage.with("modelled traces", modelled));
    let evaluating = gradient::stages(job, observations, waves).into_iter().chain(traces);
    let evaluating = evaluating.map(|stage| stage.and(&unknowns));
    // The state is copied, and becomes bytes.
    let state = descent + (4 + 8) * cells;
    let writing = Stage(inputs.plan.own_memory())
        .and(&unknowns)
        .with("the state, and its way to a file", 2 * state);
    evaluating.chain([writing]).collect()
}
