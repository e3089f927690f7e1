//! `run.json`: what ran, on what, how fast, and from which inputs.

use super::job::{Inputs, Job};
use huygens::{
    engine::{Description, Timings},
    plan::{Array, TimeAxis},
};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub struct Record<'a> {
    version: &'static str,
    /// Git revision of the program, where it was built from one.
    revision: Option<&'static str>,
    job: &'a Job,
    engine: Description,
    /// Nodes of the model and of the computational grid, along x and z.
    nodes: [usize; 2],
    nodes_with_layers: [usize; 2],
    /// Metres, along x and z.
    spacing: [f64; 2],
    time: TimeAxis,
    /// dt over the largest stable one.
    stability: f64,
    /// Hz
    dominant_frequency: f64,
    points_per_wavelength: Option<f64>,
    shots: usize,
    receivers: Vec<usize>,
    pub timings: Seconds,
    /// 10^9 nodes of the computational grid a second of stepping.
    gpts_per_s: f64,
    /// Arrays of a batch, without padding and staging.
    memory: Vec<Array>,
    /// What the run wrote beside this record.
    files: Vec<String>,
    /// SHA-256 of each input file.
    inputs: BTreeMap<String, String>,
}

/// Seconds spent.
#[derive(Serialize)]
pub struct Seconds {
    /// Reading inputs, validation.
    pub plan: f64,
    #[serde(flatten)]
    pub engine: Timings,
    /// Pictures and files.
    pub output: f64,
}

impl<'a> Record<'a> {
    pub fn new(
        job: &'a Job,
        inputs: &Inputs,
        engine: Description,
        memory: Vec<Array>,
        files: Vec<String>,
        timings: Seconds,
    ) -> Self {
        let plan = &inputs.plan;
        Record {
            version: env!("CARGO_PKG_VERSION"),
            revision: option_env!("HUYGENS_REVISION"),
            job,
            engine,
            nodes: [plan.model_grid.n.x, plan.model_grid.n.z],
            nodes_with_layers: [plan.grid.n.x, plan.grid.n.z],
            spacing: [plan.grid.h.x, plan.grid.h.z],
            time: plan.time,
            stability: plan.time.dt / plan.time.limit,
            dominant_frequency: plan.frequency,
            points_per_wavelength: plan.points_per_wavelength(),
            shots: plan.shots.len(),
            receivers: plan.shots.iter().map(|shot| shot.receivers.len()).collect(),
            gpts_per_s: plan.updates() / timings.engine.stepping.max(1e-9) * 1e-9,
            timings,
            memory,
            files,
            inputs: inputs.files.iter().cloned().collect(),
        }
    }
}
