//! Reverse time migration.

use crate::{
    arrays::{gathers, own_values},
    engine::Engine,
    error::Error,
    gradient,
    job::Job,
    messages::with_messages,
    model::Model,
    progress::Progress,
};
use huygens::{
    engine::Engine as AnyEngine,
    job::Inputs,
    ndarray::Array2,
    operations::{
        OnStep,
        recorded::Recorded,
        rtm::{MigrationRun, Stage},
        shot,
    },
    plan::Plan,
    run::Operation,
};
use pyo3::{prelude::*, types::PyDict};

/// The images of a job's shots by their conditions, and the illumination.
#[pyfunction]
#[pyo3(name = "rtm", signature = (job, engine, recorded, interval, progress))]
pub fn migrated<'py>(
    py: Python<'py>,
    job: &Bound<'py, Job>,
    engine: &Engine,
    recorded: Option<&Bound<'py, PyAny>>,
    interval: Option<f64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut prepared = job.get().prepared(py)?;
    Job::warn(job, &prepared.inputs)?;
    let (job, model) = (job.get(), Model::of(&prepared));
    let given = recorded.map(|given| gathers("gathers", given)).transpose()?;
    let progress = Progress::new(progress);
    let (stacked, operation) = with_messages(py, || {
        let inputs = &mut prepared.inputs;
        let migrated = job.0.migrated(&inputs.setup, inputs.plan.time.dt)?;
        for warning in migrated.warnings(&inputs.setup) {
            tracing::warn!("{warning}");
        }
        let recorded = recorded_of(job, given, interval, &migrated.plan, inputs)?;
        let mut operation = MigrationRun::of(prepared, migrated, recorded);
        let stacked = engine.run(&mut operation, &progress, |operation, engine| {
            let mut begin = |stage: Stage<'_>| begun(&progress, engine, stage);
            operation.stacked(&[engine], &mut begin)
        })?;
        let stacked = stacked.ok_or_else(|| Error::input("the job has no shots"))?;
        Ok::<_, Error>((stacked, operation))
    })?;
    let (migrated, is_volume) = (&operation.migrated, operation.plan().grid.is_volume());
    let (results, images) = (PyDict::new(py), PyDict::new(py));
    for condition in &migrated.rtm.conditions {
        let image = migrated.image(&stacked, *condition);
        images.set_item(condition.name(), own_values(py, image, is_volume))?;
    }
    results.set_item("images", images)?;
    results.set_item("model", Py::new(py, model)?)?;
    let illumination = migrated.plan.illumination_by_pressure(stacked.illumination());
    results.set_item("illumination", own_values(py, illumination, is_volume))?;
    Ok(results)
}

/// What was recorded for a migration: the given gathers, or those that the job names, if any.
pub fn recorded_of(
    job: &Job,
    given: Option<Vec<Array2<f32>>>,
    interval: Option<f64>,
    plan: &Plan,
    inputs: &mut Inputs,
) -> Result<Option<Recorded>, Error> {
    let Some(given) = given else { return Ok(job.0.recorded(plan, inputs)?) };
    let (given, interval) = gradient::recorded("gathers", given, interval, inputs)?;
    Ok(Some(job.0.recorded_in("gathers", given, interval)?))
}

/// Shows the progress of a stage of a migration.
pub fn begun<'h>(
    progress: &'h Progress,
    engine: &dyn AnyEngine,
    stage: Stage<'_>,
) -> Result<Box<OnStep<'h>>, Error> {
    let (name, all) = match stage {
        Stage::Modelling(plan) => ("modelling", shot::total_steps(engine, plan)?),
        Stage::Migrating { steps, .. } => ("migrating", steps),
    };
    Ok(Box::new(move |step| progress.report(name, step, all)))
}
