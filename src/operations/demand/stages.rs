//! The stages of commands that model shots, and send waves back.

use super::Compared;
use crate::{
    engine::Engine,
    job::{GatherFormat, Inputs, JobFile},
    operations::{
        rtm::{Migrated, Migration, Partial, is_on_host},
        shot,
    },
    plan::{Array, Plan, Sampling},
};

/// A stage of a command, by its arrays.
#[derive(Clone, Default)]
pub(super) struct Stage(pub Vec<Array>);

impl Stage {
    pub fn with(mut self, name: &'static str, bytes: u64) -> Self {
        if bytes > 0 {
            self.0.push(Array { name, bytes });
        }
        self
    }

    pub fn and(mut self, other: &Stage) -> Self {
        self.0.extend(other.0.iter().cloned());
        self
    }

    pub fn bytes(&self) -> u64 {
        self.0.iter().map(|array| array.bytes).sum()
    }
}

/// The waves of a migration, by one of several like devices.
pub(super) struct Waves<'a> {
    pub engine: &'a dyn Engine,
    pub devices: usize,
    pub migration: &'a Migration<'a>,
}

impl Waves<'_> {
    /// What a device keeps of the source wavefields in the host's memory, bytes: beside its fields,
    /// and apart from them.
    fn stored(&self) -> [u64; 2] {
        let cost = self.migration.costs().into_iter().find(|cost| cost.taken);
        let (beside, apart) = cost.map_or((0, 0), |cost| (cost.bytes, cost.host));
        [if is_on_host(self.engine) { beside } else { 0 }, apart]
    }

    pub fn kept(&self) -> u64 {
        self.stored().iter().sum()
    }
}

/// The stages of a migration.
pub(super) fn of_rtm(
    inputs: &Inputs,
    migrated: &Migrated,
    recorded: Option<u64>,
    waves: &Waves<'_>,
) -> Vec<Stage> {
    let (plan, shots) = (&migrated.plan, &inputs.plan);
    let gathers = recorded.map_or_else(|| observed(shots), |samples| 4 * samples);
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
        let at_once = waves.engine.batch(shots).unwrap_or(1);
        let modelling = of_shots(inputs, shots, waves.engine, at_once).into_iter();
        let others = Stage(Vec::new())
            .with("the migration's own model", own_model)
            .with("gathers of all shots", gathers);
        stages.extend(modelling.map(|stage| stage.and(&others)));
    }
    let migration = of_migration(plan, waves, Residuals::None);
    stages.extend(migration.map(|stage| base.clone().and(&stage)));
    stages
}

/// The stages of a gradient.
pub(super) fn of_gradient(
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

/// The stages of an inversion.
pub(super) fn of_invert(
    file: &JobFile,
    inputs: &Inputs,
    compared: Compared,
    waves: &Waves<'_>,
) -> Vec<Stage> {
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

/// Traces of all shots.
fn traces(plan: &Plan) -> u64 {
    plan.shots.iter().map(|shot| shot.receivers.len() as u64).sum()
}

/// Bytes of the observed traces, as they are compared.
fn observed(plan: &Plan) -> u64 {
    4 * traces(plan) * plan.time.kept() as u64
}

/// The samplings of another Plan of the same shots.
fn receivers(plan: &Plan) -> u64 {
    let own = plan.own_memory();
    own.iter().filter(|array| array.name == "receivers of the plan").map(|array| array.bytes).sum()
}

/// Samples of a trace that a CPU engine holds, as it hands them over.
const BLOCK: usize = 256;

/// The arrays of an engine for a batch, if they are in the host's memory.
pub(super) fn of_engine(engine: &dyn Engine, batch: &Plan) -> Stage {
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
pub(super) fn of_shots(
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
pub(super) fn writing(file: &JobFile, inputs: &Inputs) -> Stage {
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

/// The stages of a migration of the shots of a Plan, beside its own arrays and gathers.
fn of_migration(
    plan: &Plan,
    of: &Waves<'_>,
    residuals: Residuals,
) -> impl Iterator<Item = Stage> + use<> {
    let &Waves { engine, devices, migration } = of;
    let at_once = migration.at_once().min(plan.shots.len().max(1));
    let batch = plan.batch(0..at_once.min(plan.shots.len()));
    let devices = devices as u64;
    let is_cpu = engine.gpus().is_empty();
    let [stored, on_host] = of.stored();
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
    let points = 2 * points * size_of::<crate::plan::PointSource>() as u64;
    let scale = 8 * image;
    let stepping = Stage::default()
        .with("wavefields there and back", devices * waves)
        .with("source wavefields", devices * stored)
        .with("source wavefields in the host's memory", devices * on_host)
        .with("traces on their way back", devices * bytes * receivers * samples)
        .with("receivers as sources", devices * points)
        .with("images of shots", devices * 4 * (at_once as u64 * all + own))
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
