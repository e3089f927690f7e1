//! `run.json`: what ran, on what, how fast, and from which inputs.

use super::job::{Inputs, Job, PerAxis};
use huygens::{
    engine::{Description, Timings},
    grid::Axes,
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
    /// Nodes of the model and of the computational grid along each axis; no y in 2-D.
    nodes: PerAxis<usize>,
    nodes_with_layers: PerAxis<usize>,
    /// Layer nodes before the model's first one.
    origin: PerAxis<usize>,
    /// Metres.
    spacing: PerAxis<f64>,
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
        let (h, volume) = (plan.grid.h, plan.grid.is_volume());
        let each = |n: Axes<usize>| PerAxis { z: n.z, x: n.x, y: volume.then_some(n.y) };
        Record {
            version: env!("CARGO_PKG_VERSION"),
            revision: option_env!("HUYGENS_REVISION"),
            job,
            engine,
            nodes: each(plan.model_grid.n),
            nodes_with_layers: each(plan.grid.n),
            origin: each(plan.origin),
            spacing: PerAxis { z: h.z, x: h.x, y: volume.then_some(h.y) },
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
