//! What a command holds of the host's memory, known before it runs.
//!
//! A command has stages, such as stepping and writing, and frees memory between them. What it needs
//! is the stage that holds the most.

use crate::{
    engine::{Engine, EngineError, GpuKind},
    host::{self, Bound, Bounded, NoMemory},
    job::{GatherFormat, Inputs, JobFile, Migrated},
    plan::{Array, Plan, Sampling},
    remedy::Remedy,
    workflow::{
        rtm::{self, Migration, Partial},
        shot,
    },
};
use serde::Serialize;
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
}

impl fmt::Display for JobCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            JobCommand::Shot => "huygens shot",
            JobCommand::Rtm => "huygens rtm",
            JobCommand::Gradient => "huygens gradient",
            JobCommand::Invert => "huygens invert",
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
}

/// A stage of a command, by its arrays.
#[derive(Clone, Default)]
struct Stage(Vec<Array>);

impl Stage {
    fn with(mut self, name: &'static str, bytes: u64) -> Self {
        if bytes > 0 {
            self.0.push(Array { name, bytes });
        }
        self
    }

    fn and(mut self, other: &Stage) -> Self {
        self.0.extend(other.0.iter().cloned());
        self
    }

    fn bytes(&self) -> u64 {
        self.0.iter().map(|array| array.bytes).sum()
    }
}

impl Demand {
    fn of(command: JobCommand, stages: impl IntoIterator<Item = Stage>) -> Self {
        let most = stages.into_iter().max_by_key(Stage::bytes);
        Demand { command, arrays: most.unwrap_or_default().0 }
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
        let own = plan.own_memory().iter().map(|array| array.bytes).sum::<u64>();
        let addresses = host::address_space_left();
        let addresses = addresses.map(|left| Bounded { bytes: left + own, by: Bound::Addresses });
        let most = host::memory().into_iter().chain(addresses).min().unwrap_or(Bounded::NONE);
        self.check_against(most)
    }

    fn check_against(&self, most: Bounded) -> Result<(), NoMemory> {
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
        match self.command {
            JobCommand::Shot => {}
            JobCommand::Rtm => {
                remedies.push("lower rtm.memory, or fewer subsurface offsets".into())
            }
            JobCommand::Gradient | JobCommand::Invert => {
                remedies.push("lower gradient.memory".into());
            }
        }
        remedies.push("fewer receivers".into());
        remedies.extend(most.remedy());
        Err(NoMemory { what, bytes: self.bytes(), left: most, remedies })
    }

    /// Of the shots of a job, on an engine that takes `at_once` of them together.
    pub fn of_shot(file: &JobFile, inputs: &Inputs, engine: &dyn Engine, at_once: usize) -> Self {
        let stages = stages_of_shots(inputs, &inputs.plan, engine, at_once);
        let writing = writing(file, inputs);
        let stages = stages.into_iter().map(|stage| stage.and(&writing));
        Demand::of(JobCommand::Shot, stages)
    }

    /// Of a migration.
    pub fn of_rtm(
        inputs: &Inputs,
        migrated: &Migrated,
        migration: &Migration<'_>,
        engine: &dyn Engine,
    ) -> Self {
        let (plan, shots) = (&migrated.plan, &inputs.plan);
        let gathers = 4 * traces(shots) * shots.time.kept() as u64;
        let own_model = if migrated.rtm.smooth.is_some() || migrated.rtm.factor.is_some() {
            4 * plan.model_grid.cells() as u64
        } else {
            0
        };
        let base = Stage(shots.own_memory())
            .with("the migration's own model", own_model)
            .with("the migration's own receivers", receivers(plan))
            .with("gathers of all shots", gathers);
        let mut stages = Vec::new();
        if migrated.rtm.gathers.is_none() {
            let at_once = engine.batch(shots).unwrap_or(1);
            let modelling = stages_of_shots(inputs, shots, engine, at_once).into_iter();
            let others = Stage(Vec::new())
                .with("the migration's own model", own_model)
                .with("gathers of all shots", gathers);
            stages.extend(modelling.map(|stage| stage.and(&others)));
        }
        stages.extend(
            stages_of_migration(plan, migration, engine, Residuals::None)
                .map(|stage| base.clone().and(&stage)),
        );
        Demand::of(JobCommand::Rtm, stages)
    }

