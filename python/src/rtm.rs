//! Reverse time migration.

use crate::{
    arrays::{gathers, own_values},
    engine::Engine,
    error::Error,
    gradient,
    job::Job,
    progress::Progress,
    told::warned,
};
use huygens::{
    operations::{
        OnStep,
        rtm::{MigrationRun, Stage},
        shot,
    },
    run::Operation,
};
use pyo3::{prelude::*, types::PyDict};

/// The images of a job's shots by their conditions, and the illumination.
#[pyfunction]
#[pyo3(name = "rtm", signature = (job, engine, recorded, interval, progress))]
pub fn migrated<'py>(
    py: Python<'py>,
    job: &Job,
    engine: &Engine,
    recorded: Option<&Bound<'py, PyAny>>,
    interval: Option<f64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut prepared = job.prepared(py)?;
    job.warn(py, &prepared.inputs)?;
    let given = recorded.map(|given| gathers("gathers", given)).transpose()?;
    let progress = Progress::new(progress);
    let (stacked, operation) = warned(py, || {
        let inputs = &mut prepared.inputs;
        let migrated = job.0.migrated(&inputs.setup, inputs.plan.time.dt)?;
        for warning in migrated.warnings(&inputs.setup) {
            tracing::warn!("{warning}");
        }
        let recorded = match given {
            Some(given) => {
                let (given, interval) = gradient::recorded("gathers", given, interval, inputs)?;
                Some(job.0.recorded_in("gathers", given, interval)?)
            }
            None => job.0.recorded(&migrated.plan, inputs)?,
        };
        let mut operation = MigrationRun::of(prepared, migrated, recorded);
        let stacked = engine.run(&mut operation, &progress, |operation, engine| {
            let mut begin = |stage: Stage<'_>| -> Result<Box<OnStep<'_>>, Error> {
                let (name, all) = match stage {
                    Stage::Modelling(plan) => ("modelling", shot::total_steps(engine, plan)?),
                    Stage::Migrating { steps, .. } => ("migrating", steps),
                };
                let progress = &progress;
                Ok(Box::new(move |step| progress.hear(name, step, all)))
            };
            operation.stacked(&[engine], &mut begin)
        })?;
        let stacked = stacked.ok_or_else(|| Error::input("the job has no shots"))?;
        Ok::<_, Error>((stacked, operation))
    })?;
    let (migrated, is_volume) = (&operation.migrated, operation.plan().grid.is_volume());
    let (told, images) = (PyDict::new(py), PyDict::new(py));
    for condition in &migrated.rtm.conditions {
        let image = migrated.image(&stacked, *condition);
        images.set_item(condition.name(), own_values(py, image, is_volume))?;
    }
    told.set_item("images", images)?;
    let illumination = migrated.plan.illumination_by_pressure(stacked.illumination());
    told.set_item("illumination", own_values(py, illumination, is_volume))?;
    Ok(told)
}
