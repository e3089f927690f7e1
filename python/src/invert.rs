//! Full waveform inversion.

use crate::{
    arrays::gathers,
    engine::Engine,
    error::Error,
    gradient::{observations, sampled, set_wavelets},
    job::Job,
    messages::with_messages,
    model::Model,
    progress::Progress,
    rtm::begun,
};
use huygens::{
    operations::{
        invert::{InversionRun, Inverted},
        rtm::Stage,
    },
    run::{Operation, PreparedJob},
};
use pyo3::{prelude::*, types::PyDict};

/// The model whose traces are the observed ones, and the misfit after each iteration of each band.
/// `each` is called with the band, the iteration, the misfit and the model after each.
#[pyfunction]
#[pyo3(signature = (job, engine, observed, interval, each, progress))]
pub fn invert<'py>(
    py: Python<'py>,
    job: &Job,
    engine: &Engine,
    observed: Option<&Bound<'py, PyAny>>,
    interval: Option<f64>,
    each: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let given = observed.map(|given| gathers("observed", given)).transpose()?;
    let progress = Progress::new(progress);
    let (model, misfits, (wavelets, interval)) = with_messages(py, || {
        let mut operation = InversionRun::of(PreparedJob::new(&job.0)?, |inputs| {
            job.warnings(inputs).iter().for_each(|warning| tracing::warn!("{warning}"));
            observations(job, given, interval, inputs)
        })?;
        engine.run(&mut operation, &progress, |operation, engine| {
            let mut begin = |stage: Stage<'_>| begun(&progress, engine, stage);
            let wavelets = operation.estimate_wavelets(&[engine], &mut begin)?;
            let wavelets = sampled(wavelets, operation.plan());
            let mut hear = |step, steps| progress.report("gradient", step, steps);
            let mut after = |done: &Inverted, model: &huygens::model::VelocityModel| {
                let Some(each) = &each else { return Ok(()) };
                let misfit = done.misfits.last().and_then(|of| of.last()).copied();
                Python::attach(|py| {
                    let model = Py::new(py, Model(model.clone()))?;
                    each.call1(py, (done.band, done.iterations(), misfit, model)).map(drop)
                })
                .map_err(Error)
            };
            let inputs = &operation.job().inputs;
            let inversion = &operation.inversion;
            let (model, misfits) =
                inversion.run::<Error>(&[engine], inputs, None, &mut hear, &mut after)?;
            Ok((model, misfits, wavelets))
        })
    })?;
    let results = PyDict::new(py);
    results.set_item("model", Py::new(py, Model(model))?)?;
    results.set_item("misfits", misfits)?;
    set_wavelets(&results, wavelets, interval)?;
    Ok(results)
}