    /// Of the gradient of a misfit, imaged every `every` steps.
    pub fn of_gradient(
        file: &JobFile,
        (inputs, every): (&Inputs, usize),
        engine: &dyn Engine,
    ) -> Result<Self, EngineError> {
        let stages = stages_of_gradient(file, inputs, every, engine)?;
        Ok(Demand::of(JobCommand::Gradient, stages))
    }

    /// Of an inversion, with gradients imaged every `every` steps.
    pub fn of_invert(
        file: &JobFile,
        (inputs, every): (&Inputs, usize),
        engine: &dyn Engine,
    ) -> Result<Self, EngineError> {
        let (cells, keys) = (inputs.plan.model_grid.cells() as u64, file.invert());
        // As many as an L-BFGS descent keeps.
        let pairs = keys.iterations.min(8) as u64;
        let descent = 8 * cells * (2 * pairs + 2);
        let unknowns = Stage::default()
            .with("models of the inversion", 4 * 4 * cells)
            .with("unknowns of the inversion", 8 * 8 * cells)
            .with("the descent", descent);
        let observed = 4 * traces(&inputs.plan) * inputs.plan.time.kept() as u64;
        let unknowns = unknowns.with("observed traces in a band", observed);
        let evaluating = stages_of_gradient(file, inputs, every, engine)?;
        let evaluating = evaluating.into_iter().map(|stage| stage.and(&unknowns));
        // The state is copied, and becomes bytes.
        let state = descent + (4 + 8) * cells;
        let writing = Stage(inputs.plan.own_memory())
            .and(&unknowns)
            .with("the state, and its way to a file", 2 * state);
        Ok(Demand::of(JobCommand::Invert, evaluating.chain([writing])))
    }
}

/// Traces of all shots.
fn traces(plan: &Plan) -> u64 {
    plan.shots.iter().map(|shot| shot.receivers.len() as u64).sum()
}

/// The samplings of another Plan of the same shots.
fn receivers(plan: &Plan) -> u64 {
    let own = plan.own_memory();
    own.iter().filter(|array| array.name == "receivers of the plan").map(|array| array.bytes).sum()
}

/// True if the engine's arrays are in the host's memory.
pub(super) fn is_on_host(engine: &dyn Engine) -> bool {
    engine.gpus().iter().all(|gpu| *gpu == GpuKind::Software)
}

/// Samples of a trace that a CPU engine holds, as it hands them over.
const BLOCK: usize = 256;

/// The arrays of an engine for a batch, if they are in the host's memory.
fn of_engine(engine: &dyn Engine, batch: &Plan) -> Stage {
    if !is_on_host(engine) {
        return Stage::default();
    }
    let is_cpu = engine.gpus().is_empty();
    let arrays = batch.memory().into_iter().map(|array| match array.name {
        "traces" if is_cpu => {
            let samples = batch.time.samples.min(BLOCK) as u64;
            Array { bytes: 4 * traces(batch) * samples, ..array }
        }
        _ => array,
    });
    Stage(arrays.filter(|array| array.bytes > 0).collect())
}

