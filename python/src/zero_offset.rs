//! Zero-offset sections: exploding reflectors, and their migration.

use crate::{
    arrays::{own_nodes, rows, shaped},
    engine::Engine,
    error::Error,
    job::Job,
    messages::{warn, with_messages},
    progress::Progress,
};
use huygens::{
    ndarray::Array2,
    operations::{
        shot::total_steps,
        zero_offset::{Section, ZeroOffsetResult, ZeroOffsetRun},
    },
    run::Operation,
};
use numpy::IntoPyArray;
use pyo3::{prelude::*, types::PyDict};

/// The section of a job, or the image of one that is given with the seconds between its samples.
#[pyfunction]
#[pyo3(signature = (job, engine, recorded, progress))]
pub fn zero_offset<'py>(
    py: Python<'py>,
    job: &Job,
    engine: &Engine,
    recorded: Option<(Bound<'py, PyAny>, Option<f64>)>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let prepared = job.prepared(py)?;
    let shots = prepared.inputs.setup.shots.len();
    if shots > 1 {
        warn(
            py,
            &format!(
                "the survey has {shots} shots, and a section is of one: of its first's receivers, in the band of its wavelet"
            ),
        )?;
    }
    let progress = Progress::new(progress);
    let modelling = ZeroOffsetRun::of_section(prepared.clone(), None).map_err(Error::from)?;
    let section = recorded.map(|(traces, interval)| given(py, &modelling, &traces, interval));
    let section = section.transpose()?;
    let (made, operation) = with_messages(py, || {
        let mut operation = match section {
            None => modelling,
            section => ZeroOffsetRun::of_section(prepared, section)?,
        };
        operation.warnings().iter().for_each(|warning| tracing::warn!("{warning}"));
        let made = engine.run(&mut operation, &progress, |operation, engine| {
            let all = total_steps(engine, operation.plan())?;
            let mut on_step = |step| progress.report("zero offset", step, all);
            Ok(operation.make(engine, &mut on_step, &mut |_| {})?.0)
        })?;
        Ok::<_, Error>((made, operation))
    })?;
    let results = PyDict::new(py);
    match made {
        ZeroOffsetResult::Section(traces) => {
            results.set_item("traces", traces.into_pyarray(py))?;
            results.set_item("interval", operation.interval())?;
            let receivers = &operation.job().inputs.setup.shots[0].receivers;
            results.set_item("receivers", rows(py, receivers))?;
        }
        ZeroOffsetResult::Image(image) => {
            results.set_item("image", own_nodes(py, image, operation.plan().grid.is_volume()))?;
        }
    }
    Ok(results)
}

/// A section that is given, if its samples are those of a job's own section or their interval is
/// given too.
fn given(
    py: Python<'_>,
    modelling: &ZeroOffsetRun<'_>,
    traces: &Bound<'_, PyAny>,
    interval: Option<f64>,
) -> PyResult<Section> {
    let gather: Array2<f32> = shaped("section", "[receiver][time]", traces)?;
    let (own, samples) = (gather.ncols(), modelling.samples());
    if interval.is_none() && own != samples {
        return Err(Error::input(format!(
            "the section has {own} samples, and one of the survey {samples}; say how far they are apart, in seconds: sample_interval"
        ))
        .into());
    }
    let interval = interval.unwrap_or(modelling.interval());
    let run = modelling.plan().time.duration();
    let recorded = own.saturating_sub(1) as f64 * interval;
    if (recorded - run).abs() > interval {
        let message = format!(
            "the section takes {recorded:.3} s, and the survey {run:.3} s: the image is that of the section, as deep as it is long"
        );
        warn(py, &message)?;
    }
    let receivers = modelling.job().inputs.setup.shots[0].receivers.to_vec();
    Ok(Section { name: "the section".into(), gather, receivers, interval: Some(interval) })
}
