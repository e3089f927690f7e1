//! The misfit of modelled to observed traces, and its gradient.

use crate::{
    arrays::{gathers, own_nodes, own_values},
    engine::Engine,
    error::Error,
    job::Job,
    messages::with_messages,
    model::Model,
    progress::Progress,
    rtm::begun,
};
use huygens::{
    conditioning::ConditioningError,
    engine::EngineError,
    job::{Inputs, Varied},
    ndarray::Array2,
    operations::{
        gradient::{
            EachShot, EstimatedWavelets, Gradient, GradientRun, Observations, Observed,
            by_potential, by_velocity,
        },
        recorded::tell_other_length,
        rtm::{ShotMisfit, Stage},
    },
    plan::Plan,
    run::Operation,
};
use numpy::PyArray1;
use pyo3::{prelude::*, types::PyDict};
use rayon::prelude::*;

/// The derivatives of any J of the traces of a job, from dJ/dp of each sample, [shot][receiver][time]: dJ/dv
/// and, as they are asked for, `dJ/d(ln rho)`. Unless the job has an interval, both waves are multiplied
/// at every step: dJ/dp may have any frequency. Also gives the model.
#[pyfunction]
#[pyo3(signature = (job, engine, by_traces, progress, velocity = true, density = false))]
pub fn sent_back<'py>(
    py: Python<'py>,
    job: &Job,
    engine: &Engine,
    by_traces: &Bound<'py, PyAny>,
    progress: Option<Py<PyAny>>,
    velocity: bool,
    density: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let prepared = job.prepared(py)?;
    let model = Model::of(&prepared);
    let inputs = &prepared.inputs;
    let given = fitting("by_traces", gathers("by_traces", by_traces)?, inputs)?;
    let is_volume = inputs.plan.grid.is_volume();
    let progress = Progress::new(progress);
    let (of_velocity, of_density) = with_messages(py, || {
        let mut observations = job.0.no_observations(&prepared.inputs.plan)?;
        if observations.gradient.interval.is_none() {
            observations.every = 1;
        }
        observations.gradient.memory = None;
        if observations.gradient.estimates_wavelet() {
            let none = "traces are sent back without observed ones, from which a wavelet could be estimated; leave \
                        gradient.wavelet out";
            return Err(Error::input(none));
        }
        let mut operation = GradientRun::of(prepared, observations);
        let found = engine.run(&mut operation, &progress, |operation, engine| {
            let effort = operation.observations.effort();
            let by_slowness = |plan: &Plan, stage| {
                let mut hear = |step, steps| progress.report(stage, step, steps);
                let by_sample =
                    |shot: usize, _| (ShotMisfit::default(), given[shot].clone().into());
                let found =
                    Gradient::of_traces(&[engine], plan, &by_sample, effort, &mut hear, None)?;
                Ok::<_, EngineError>(found.by_slowness)
            };
            let plan = operation.plan();
            let of_velocity = velocity.then(|| by_slowness(plan, "gradient")).transpose()?;
            let integrated = density.then(|| plan.clone().with_integrated_sources());
            let of_density = integrated.map(|plan| by_slowness(&plan, "gradient by density"));
            Ok((of_velocity, of_density.transpose()?))
        })?;
        let inputs = &operation.job().inputs;
        let (mut of_velocity, mut of_density) = found;
        of_velocity.iter_mut().for_each(|of| by_velocity(of, &inputs.setup.model));
        of_density.iter_mut().for_each(|of| by_potential(of, &inputs.setup.model));
        let of_density = of_density.map(|of| {
            let none = "there is no gradient by density with anisotropic rock or explicit time evolution; \
                        give density.detach()";
            inputs.plan.by_log_density(&of).ok_or_else(|| Error::input(none))
        });
        Ok::<_, Error>((of_velocity, of_density.transpose()?))
    })?;
    let results = PyDict::new(py);
    let own = |of| own_nodes(py, of, is_volume);
    results.set_item("gradient", of_velocity.map(own))?;
    results.set_item("by_log_density", of_density.map(own))?;
    results.set_item("model", Py::new(py, model)?)?;
    Ok(results)
}

/// What was observed: the given gathers, or those that the job names.
pub fn observations(
    job: &Job,
    given: Option<Vec<Array2<f32>>>,
    interval: Option<f64>,
    inputs: &mut Inputs,
) -> Result<Observations, Error> {
    Ok(match given {
        Some(given) => {
            let (given, interval) = recorded("observed", given, interval, inputs)?;
            job.0.observed(job.0.recorded_in("observed", given, interval)?, inputs)?
        }
        None => job.0.observations(inputs)?,
    })
}

/// Recorded gathers, if they are those of the shots and receivers of a job, and the seconds between
/// their samples: if they are not said, those of the job, which then has as many.
pub fn recorded(
    what: &str,
    given: Vec<Array2<f32>>,
    interval: Option<f64>,
    inputs: &Inputs,
) -> Result<(Vec<Array2<f32>>, f64), Error> {
    let given = fitting(what, given, inputs)?;
    let time = &inputs.plan.time;
    let interval = match interval {
        Some(interval) if !(interval.is_finite() && interval > 0.0) => {
            return Err(ConditioningError::Interval { interval }.into());
        }
        Some(interval) => interval,
        None => match given.iter().find(|of| of.ncols() != time.kept()) {
            Some(other) => {
                return Err(Error::input(format!(
                    "{what} have {} samples, and the survey {}; say how far they are apart, in seconds: sample_interval",
                    other.ncols(),
                    time.kept()
                )));
            }
            None => time.interval(),
        },
    };
    let samples = given.first().map_or(0, Array2::ncols);
    tell_other_length(what, samples, interval, &inputs.plan);
    Ok((given, interval))
}

