//! What is known of a job before it runs.

use crate::cli::PROGRAM;
use huygens::{
    engine::{Description, Engine, gpu::Gpu},
    grid::PerAxis,
    io::segy,
    job::{Inputs, Job, JobFile, Migrated},
    plan::{Array, Dispersion, Plan, TimeAxis, Warning},
    workflow::{
        rtm::{Cost, Migration, Partial},
        shot,
        tune::{self, Choices},
    },
};
use serde::Serialize;

/// What would run it.
#[derive(Serialize)]
pub struct Runner {
    #[serde(flatten)]
    pub engine: Description,
    /// Whether it was left to the program to choose it.
    pub auto: bool,
    /// How the kernel is known.
    pub kernel_from: KernelFrom,
    /// 10^9 nodes a second as it was measured, where it is remembered.
    pub gpts_per_s: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KernelFrom {
    /// A CPU engine has one.
    Only,
    /// Measured before on this device.
    Remembered,
    /// The first run will measure it.
    NotYetMeasured,
    /// Software Vulkan is not measured.
    BestGuess,
}

impl Runner {
    /// What an engine says of itself, and what is remembered of it for a batch.
    pub fn new(engine: &dyn Engine, auto: bool, batch: &Plan, choices: &Choices) -> Self {
        let Some(gpu) = Gpu::of(engine) else {
            let engine = engine.describe();
            let gpts_per_s = choices.speed(&engine, batch);
            return Runner { engine, auto, kernel_from: KernelFrom::Only, gpts_per_s };
        };
        if let Some((kernel, gpts)) = tune::remembered(gpu, batch, choices) {
            let engine = gpu.with_kernel(kernel).describe();
            return Runner {
                engine,
                auto,
                kernel_from: KernelFrom::Remembered,
                gpts_per_s: Some(gpts),
            };
        }
        let guess =
            gpu.kernel(batch).map_or_else(|_| gpu.clone(), |kernel| gpu.with_kernel(kernel));
        let kernel_from = match gpu.is_hardware() {
            true => KernelFrom::NotYetMeasured,
            false => KernelFrom::BestGuess,
        };
        Runner { engine: guess.describe(), auto, kernel_from, gpts_per_s: None }
    }
}

/// How huygens rtm would migrate the shots.
#[derive(Serialize)]
pub struct OfMigration {
    /// Shots that are migrated together.
    pub at_once: usize,
    /// Of a run, and seconds between them.
    pub imaging_steps: usize,
    pub interval: f64,
    /// What may be kept of the sources' waves, from that which takes most memory on.
    pub kept: Vec<Cost>,
    /// Why the one that is taken is.
    pub why: &'static str,
    /// Of stepping at the rate of the shots and, in proportion, of what is moved beside, for each of these; unknown where none is remembered.
    pub seconds: Option<Vec<f64>>,
    /// Arrays beside these.
    pub memory: Vec<Array>,
}

#[derive(Serialize)]
pub struct Report<'a> {
    program: &'static str,
    version: &'static str,
    pub job_name: String,
    pub job: &'a Job,
    /// Nodes of the model and of the computational grid along each axis; no y in 2-D.
    nodes: PerAxis<usize>,
    nodes_with_layers: PerAxis<usize>,
    /// Metres.
    spacing: PerAxis<f64>,
    /// m/s
    pub slowest: f32,
    pub fastest: f32,
    pub time: TimeAxis,
    /// dt over the largest stable one.
    pub stability: f64,
    /// v_max dt sqrt(sum 1/h^2)
    pub courant: f64,
    /// None without a source.
    pub dispersion: Option<Dispersion>,
    shots: usize,
    /// Of each shot, as the job has them.
    pub sources: Vec<usize>,
    pub receivers: Vec<usize>,
    /// Traces of all shots, and bytes of them in SEG-Y.
    pub traces: usize,
    pub trace_bytes: u64,
    /// Steps at which the wavefield is kept.
    pub snapshots: usize,
    pub engine: Runner,
    /// Shots that advance together.
    pub at_once: usize,
    /// Arrays of what advances together, without padding and staging, and of the Plan itself.
    pub memory: Vec<Array>,
    /// Where the job says how it is migrated.
    pub migration: Option<OfMigration>,
    /// Why the engine cannot hold it.
    pub refused: Option<String>,
    /// Of stepping; unknown where no rate is remembered.
    pub seconds: Option<f64>,
    pub warnings: Vec<Warning>,
    /// What was written beside this report.
    pub files: Vec<String>,
}

