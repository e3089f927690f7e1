//! What a migration holds of the host's memory.

use super::{Migrated, Migration, Partial, Wavefield, files::AT_ONCE};
use crate::{
    engine::{Engine, EngineError, is_on_host},
    job::Inputs,
    operations::shot::of_shots,
    plan::{Plan, Sampling},
    run::{Demand, Stage, fit, of_engine, traces_of},
};

/// The demand of a migration by engines that are alike, of recorded traces of so many samples, if it does not model its own; its
/// source wavefields get what the rest leaves.
///
/// # Errors
///
/// If the engine does not take a shot, or the wavefields cannot be kept as the job asks.
pub(super) fn demand(
    inputs: &Inputs,
    migrated: &mut Migrated,
    recorded: Option<u64>,
    engines: &[&dyn Engine],
) -> Result<Demand, EngineError> {
    let (engine, devices) = (engines[0], engines.len());
    let all: Vec<_> = (0..migrated.plan.shots.len()).collect();
    let (demand, within) = fit(&inputs.plan, devices, &mut |within| {
        migrated.within = within;
        let migration = migrated.migration(engine, &migrated.plan, &all, devices)?;
        let waves = Waves { engine, devices, migration: &migration };
        let mut demand = Demand::of("rtm", of_rtm(inputs, migrated, recorded, &waves));
        if migrated.rtm.wavefield != Wavefield::Auto {
            demand.less.push("choose rtm.wavefield = \"auto\"");
        }
        if !migrated.offsets.is_empty() {
            demand.less.push("fewer subsurface offsets");
        }
        Ok((demand, waves.kept()))
    })?;
    migrated.within = within;
    Ok(demand)
}

/// The waves of a migration, by one of several like devices.
pub(crate) struct Waves<'a> {
    pub(crate) engine: &'a dyn Engine,
    pub(crate) devices: usize,
    pub(crate) migration: &'a Migration<'a>,
}

impl Waves<'_> {
    /// What a device keeps of the source wavefields in the host's memory, bytes: beside its fields,
    /// and apart from them.
    fn stored(&self) -> [u64; 2] {
        let cost = self.migration.costs().into_iter().find(|cost| cost.taken);
        let (beside, apart) = cost.map_or((0, 0), |cost| (cost.bytes, cost.host));
        [if is_on_host(self.engine) { beside } else { 0 }, apart]
    }

    pub(crate) fn kept(&self) -> u64 {
        self.stored().iter().sum()
    }
}

/// The stages of a migration.
fn of_rtm(
    inputs: &Inputs,
    migrated: &Migrated,
    recorded: Option<u64>,
    waves: &Waves<'_>,
) -> Vec<Stage> {
    let (base, mut stages) = of_recordings(inputs, migrated, recorded, waves.engine);
    let migration = of_migration(&migrated.plan, waves, Residuals::None);
    stages.extend(migration.map(|stage| base.clone().and(&stage)));
    stages
}

/// What is held while shots are migrated, with the recordings; and the stages of modelling these, if they are not given.
pub(crate) fn of_recordings(
    inputs: &Inputs,
    migrated: &Migrated,
    recorded: Option<u64>,
    engine: &dyn Engine,
) -> (Stage, Vec<Stage>) {
    let (plan, shots) = (&migrated.plan, &inputs.plan);
    let gathers = recorded.map_or_else(|| observed(shots), |samples| 4 * samples);
    let own_model = if migrated.rtm.smooth.is_some() || migrated.rtm.factor.is_some() {
        4 * plan.survey_grid().cells() as u64
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
        let modelling = of_shots(inputs, shots, engine, at_once).into_iter();
        let others = Stage(Vec::new())
            .with("the migration's own model", own_model)
            .with("gathers of all shots", gathers);
        stages.extend(modelling.map(|stage| stage.and(&others)));
    }
    (base, stages)
}

/// Bytes of the observed traces, as they are compared.
pub(crate) fn observed(plan: &Plan) -> u64 {
    4 * traces_of(plan) * plan.time.kept() as u64
}

/// The samplings of another Plan of the same shots.
fn receivers(plan: &Plan) -> u64 {
    let own = plan.own_memory();
    own.iter().filter(|array| array.name == "receivers of the plan").map(|array| array.bytes).sum()
}

/// What is sent back in place of given gathers.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Residuals {
    None,
    /// True if samples are weighed.
    Of {
        weighed: bool,
    },
}

/// The stages of a migration of the shots of a Plan, beside its own arrays and gathers.
pub(crate) fn of_migration(
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
    // The sums that found no sibling are kept until the files are written, and the sum of all becomes images in f64: one is
    // filtered, or waits for the illumination with the digits of f32.
    let left = u64::from(plan.shots.len().max(1).count_ones());
    let made = match residuals {
        Residuals::None => 8 + 8,
        Residuals::Of { .. } => 8 + 8 + 4,
    };
    let kinds = migration.offsets().len();
    let offsets = (all - 2 * image) / kinds.max(1) as u64 * kinds.min(AT_ONCE) as u64;
    let writing = Stage::default()
        .with("sums of images", 4 * (left + u64::from(left > 1)) * all)
        .with("the scale of images", scale)
        .with("images", 8 * all + made * image)
        .with("offset gathers on their way to files", (8 + 4 + 4) * offsets);
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