/// The stages of modelling the shots of a Plan.
fn stages_of_shots(
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

/// What is sent back in place of given gathers.
#[derive(Clone, Copy, PartialEq)]
enum Residuals {
    None,
    /// True if samples are weighed.
    Of {
        weighed: bool,
    },
}

/// The stages of a gradient.
fn stages_of_gradient(
    file: &JobFile,
    inputs: &Inputs,
    every: usize,
    engine: &dyn Engine,
) -> Result<Vec<Stage>, EngineError> {
    let plan = &inputs.plan;
    let keys = file.job.gradient.clone().unwrap_or_default();
    let memory = keys.memory.map(|gigabytes| (1e9 * gigabytes) as u64);
    let memory = memory.unwrap_or_else(|| rtm::memory(engine));
    let migration = Migration::new(engine, plan, every, &[], memory)?;
    let weighed = keys.mute.is_some() || keys.taper > 0.0;
    let observed = 4 * traces(plan) * plan.time.kept() as u64;
    let per_shot = if keys.per_shot { plan.shots.len() } else { 0 } as u64;
    let cells = plan.model_grid.cells() as u64;
    let base = Stage(plan.own_memory())
        .with("observed traces", observed)
        .with("weights of the samples", if weighed { observed } else { 0 })
        .with("gradients of each shot", 8 * per_shot * cells);
    let stages = stages_of_migration(plan, &migration, engine, Residuals::Of { weighed });
    Ok(stages.map(|stage| base.clone().and(&stage)).collect())
}

/// The stages of a migration of the shots of a Plan, beside its own arrays and gathers.
fn stages_of_migration(
    plan: &Plan,
    migration: &Migration<'_>,
    engine: &dyn Engine,
    residuals: Residuals,
) -> impl Iterator<Item = Stage> {
    let at_once = migration.at_once().min(plan.shots.len().max(1));
    let batch = plan.batch(0..at_once.min(plan.shots.len()));
    let is_cpu = engine.gpus().is_empty();
    let kept = migration.costs().into_iter().find(|cost| cost.taken);
    let (stored, on_host) = kept.map_or((0, 0), |cost| (cost.bytes, cost.host));
    let stored = if is_on_host(engine) { stored } else { 0 };
    let waves = 2 * of_engine(engine, &batch).bytes();
    let shapes = Partial::shapes(plan, migration.offsets());
    let cells = |shape: &[usize; 3]| shape.iter().product::<usize>() as u64;
    let (image, all) = (cells(&shapes[0]), shapes.iter().map(cells).sum::<u64>());
    // A CPU engine sums in arrays of its own, and holds the differences of a field.
    let own = if is_cpu { all + image } else { 0 };
    let sums = u64::from(plan.shots.len().max(1).ilog2()) + 1;
    let samples = plan.time.steps as u64 + 1;
    let receivers = (plan.most_receivers() * at_once) as u64;
    // Each is f32 and, as a wavelet, f64, here and prepared for the next batch; residuals are made
    // of modelled and of weighed traces.
    let bytes = match residuals {
        Residuals::None => 24,
        Residuals::Of { weighed: false } => 8 + 4 + 4 + 4,
        Residuals::Of { weighed: true } => 8 + 4 + 4 + 4 + 4,
    };
    let points: u64 = batch.shots.iter().flat_map(|shot| shot.receivers.iter()).map(nodes).sum();
    let scale = 8 * image;
    let stepping = Stage::default()
        .with("wavefields there and back", waves)
        .with("source wavefields", stored)
        .with("source wavefields in the host's memory", on_host)
        .with("traces on their way back", bytes * receivers * samples)
        .with("receivers as sources", 2 * points * size_of::<crate::plan::PointSource>() as u64)
        .with("images of shots", 4 * (at_once as u64 * all + own))
        .with("sums of images", 4 * (sums + 1) * all)
        .with("the scale of images", scale);
    // The sums are kept until the files are written, and the sum of all becomes images in f64: one is
    // filtered, or waits for the illumination with the digits of f32.
    let made = match residuals {
        Residuals::None => 8 + 8,
        Residuals::Of { .. } => 8 + 8 + 4,
    };
    let offsets = (all - 2 * image) / migration.offsets().len().max(1) as u64;
    let writing = Stage::default()
        .with("sums of images", 4 * (sums + 1) * all)
        .with("the scale of images", scale)
        .with("images", 8 * all + made * image)
        .with("offset gathers on their way to files", (8 + 8 + 8 + 4) * offsets);
    [stepping, writing].into_iter()
}

/// Nodes of a receiver that becomes a source.
fn nodes(receiver: &Sampling) -> u64 {
    match receiver {
        Sampling::Node(_) => 1,
        Sampling::Between(spread) => {
            let count = |weights: &[f64]| weights.iter().filter(|weight| **weight != 0.0).count();
            let [z, x, y] = [&spread.z, &spread.x, &spread.y].map(|of| count(&of.weights) as u64);
            z.max(1) * x.max(1) * y.max(1)
        }
    }
}
