//! The report on a job before it runs.

use crate::{
    engine::{Engine, is_on_host, tune::Runner},
    grid::{Axes, PerAxis},
    imaging::Estimate,
    io::segy,
    job::{Inputs, Job, JobFile},
    model::Density,
    plan::{Array, Dispersion, Plan, Setup, TimeAxis, Warning},
    program::PROGRAM,
    run::Demand,
};
use serde::Serialize;

/// `check.json`.
#[derive(Serialize)]
pub(crate) struct Report<'a> {
    program: &'static str,
    version: &'static str,
    /// The name of the job.
    pub(crate) job_name: String,
    /// The job.
    pub(crate) job: &'a Job,
    /// Nodes of the model and of the computational grid along each axis; no y in 2-D.
    nodes: PerAxis<usize>,
    nodes_with_layers: PerAxis<usize>,
    /// The windows that shots run through, if the job asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) windows: Option<WindowReport>,
    /// Metres.
    spacing: PerAxis<f64>,
    /// The least velocity of the model, m/s.
    pub(crate) slowest: f32,
    /// The greatest, m/s.
    pub(crate) fastest: f32,
    /// The least and the greatest density, kg/m3, if it varies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) densities: Option<(f32, f32)>,
    /// The largest stable time step without the density, s, if it varies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) limit_of_velocity: Option<f64>,
    /// Its steps.
    pub(crate) time: TimeAxis,
    /// dt over the largest stable time step.
    pub(crate) stability: f64,
    /// v_max dt sqrt(sum 1/h^2)
    pub(crate) courant: f64,
    /// None without a source.
    pub(crate) dispersion: Option<Dispersion>,
    shots: usize,
    /// Number of sources of each shot, in the job's order.
    pub(crate) sources: Vec<usize>,
    /// Number of receivers of each shot.
    pub(crate) receivers: Vec<usize>,
    /// Number of traces of all shots.
    pub(crate) traces: usize,
    /// Their size in SEG-Y, bytes.
    pub(crate) trace_bytes: u64,
    /// Steps at which the wavefield is saved.
    pub(crate) snapshots: usize,
    /// The engine, and how fast it was.
    pub(crate) engine: Runner,
    /// Shots per batch.
    pub(crate) at_once: usize,
    /// What each command that the job has settings of holds of the host's memory.
    pub(crate) demands: Vec<Demand>,
    /// The arrays of the one that holds the most, without padding, and the program.
    pub(crate) memory: Vec<Array>,
    /// Arrays of a batch on a device that has memory of its own.
    pub(crate) device_memory: Vec<Array>,
    /// Present if the job has migration settings.
    pub(crate) migration: Option<Estimate>,
    /// The reason why the engine cannot hold it.
    pub(crate) refused: Option<String>,
    /// Estimated time of stepping; unknown without a remembered rate.
    pub(crate) seconds: Option<f64>,
    /// What is worth a warning.
    pub(crate) warnings: Vec<Warning>,
    /// Files written beside this report.
    pub(crate) files: Vec<String>,
}

impl<'a> Report<'a> {
    /// Of a job whose shots run `at_once` at a time on an engine.
    pub(crate) fn new(file: &'a JobFile, inputs: &Inputs, engine: Runner, at_once: usize) -> Self {
        let plan = &inputs.plan;
        let (h, volume) = (plan.grid.h, plan.grid.is_volume());
        let y = if volume { h.y.powi(-2) } else { 0.0 };
        let per_metre = (h.z.powi(-2) + h.x.powi(-2) + y).sqrt();
        let traces = plan.shots.iter().map(|shot| shot.receivers.len()).sum();
        let seconds = engine.gpts_per_s.map(|gpts| 1e-9 * plan.updates() / gpts);
        Report {
            program: PROGRAM.name,
            version: PROGRAM.version,
            job_name: file.name.clone(),
            job: &file.job,
            nodes: plan.survey_grid().n.in_model(volume),
            nodes_with_layers: plan.whole_nodes().in_model(volume),
            windows: plan.windows.map(|_| WindowReport::of(plan)),
            spacing: h.in_model(volume),
            slowest: plan.slowest,
            fastest: plan.fastest,
            densities: inputs.setup.density.range(),
            limit_of_velocity: limit_of_velocity(&inputs.setup),
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
            demands: Vec::new(),
            memory: Vec::new(),
            device_memory: Vec::new(),
            migration: None,
            refused: None,
            seconds,
            warnings: file.warnings(inputs),
            files: Vec::new(),
        }
    }

    /// Adds what the commands hold, on an engine that takes a batch.
    pub(crate) fn add_demands(&mut self, demands: Vec<Demand>, engine: &dyn Engine, batch: &Plan) {
        let most = demands.iter().max_by_key(|demand| demand.bytes());
        self.memory = most.map_or_else(Vec::new, |most| most.arrays.clone());
        self.memory.push(Array { name: "the program and its libraries", bytes: OF_PROGRAM });
        if !is_on_host(engine) {
            self.device_memory = batch.memory();
        }
        self.demands = demands;
    }

    /// The demand of a command.
    pub(crate) fn demand(&self, command: &str) -> Option<&Demand> {
        self.demands.iter().find(|demand| demand.command == command)
    }
}

/// The windows that shots run through.
#[derive(Serialize)]
pub(crate) struct WindowReport {
    /// Nodes of each.
    pub(crate) nodes: PerAxis<usize>,
    /// Nodes of each with its layers.
    pub(crate) nodes_with_layers: PerAxis<usize>,
    /// Nodes of the model with its layers over those of a window.
    pub(crate) gain: f64,
    /// The first shot that needs windows of this size, counted from 1.
    pub(crate) widest_shot: usize,
    /// The earliest time at which a wave can return from a side inside the model, s.
    pub(crate) earliest_return: Option<f64>,
}

impl WindowReport {
    fn of(plan: &Plan) -> Self {
        let volume = plan.grid.is_volume();
        let cells = |n: Axes<usize>| (n.z * n.x * n.y) as f64;
        WindowReport {
            nodes: plan.model_grid.n.in_model(volume),
            nodes_with_layers: plan.grid.n.in_model(volume),
            gain: cells(plan.whole_nodes()) / cells(plan.grid.n),
            widest_shot: plan.widest_shot() + 1,
            earliest_return: plan.earliest_return(),
        }
    }
}

/// The largest stable time step of the velocities alone, s, if the density varies.
fn limit_of_velocity(setup: &Setup) -> Option<f64> {
    if setup.density.is_constant() {
        return None;
    }
    let of_velocity = Setup {
        density: Density::default(),
        shots: setup.shots.iter().take(1).cloned().collect(),
        snapshots: Vec::new(),
        allow_unstable: true,
        ..setup.clone()
    };
    Plan::new(of_velocity).ok().map(|plan| plan.time.limit)
}

/// Memory of the program without arrays, bytes. It does not count against a limit of arrays.
const OF_PROGRAM: u64 = 24 << 20;