/// The gathers, if they are those of the shots and receivers of a job.
fn fitting(
    what: &str,
    given: Vec<Array2<f32>>,
    inputs: &Inputs,
) -> Result<Vec<Array2<f32>>, Error> {
    let shots = &inputs.plan.shots;
    if given.len() != shots.len() {
        let (own, wanted) = (given.len(), shots.len());
        return Err(Error::input(format!(
            "{what} has {own} shots, and the job {wanted}; give as many"
        )));
    }
    let mut pairs = given.iter().zip(shots.iter());
    if let Some(at) = pairs.position(|(of, shot)| of.nrows() != shot.receivers.len()) {
        let (traces, receivers) = (given[at].nrows(), shots[at].receivers.len());
        return Err(Error::input(format!(
            "{what} has {traces} traces of shot {}, which has {receivers} receivers; give a trace for each",
            at + 1
        )));
    }
    let finite = |of: &Array2<f32>| of.iter().all(|sample| sample.is_finite());
    if let Some(at) = given.par_iter().position_first(|of| !finite(of)) {
        return Err(Error::input(format!("{what} of shot {} are not all finite numbers", at + 1)));
    }
    Ok(given)
}

/// Estimated wavelets, if there are any, and the seconds between their samples.
pub fn sampled(wavelets: Option<EstimatedWavelets>, plan: &Plan) -> (Vec<Vec<f64>>, f64) {
    (wavelets.map_or_else(Vec::new, |of| of.samples().to_vec()), plan.time.dt)
}

/// Puts them among the results.
pub fn set_wavelets(
    results: &Bound<'_, PyDict>,
    wavelets: Vec<Vec<f64>>,
    interval: f64,
) -> PyResult<()> {
    let own = |of: Vec<f64>| PyArray1::from_vec(results.py(), of);
    results.set_item("wavelets", wavelets.into_iter().map(own).collect::<Vec<_>>())?;
    results.set_item("wavelet_interval", interval)
}

/// The misfit of each shot of a job to observed traces, and the gradient of their sum.
#[pyfunction]
#[pyo3(signature = (job, engine, observed, interval, progress))]
pub fn gradient<'py>(
    py: Python<'py>,
    job: &Bound<'py, Job>,
    engine: &Engine,
    observed: Option<&Bound<'py, PyAny>>,
    interval: Option<f64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut prepared = job.get().prepared(py)?;
    Job::warn(job, &prepared.inputs)?;
    let (job, model) = (job.get(), Model::of(&prepared));
    let given = observed.map(|given| gathers("observed", given)).transpose()?;
    let progress = Progress::new(progress);
    let (found, of_shots, (wavelets, interval), operation) = with_messages(py, || {
        let observations = observations(job, given, interval, &mut prepared.inputs)?;
        let mut operation = GradientRun::of(prepared, observations);
        let ran = engine.run(&mut operation, &progress, |operation, engine| {
            let mut begin = |stage: Stage<'_>| begun(&progress, engine, stage);
            let wavelets = operation.estimate_wavelets(&[engine], &mut begin)?;
            let wavelets = sampled(wavelets, operation.plan());
            let effort = operation.observations.effort();
            let Observations { gradient: keys, gathers, weights, .. } = &operation.observations;
            let observed = Observed { gathers, weights: weights.as_deref(), misfit: keys.misfit };
            let mut of_shots = Vec::new();
            let mut each = |shot: usize, by_slowness| of_shots.push((shot, by_slowness));
            let each: Option<&mut EachShot<'_>> =
                if keys.per_shot { Some(&mut each) } else { None };
            let mut hear = |step, steps| progress.report("gradient", step, steps);
            let plan = operation.plan();
            let found = Gradient::of(&[engine], plan, observed, effort, &mut hear, each)?;
            Ok((found, of_shots, wavelets))
        });
        let (found, mut of_shots, wavelets) = ran?;
        found.likeness.warn("observed", operation.observations.gradient.misfit);
        of_shots.sort_by_key(|(shot, _)| *shot);
        Ok::<_, Error>((found, of_shots, wavelets, operation))
    })?;
    let (inputs, observations) = (&operation.job().inputs, &operation.observations);
    let is_volume = inputs.plan.grid.is_volume();
    let results = PyDict::new(py);
    results.set_item("misfit", found.misfit())?;
    results.set_item(
        "unit",
        match observations.gradient.of {
            Varied::Velocity => "per m/s",
            Varied::Slowness => "per relative squared slowness",
        },
    )?;
    let lit = &found.illumination;
    let finished = |values| own_nodes(py, observations.finished(values, lit, inputs), is_volume);
    let of_shots: Vec<_> = of_shots.into_iter().map(|(_, values)| finished(values)).collect();
    results.set_item("of_shots", of_shots)?;
    results.set_item("misfits", &found.misfits)?;
    set_wavelets(&results, wavelets, interval)?;
    results.set_item("model", Py::new(py, model)?)?;
    results.set_item("gradient", finished(found.by_slowness))?;
    results.set_item("illumination", own_values(py, found.illumination, is_volume))?;
    Ok(results)
}
