//! What a gradient holds of the host's memory.

use super::{Effort, Observations, wavelet};
use crate::{
    engine::{Engine, EngineError},
    operations::{
        rtm::{Residuals, Waves, observed, of_migration},
        shot::of_shots,
    },
    run::{Demand, PreparedJob, Stage, fit},
};

/// The demand of a command whose stages hold the waves of a gradient, by engines that are alike. Limits what each keeps of the
/// source wavefields in the host's memory.
pub(crate) fn demand(
    command: &'static str,
    job: &PreparedJob<'_>,
    observations: &mut Observations,
    engines: &[&dyn Engine],
    stages: impl Fn(&Observations, &Waves<'_>) -> Vec<Stage>,
) -> Result<Demand, EngineError> {
    let (plan, engine, devices) = (&job.inputs.plan, engines[0], engines.len());
    let (demand, within) = fit(plan, devices, &mut |within| {
        let effort = Effort { within, ..observations.effort() };
        let migration = effort.migration(engine, plan, devices)?;
        let waves = Waves { engine, devices, migration: &migration };
        Ok((Demand::of(command, stages(observations, &waves)), waves.kept()))
    })?;
    observations.within = within;
    Ok(demand)
}

/// The stages of a gradient.
pub(crate) fn stages(
    job: &PreparedJob<'_>,
    observations: &Observations,
    waves: &Waves<'_>,
) -> Vec<Stage> {
    let (plan, weighed) = (&job.inputs.plan, observations.is_weighed);
    let per_shot = if observations.gradient.per_shot { plan.shots.len() } else { 0 } as u64;
    let observed = observed(plan);
    let cells = plan.survey_grid().cells() as u64;
    let base = Stage(plan.own_memory())
        .with("observed traces", observed)
        .with("weights of the samples", if weighed { observed } else { 0 })
        .with("gradients of each shot", 8 * per_shot * cells);
    let reading = Stage(plan.own_memory()).with("traces as they are read", observations.reading);
    let estimating = match observations.gradient.estimates_wavelet() {
        false => Vec::new(),
        true => modelling(job, observations, waves),
    };
    let spectra = wavelet::bytes(plan);
    let estimating =
        estimating.into_iter().map(|stage| stage.with("spectra for the wavelets", spectra));
    let stages = of_migration(plan, waves, Residuals::Of { weighed });
    let stages = stages.map(|stage| base.clone().and(&stage));
    stages.chain(estimating).chain([reading]).collect()
}

/// The stages of modelling all shots beside the observed traces.
pub(crate) fn modelling(
    job: &PreparedJob<'_>,
    observations: &Observations,
    waves: &Waves<'_>,
) -> Vec<Stage> {
    let (plan, engine) = (&job.inputs.plan, waves.engine);
    let observed = observed(plan);
    let weights = if observations.is_weighed { observed } else { 0 };
    let at_once = engine.batch(plan).unwrap_or(1);
    let stages = of_shots(&job.inputs, plan, engine, at_once).into_iter();
    let stages = stages.map(|stage| stage.with("observed traces", observed));
    stages.map(|stage| stage.with("weights of the samples", weights)).collect()
}

/// The stages of a gradient after which all modelled traces are written.
pub(super) fn with_traces(
    job: &PreparedJob<'_>,
    observations: &Observations,
    waves: &Waves<'_>,
) -> Vec<Stage> {
    let all = stages(job, observations, waves);
    if !observations.gradient.traces {
        return all;
    }
    let modelled = observed(&job.inputs.plan);
    let all = all.into_iter().chain(modelling(job, observations, waves));
    all.map(|stage| stage.with("modelled traces", modelled)).collect()
}
