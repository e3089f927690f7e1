//! Modelled shots.

use crate::{
    arrays::{nodes, rows},
    engine::Engine,
    error::Error,
    job::Job,
    messages::with_messages,
    progress::Progress,
};
use huygens::{
    operations::shot::{self, ShotRun},
    run::Operation,
};
use numpy::IntoPyArray;
use pyo3::{prelude::*, types::PyDict};

/// Models the shots of a job, and gives for each its traces, positions and snapshots. With `one`, a
/// job of several is refused; quiet ones give no warnings before the run.
#[pyfunction]
#[pyo3(signature = (job, engine, progress, one = false, is_quiet = false))]
pub fn shots<'py>(
    py: Python<'py>,
    job: &Bound<'py, Job>,
    engine: &Engine,
    progress: Option<Py<PyAny>>,
    one: bool,
    is_quiet: bool,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let mut operation = ShotRun::of(job.get().prepared(py)?);
    let inputs = &operation.job().inputs;
    let count = inputs.plan.shots.len();
    if one && count != 1 {
        return Err(Error::input(format!(
            "the survey has {count} shots; use huygens.shots, or Survey.of to choose one"
        ))
        .into());
    }
    job.get().0.check_heard(&inputs.plan).map_err(Error::from)?;
    inputs.plan.check_results().map_err(Error::from)?;
    if !is_quiet {
        Job::warn(job, inputs)?;
    }
    let progress = Progress::new(progress);
    let modelled = with_messages(py, || {
        engine.run(&mut operation, &progress, |operation, engine| {
            let plan = operation.plan();
            let all = shot::total_steps(engine, plan)?;
            let mut hear = |step| progress.report("modelling", step, all);
            let mut shots = Vec::with_capacity(plan.shots.len());
            shot::model(engine, plan, &mut hear, &mut |_, _| true, &mut |result| {
                shots.push(result);
                Ok::<_, Error>(())
            })?;
            Ok(shots)
        })
    })?;
    let plan = operation.plan();
    let is_volume = plan.grid.is_volume();
    let each = modelled.into_iter().map(|result| {
        let (shot, asked) = (PyDict::new(py), &plan.shots[result.shot].asked);
        let snapshots = PyDict::new(py);
        for snapshot in &result.snapshots {
            let field = nodes(py, snapshot.field.view(), is_volume)?;
            snapshots.set_item(plan.time.at(snapshot.step), field)?;
        }
        let sources: Vec<_> = asked.sources.iter().map(|source| source.at).collect();
        shot.set_item("traces", result.gather.into_pyarray(py))?;
        shot.set_item("interval", plan.time.interval())?;
        shot.set_item("sources", rows(py, &sources))?;
        shot.set_item("receivers", rows(py, &asked.receivers))?;
        shot.set_item("record", result.shot + 1)?;
        shot.set_item("snapshots", snapshots)?;
        shot.set_item("step", plan.time.dt)?;
        Ok(shot)
    });
    each.collect()
}
