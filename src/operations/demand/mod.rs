//! What a command holds of the host's memory, known before it runs.
//!
//! A command has stages, such as stepping and writing, and frees memory between them. What it needs
//! is the stage that holds the most. Source wavefields get what the rest leaves: a command is refused
//! if the least that it can keep of them does not fit.

mod single;
mod stages;

use crate::{
    engine::{Engine, EngineError},
    host::{self, Bound, Bounded, NoMemory},
    job::{Inputs, JobError, JobFile},
    operations::{
        gradient::{Effort, Observations},
        recorded::RecordedSize,
        rtm::{Migrated, Wavefield},
    },
    plan::{Array, Plan},
    remedy::Remedy,
};
use serde::Serialize;
use stages::{Stage, Waves};
use std::fmt;

/// A command that runs a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobCommand {
    /// Models the shots.
    Shot,
    /// Migrates them.
    Rtm,
    /// Differentiates a misfit.
    Gradient,
    /// Inverts for the model.
    Invert,
    /// Locates sources.
    Locate,
    /// Makes a zero-offset section, or migrates one.
    ZeroOffset,
}

impl fmt::Display for JobCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            JobCommand::Shot => "huygens shot",
            JobCommand::Rtm => "huygens rtm",
            JobCommand::Gradient => "huygens gradient",
            JobCommand::Invert => "huygens invert",
            JobCommand::Locate => "huygens locate",
            JobCommand::ZeroOffset => "huygens zero-offset",
        })
    }
}

/// The arrays that a command holds at once in the host's memory.
#[derive(Clone, Debug, Serialize)]
pub struct Demand {
    /// The command.
    pub command: JobCommand,
    /// The arrays of the stage that holds the most.
    pub arrays: Vec<Array>,
    /// What would take less of the command, beside a smaller model.
    #[serde(skip)]
    less: Vec<Remedy>,
}

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
    fn of(command: JobCommand, stages: impl IntoIterator<Item = Stage>) -> Self {
        let most = stages.into_iter().max_by_key(Stage::bytes);
        let less = vec!["fewer receivers".into()];
        Demand { command, arrays: most.unwrap_or_default().0, less }
    }

    /// All arrays, bytes.
    pub fn bytes(&self) -> u64 {
        self.arrays.iter().map(|array| array.bytes).sum()
    }

    /// Returns an error if the memory does not hold it. `plan` is held already.
    ///
    /// # Errors
    ///
    /// With the arrays, the limit and what would do.
    pub fn check(&self, plan: &Plan) -> Result<(), NoMemory> {
        let most = available(plan);
        if self.bytes() <= most.bytes {
            return Ok(());
        }
        let mut largest: Vec<_> = self.arrays.iter().collect();
        largest.sort_by_key(|array| std::cmp::Reverse(array.bytes));
        let named = largest
            .iter()
            .take(3)
            .map(|Array { name, bytes }| format!("{} of {name}", host::binary(*bytes)));
        let what = format!("{} ({})", self.command, named.collect::<Vec<_>>().join(", "));
        let mut remedies: Vec<Remedy> = vec!["use a smaller or coarser model".into()];
        remedies.extend(self.less.iter().cloned());
        remedies.extend(most.remedy());
        Err(NoMemory { what, bytes: self.bytes(), left: most, remedies })
    }

    /// Of the shots of a job, on an engine that takes `at_once` of them together.
    pub fn of_shot(file: &JobFile, inputs: &Inputs, engine: &dyn Engine, at_once: usize) -> Self {
        let stages = stages::of_shots(inputs, &inputs.plan, engine, at_once);
        let writing = stages::writing(file, inputs);
        let stages = stages.into_iter().map(|stage| stage.and(&writing));
        Demand::of(JobCommand::Shot, stages)
    }

    /// Of a migration by so many devices like the engine, of recorded traces of so many samples, if it
    /// does not model its own; its source wavefields get what the rest leaves.
    ///
    /// # Errors
    ///
    /// If the engine does not take a shot, or the wavefields cannot be kept as the job asks.
    pub fn of_rtm(
        inputs: &Inputs,
        migrated: &mut Migrated,
        recorded: Option<u64>,
        engine: &dyn Engine,
        devices: usize,
    ) -> Result<Self, EngineError> {
        let all: Vec<_> = (0..migrated.plan.shots.len()).collect();
        let (demand, within) = fit(&inputs.plan, devices, &mut |within| {
            migrated.within = within;
            let migration = migrated.migration(engine, &migrated.plan, &all, devices)?;
            let waves = Waves { engine, devices, migration: &migration };
            let stages = stages::of_rtm(inputs, migrated, recorded, &waves);
            let mut demand = Demand::of(JobCommand::Rtm, stages);
            if migrated.rtm.wavefield != Wavefield::Auto {
                demand.less.push(Remedy::Wavefields { names: vec!["auto"] });
            }
            if !migrated.offsets.is_empty() {
                demand.less.push("fewer subsurface offsets".into());
            }
            Ok((demand, waves.kept()))
        })?;
        migrated.within = within;
        Ok(demand)
    }

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
        fit(&inputs.plan, devices, &mut |within| {
            let effort = Effort { within, ..compared.effort };
            let migration = effort.migration(engine, &inputs.plan, devices)?;
            let waves = Waves { engine, devices, migration: &migration };
            let stages = stages::of_gradient(file, inputs, compared, &waves);
            Ok((Demand::of(JobCommand::Gradient, stages), waves.kept()))
        })
    }

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
        fit(&inputs.plan, devices, &mut |within| {
            let effort = Effort { within, ..compared.effort };
            let migration = effort.migration(engine, &inputs.plan, devices)?;
            let waves = Waves { engine, devices, migration: &migration };
            let stages = stages::of_invert(file, inputs, compared, &waves);
            Ok((Demand::of(JobCommand::Invert, stages), waves.kept()))
        })
    }
}

/// The memory for a command whose Plan is held already.
fn available(plan: &Plan) -> Bounded {
    let own = plan.own_memory().iter().map(|array| array.bytes).sum::<u64>();
    let addresses = host::address_space_left();
    let addresses = addresses.map(|left| Bounded { bytes: left + own, by: Bound::Addresses });
    host::memory().into_iter().chain(addresses).min().unwrap_or(Bounded::NONE)
}

/// Lowers the limit of each device's source wavefields until all that a command holds fits, as far
/// as that helps. `of` gives the demand with a limit, and what a device keeps of the wavefields in
/// the host's memory.
fn fit(
    plan: &Plan,
    devices: usize,
    of: &mut dyn FnMut(Option<u64>) -> Result<(Demand, u64), EngineError>,
) -> Result<(Demand, Option<u64>), EngineError> {
    // Fewer shots at once change what else is held.
    const TRIES: usize = 8;
    let most = available(plan);
    // What a user allows is there to be taken; of other memory half is left.
    let mut within = (most.by == Bound::Set).then_some(most.bytes);
    let (mut demand, mut kept) = of(within)?;
    for _ in 0..TRIES {
        let over = demand.bytes().saturating_sub(most.bytes);
        if over == 0 || kept == 0 {
            break;
        }
        let less = kept.saturating_sub(over.div_ceil(devices.max(1) as u64));
        match of(Some(less)) {
            Ok((leaner, its)) if its < kept => {
                (demand, kept, within) = (leaner, its, Some(less));
            }
            _ => break,
        }
    }
    Ok((demand, within))
}
