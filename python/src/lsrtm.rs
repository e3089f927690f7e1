//! Least-squares migration.

use crate::{
    arrays::{gathers, own_values},
    engine::Engine,
    error::Error,
    job::Job,
    messages::with_messages,
    model::Model,
    progress::Progress,
    rtm::{begun, recorded_of},
};
use huygens::{
    operations::{
        lsrtm::{LeastSquares, LeastSquaresRun, Solved},
        rtm::Stage,
    },
    run::Operation,
};
use pyo3::{prelude::*, types::PyDict};

/// dv/v whose scattered waves fit what was recorded, and the residual before the first iteration and
/// after each. `each` is called with the iteration, the residual and the image after each.
#[pyfunction]
#[pyo3(name = "lsrtm", signature = (job, engine, recorded, interval, each, progress))]
pub fn least_squares<'py>(
    py: Python<'py>,
    job: &Bound<'py, Job>,
    engine: &Engine,
    recorded: Option<&Bound<'py, PyAny>>,
    interval: Option<f64>,
    each: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut prepared = job.get().prepared(py)?;
    Job::warn(job, &prepared.inputs)?;
    let (job, model) = (job.get(), Model::of(&prepared));
    let given = recorded.map(|given| gathers("gathers", given)).transpose()?;
    let progress = Progress::new(progress);
    let (done, operation) = with_messages(py, || {
        let inputs = &mut prepared.inputs;
        let of = job.0.least_squares(&inputs.setup, inputs.plan.time.dt)?;
        let traces = recorded_of(job, given, interval, &of.migrated.plan, inputs)?;
        let mut operation = LeastSquaresRun::of(prepared, of, traces);
        operation.of_waves().iter().for_each(|warning| tracing::warn!("{warning}"));
        let is_volume = operation.plan().grid.is_volume();
        let done = engine.run(&mut operation, &progress, |operation, engine| {
            let mut begin = |stage: Stage<'_>| begun(&progress, engine, stage);
            let mut after = |done: &Solved, of: &LeastSquares| {
                let Some(each) = each.as_ref().filter(|_| done.iterations() > 0) else {
                    return Ok(());
                };
                let residual = done.residuals().last().copied();
                Python::attach(|py| {
                    let image = own_values(py, done.image(of), is_volume);
                    each.call1(py, (done.iterations(), residual, image)).map(drop)
                })
                .map_err(Error)
            };
            operation.solved(&[engine], &mut begin, &mut after)
        })?;
        Ok::<_, Error>((done, operation))
    })?;
    let results = PyDict::new(py);
    let image = done.image(&operation.of);
    results.set_item("image", own_values(py, image, operation.plan().grid.is_volume()))?;
    results.set_item("residuals", done.residuals())?;
    results.set_item("model", Py::new(py, model)?)?;
    Ok(results)
}