impl<'a> Report<'a> {
    pub fn new(
        file: &'a JobFile,
        inputs: &Inputs,
        engine: Runner,
        at_once: usize,
        batch: &Plan,
    ) -> Self {
        let plan = &inputs.plan;
        let (h, volume) = (plan.grid.h, plan.grid.is_volume());
        let y = if volume { h.y.powi(-2) } else { 0.0 };
        let per_metre = (h.z.powi(-2) + h.x.powi(-2) + y).sqrt();
        let bytes = if plan.shots.len() > 1 { shot::waiting(plan, at_once) } else { 0 };
        let waiting = (bytes > 0).then_some(Array { name: "gathers on their way to files", bytes });
        let traces = plan.shots.iter().map(|shot| shot.receivers.len()).sum();
        let seconds = engine.gpts_per_s.map(|gpts| 1e-9 * plan.updates() / gpts);
        Report {
            program: PROGRAM,
            version: env!("CARGO_PKG_VERSION"),
            job_name: file.name.clone(),
            job: &file.job,
            nodes: plan.model_grid.n.in_model(volume),
            nodes_with_layers: plan.grid.n.in_model(volume),
            spacing: h.in_model(volume),
            slowest: plan.slowest,
            fastest: plan.fastest,
            time: plan.time,
            stability: plan.time.dt / plan.time.limit,
            courant: f64::from(plan.fastest) * plan.time.dt * per_metre,
            dispersion: plan.dispersion(),
            shots: plan.shots.len(),
            sources: plan.shots.iter().map(|shot| shot.asked.sources.len()).collect(),
            receivers: plan.shots.iter().map(|shot| shot.receivers.len()).collect(),
            traces,
            trace_bytes: segy::bytes(traces, plan.time.kept()),
            snapshots: inputs.snapshots.len(),
            engine,
            at_once,
            memory: batch.memory().into_iter().chain(plan.own_memory()).chain(waiting).collect(),
            migration: None,
            refused: None,
            seconds,
            warnings: file.warnings(inputs),
            files: Vec::new(),
        }
    }

    pub fn of_migration(&self, migrated: &Migrated, migration: &Migration<'_>) -> OfMigration {
        let (plan, time) = (&migrated.plan, &migrated.plan.time);
        let (kept, at_once) = (migration.costs(), migration.at_once());
        let wave = plan.batch(0..at_once.min(plan.shots.len())).memory();
        let wave = wave.iter().map(|array| array.bytes).sum::<u64>();
        let traces = (plan.most_receivers() * (time.steps + 1) * at_once) as u64;
        let sum = Partial::shapes(plan, &migrated.offsets);
        let sum = 4 * sum.iter().map(|n| n.iter().product::<usize>() as u64).sum::<u64>();
        // As many as wait for a sum by pairs, those of a batch, and all in f64 at the end.
        let sums = u64::from(plan.shots.len().max(1).ilog2()) + at_once as u64 + 3;
        let memory = vec![
            Array { name: "wavefields there and back", bytes: 2 * wave },
            Array { name: "gathers of all shots", bytes: self.trace_bytes },
            Array { name: "traces on their way back", bytes: 24 * traces },
            Array { name: "images and their sums", bytes: sums * sum },
        ];
        // Forward, and back.
        let seconds = |seconds: f64| kept.iter().map(|cost| seconds * (cost.work + 1.0)).collect();
        OfMigration {
            at_once,
            imaging_steps: time.steps / migrated.every + 1,
            interval: migrated.every as f64 * time.dt,
            why: migration.why(),
            seconds: self.seconds.map(seconds),
            kept,
            memory,
        }
    }
}
