//! `run.json`: job, engine, speed and inputs of a run.

use super::{PreparedJob, Work};
use crate::{
    acquisition::TimeDispersion,
    engine::{Cause, Description, DeviceWork, EngineError, Retried, ShareTimings, Timings},
    grid::PerAxis,
    io::dir::{Dir, FolderPath},
    job::Job,
    plan::{Array, Dispersion, Plan, TimeAxis},
    program::{PROGRAM, Program},
};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The record of a run.
#[derive(Serialize)]
pub(crate) struct Record<'a> {
    #[serde(flatten)]
    program: Program,
    command: &'static str,
    job: &'a Job,
    engine: Description,
    /// Nodes of the model and of the computational grid along each axis; no y in 2-D.
    nodes: PerAxis<usize>,
    nodes_with_layers: PerAxis<usize>,
    /// Nodes of the window of each shot.
    #[serde(skip_serializing_if = "Option::is_none")]
    window_nodes: Option<PerAxis<usize>>,
    /// Layer nodes before the model's first node.
    origin: PerAxis<usize>,
    /// Metres.
    spacing: PerAxis<f64>,
    time: TimeAxis,
    /// dt over the largest stable time step.
    stability: f64,
    /// Hz
    dominant_frequency: f64,
    points_per_wavelength: Option<f64>,
    /// None without a source.
    dispersion: Option<Dispersion>,
    shots: usize,
    receivers: Vec<usize>,
    /// Times of each device for the shots of this run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    devices: Vec<DeviceWork>,
    /// Times of each device in a simulation split over several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shares: Vec<ShareTimings>,
    /// What was done again because a device failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    retried: Vec<Retried>,
    /// The misfit of each shot, if traces were compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) misfits: Vec<f64>,
    /// The residual before the first iteration and after each, over that before, if there are iterations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) residuals: Vec<f64>,
    /// Powers of two by which the values of arrays are divided, where f32 would not hold them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    units: BTreeMap<String, f64>,
    /// Timings of a completed run.
    timings: Option<Elapsed>,
    /// 10^9 nodes of the computational grid per second of stepping.
    gpts_per_s: Option<f64>,
    /// Arrays of a batch, without padding and staging.
    memory: Vec<Array>,
    /// Files written beside this record.
    files: Vec<String>,
    /// SHA-256 of each input file.
    inputs: BTreeMap<String, String>,
    /// The error that ended the run early, and the results kept.
    error: Option<EndedEarly>,
}

/// The end of a run whose field blew up.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct EndedEarly {
    /// Error message.
    message: String,
    /// The watchdog's report; none for another error.
    #[serde(flatten)]
    blow_up: Option<BlowUp>,
}

#[derive(Clone, Debug, Serialize)]
struct BlowUp {
    step: usize,
    /// s
    time: f64,
    /// Counted from 1.
    shot: usize,
    /// Position of the largest |p|, metres; none if it overflowed.
    at: Option<PerAxis<f64>>,
    cause: Cause,
    /// The step up to which the gathers and snapshots of its batch are kept.
    kept_until: Option<usize>,
    /// True if the gathers of its batch lack the requested correction of time dispersion and are
    /// those of the wavelet warped for it.
    uncorrected: bool,
}

impl EndedEarly {
    /// From an error of the engine; `is_kept` is true if the gathers before it are.
    pub(crate) fn new(error: &EngineError, plan: &Plan, is_kept: bool) -> Self {
        let message = error.to_string();
        let EngineError::BlowUp { step, time, healthy, shot, at, ref cause, .. } = *error else {
            return EndedEarly { message, blow_up: None };
        };
        let (cause, kept_until) = (cause.clone(), healthy.filter(|_| is_kept));
        let uncorrected = is_kept && plan.time.dispersion == TimeDispersion::Corrected;
        let blow_up = BlowUp { step, time, shot: shot + 1, at, cause, kept_until, uncorrected };
        EndedEarly { message, blow_up: Some(blow_up) }
    }
}

/// Elapsed times, s.
#[derive(Serialize)]
pub(crate) struct Elapsed {
    /// Reading inputs, validation.
    pub(crate) plan: f64,
    /// The engine's times.
    #[serde(flatten)]
    pub(crate) engine: Timings,
    /// Pictures and files.
    pub(crate) output: f64,
}

/// True if a folder's record is of this job, whatever that writes, and of this command, if it names
/// one.
pub(crate) fn is_of(folder: &FolderPath, record: &str, command: &str, job: &Job) -> bool {
    let Some(record) = read(folder, record) else { return false };
    let without_output = |mut job: Value| {
        job.as_object_mut().and_then(|keys| keys.remove("output"));
        job
    };
    let job = serde_json::to_value(job).expect("a job holds plain values with names");
    without_output(record["job"].clone()) == without_output(job)
        && record.get("command").is_none_or(|named| named == command)
}

fn read(folder: &FolderPath, name: &str) -> Option<Value> {
    let bytes = Dir::open(folder.clone()).and_then(|folder| folder.bytes(name));
    serde_json::from_slice(&bytes.ok()?).ok()
}

/// What a run has made, whatever the operation.
pub struct Made {
    /// The first engine.
    pub(crate) engine: Description,
    /// Times of each device in a simulation split over several.
    pub(crate) shares: Vec<ShareTimings>,
    /// What was done again because a device failed.
    pub(crate) retried: Vec<Retried>,
    /// Powers of two by which arrays are divided.
    pub(crate) units: BTreeMap<String, f64>,
    /// The files.
    pub(crate) files: Vec<String>,
    /// What was done.
    pub(crate) work: Work,
    /// How long it took, or why it ended early.
    pub(crate) timings: Result<Elapsed, EndedEarly>,
}

impl<'a> Record<'a> {
    /// The record of a command's run of a job.
    pub(crate) fn new(command: &'static str, job: &PreparedJob<'a>, made: Made) -> Self {
        let PreparedJob { file, inputs } = job;
        let (plan, job) = (&inputs.plan, &file.job);
        let Made { engine, shares, retried, units, files, work, timings } = made;
        let (timings, error) = match timings {
            Ok(timings) => (Some(timings), None),
            Err(ended) => (None, Some(ended)),
        };
        let rate = |timings: &Elapsed| work.updates / timings.engine.stepping.max(1e-9) * 1e-9;
        let volume = plan.grid.is_volume();
        Record {
            program: PROGRAM,
            command,
            job,
            engine,
            nodes: plan.survey_grid().n.in_model(volume),
            nodes_with_layers: plan.whole_nodes().in_model(volume),
            window_nodes: plan.windows.map(|_| plan.model_grid.n.in_model(volume)),
            origin: plan.origin.in_model(volume),
            spacing: plan.grid.h.in_model(volume),
            time: plan.time,
            stability: plan.time.dt / plan.time.limit,
            dominant_frequency: plan.frequency,
            points_per_wavelength: plan.points_per_wavelength(),
            dispersion: plan.dispersion(),
            shots: plan.shots.len(),
            receivers: plan.shots.iter().map(|shot| shot.receivers.len()).collect(),
            gpts_per_s: timings.as_ref().map(rate),
            devices: work.devices,
            misfits: Vec::new(),
            residuals: Vec::new(),
            units,
            shares,
            retried,
            timings,
            memory: work.memory,
            files,
            inputs: inputs.files.iter().cloned().collect(),
            error,
        }
    }

    /// As JSON.
    pub(crate) fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }
}
