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
use huygens::operations::{
    recorded::Recorded,
    rtm::{self, Migrating, Stack, Stage},
    shot,
};
use huygens::{operations::Hear, run::Demand};
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
    let mut inputs = job.inputs(py)?;
    job.warn(py, &inputs)?;
    let given = recorded.map(|given| gathers("gathers", given)).transpose()?;
    let progress = Progress::new(progress);
    let (stacked, migrated) = warned(py, || {
        let mut migrated = job.0.migrated(&inputs.setup, inputs.plan.time.dt)?;
        for warning in migrated.warnings(&inputs.setup) {
            tracing::warn!("{warning}");
        }
        let recorded = match given {
            Some(given) => {
                let (given, interval) = gradient::recorded("gathers", given, interval, &inputs)?;
                Some(job.0.recorded_in("gathers", given, interval)?)
            }
            None => job.0.recorded(&migrated.plan, &mut inputs)?,
        };
        let run = || {
            let tuned = engine.tuned(&inputs.plan, &progress)?;
            let engines = [tuned.engine()];
            let given = recorded.as_ref().map(Recorded::size);
            let demand = Demand::of_rtm(&inputs, &mut migrated, given, engines[0], 1)?;
            demand.check(&inputs.plan)?;
            let left: Vec<usize> = (0..inputs.plan.shots.len()).collect();
            let mut begin = |stage: Stage<'_>| -> Result<Box<Hear<'_>>, Error> {
                let (name, all) = match stage {
                    Stage::Modelling(plan) => ("modelling", shot::steps_of(&engines, plan)?),
                    Stage::Migrating { steps, .. } => ("migrating", steps),
                };
                let progress = &progress;
                Ok(Box::new(move |step| progress.hear(name, step, all)))
            };
            let mut stack = Stack::default();
            let migrating =
                Migrating { engines: &engines, inputs: &inputs, migrated: &migrated, left: &left };
            migrating.run(recorded, &mut begin, &mut |partial| {
                stack.add(partial);
                Ok::<_, Error>(())
            })?;
            let scale = rtm::scale(&migrated.plan, migrated.every);
            stack.sum(&scale, &migrated.offsets).ok_or_else(|| Error::input("the job has no shots"))
        };
        Ok::<_, Error>((progress.run(run)?, migrated))
    })?;
    let is_volume = inputs.plan.grid.is_volume();
    let (told, images) = (PyDict::new(py), PyDict::new(py));
    for condition in &migrated.rtm.conditions {
        let image = migrated.image(&stacked, *condition);
        images.set_item(condition.name(), own_values(py, image, is_volume))?;
    }
    told.set_item("images", images)?;
    told.set_item("illumination", own_values(py, stacked.illumination(), is_volume))?;
    Ok(told)
}
