//! What a gradient holds of the host's memory.

use super::{Effort, GradientRun, Observations};
use crate::{
    engine::{Engine, EngineError},
    job::{Inputs, JobError, JobFile},
    operations::{
        recorded::RecordedSize,
        rtm::{Residuals, Waves, observed, of_migration},
    },
    plan::Plan,
    run::{Demand, Operation, Stage, fit},
};

/// The traces that a gradient compares with, and how often both waves are multiplied.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    /// The effort of the gradient.
    pub effort: Effort,
    /// True if not all samples count alike.
    pub is_weighed: bool,
    /// Memory held while the traces are read, bytes.
    pub reading: u64,
}

impl Compared {
    /// With those that a job names, which are not read yet.
    ///
    /// # Errors
    ///
    /// If a key or the headers of their file are wrong.
    pub fn of(file: &JobFile, inputs: &Inputs) -> Result<Self, JobError> {
        let keys = file.job.gradient.clone().unwrap_or_default();
        let effort = keys.effort(file.imaged_every(&inputs.plan)?);
        let fades = keys.mute.is_some() || keys.taper > 0.0;
        let RecordedSize { reading, lacks_samples } = file.observed_size(inputs)?;
        Ok(Compared { effort, is_weighed: fades || lacks_samples, reading })
    }

    /// With observations.
    pub fn with(observations: &Observations) -> Self {
        let is_weighed = observations.weights.is_some();
        Compared { effort: observations.effort(), is_weighed, reading: observations.reading }
    }
}

impl Demand {
    /// Of the gradient of a misfit by so many devices like the engine, and the most of the host's
    /// memory for the source wavefields of each, where that is limited.
    ///
    /// # Errors
    ///
    /// If the engine does not take a shot.
    pub fn of_gradient(
        file: &JobFile,
        inputs: &Inputs,
        compared: Compared,
        engine: &dyn Engine,
        devices: usize,
    ) -> Result<(Self, Option<u64>), EngineError> {
        of_stages(GradientRun::COMMAND, &inputs.plan, compared, (engine, devices), &|waves| {
            of_gradient(file, inputs, compared, waves)
        })
    }
}

/// The demand of a command whose stages hold the waves of a gradient, by so many devices like the engine, and the most of the host's
/// memory for the source wavefields of each.
pub(crate) fn of_stages(
    command: &'static str,
    plan: &Plan,
    compared: Compared,
    (engine, devices): (&dyn Engine, usize),
    stages: &dyn Fn(&Waves<'_>) -> Vec<Stage>,
) -> Result<(Demand, Option<u64>), EngineError> {
    fit(plan, devices, &mut |within| {
        let effort = Effort { within, ..compared.effort };
        let migration = effort.migration(engine, plan, devices)?;
        let waves = Waves { engine, devices, migration: &migration };
        Ok((Demand::of(command, stages(&waves)), waves.kept()))
    })
}

/// The stages of a gradient.
pub(crate) fn of_gradient(
    file: &JobFile,
    inputs: &Inputs,
    compared: Compared,
    waves: &Waves<'_>,
) -> Vec<Stage> {
    let (plan, weighed) = (&inputs.plan, compared.is_weighed);
    let is_per_shot = file.job.gradient.as_ref().is_some_and(|keys| keys.per_shot);
    let per_shot = if is_per_shot { plan.shots.len() } else { 0 } as u64;
    let observed = observed(plan);
    let cells = plan.model_grid.cells() as u64;
    let base = Stage(plan.own_memory())
        .with("observed traces", observed)
        .with("weights of the samples", if weighed { observed } else { 0 })
        .with("gradients of each shot", 8 * per_shot * cells);
    let reading = Stage(plan.own_memory()).with("traces as they are read", compared.reading);
    let stages = of_migration(plan, waves, Residuals::Of { weighed });
    stages.map(|stage| base.clone().and(&stage)).chain([reading]).collect()
}
