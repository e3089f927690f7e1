//! What a least-squares migration holds of the host's memory.

use super::LeastSquares;
use crate::{
    engine::{Engine, EngineError},
    job::Inputs,
    operations::rtm::{Residuals, Waves, of_migration, of_recordings},
    run::{Demand, Stage, fit, of_engine},
};

/// The demand of a least-squares migration by engines that are alike, of recorded traces of so many samples, if it does not model
/// its own; its source wavefields get what the rest leaves.
///
/// # Errors
///
/// If the engine does not take a shot, or the wavefields cannot be kept as the job asks.
pub(super) fn demand(
    inputs: &Inputs,
    of: &mut LeastSquares,
    recorded: Option<u64>,
    engines: &[&dyn Engine],
) -> Result<Demand, EngineError> {
    let (engine, devices) = (engines[0], engines.len());
    let all: Vec<_> = (0..of.migrated.plan.shots.len()).collect();
    let (demand, within) = fit(&inputs.plan, devices, &mut |within| {
        of.migrated.within = within;
        let migration = of.migrated.migration(engine, &of.migrated.plan, &all, devices)?;
        let waves = Waves { engine, devices, migration: &migration };
        Ok((Demand::of("lsrtm", stages(inputs, of, recorded, &waves)), waves.kept()))
    })?;
    of.migrated.within = within;
    Ok(demand)
}

/// Samples of all modelled traces.
fn plan_samples(inputs: &Inputs) -> u64 {
    let receivers = inputs.plan.shots.iter().map(|shot| shot.receivers.len());
    (receivers.sum::<usize>() * inputs.plan.time.kept()) as u64
}

fn stages(
    inputs: &Inputs,
    of: &LeastSquares,
    recorded: Option<u64>,
    waves: &Waves<'_>,
) -> Vec<Stage> {
    let plan = &of.migrated.plan;
    let (base, modelling) = of_recordings(inputs, &of.migrated, recorded, waves.engine);
    let (cells, at_once) = (plan.survey_grid().cells() as u64, waves.migration.at_once());
    let batch = plan.batch(0..at_once.min(plan.shots.len()));
    let scattered = waves.devices as u64 * of_engine(waves.engine, &batch).bytes();
    let traces = (plan.most_receivers() * at_once * (plan.time.steps + 1)) as u64;
    // Once they are taken, and what is left of them.
    let fitted = if of.keys.traces { 2 * 4 * recorded.unwrap_or(plan_samples(inputs)) } else { 0 };
    let own = Stage::default()
        .with("traces beside the recorded ones", fitted)
        .with("the scattered wave", scattered)
        .with("a perturbation of the model", 3 * 8 * cells)
        .with("traces as they are weighed", waves.devices as u64 * 8 * traces)
        // u, s, p and their weights, and a copy on its way to a file.
        .with("unknowns of the image", 8 * 4 * cells)
        .with("their state on its way to a file", 8 * 4 * cells);
    let sweeps = of_migration(plan, waves, Residuals::Of { weighed: true });
    let sweeps = sweeps.map(|stage| base.clone().and(&stage).and(&own));
    modelling.into_iter().chain(sweeps).collect()
}
