//! Zero-offset sections: exploding reflectors, and their migration.

use crate::{
    arrays::{own_nodes, rows, shaped},
    engine::Engine,
    error::Error,
    job::Job,
    progress::Progress,
    told::{warn, warned},
};
use huygens::{
    acquisition::Recording,
    ndarray::Array2,
    operations::{
        shot::total_steps,
        zero_offset::{backward, forward, image, section},
    },
    run::Demand,
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
    let inputs = job.prepared(py)?.inputs;
    let shots = inputs.setup.shots.len();
    if shots > 1 {
        warn(
            py,
            &format!(
                "the survey has {shots} shots, and a section is of one: of its first's receivers, in the band of its wavelet"
            ),
        )?;
    }
    let progress = Progress::new(progress);
    let there = forward(inputs.setup.clone()).map_err(Error::from)?;
    for warning in &there.warnings {
        warn(py, &warning.to_string())?;
    }
    let (told, is_volume) = (PyDict::new(py), there.plan.grid.is_volume());
    let hear_of = |all: usize| {
        let progress = &progress;
        move |step| progress.hear("zero offset", step, all)
    };
    match recorded {
        None => {
            let traces = warned(py, || {
                let run = || {
                    let tuned = engine.tuned(&there.plan)?;
                    let demand = Demand::of_section(&there, &inputs.model, tuned.engine());
                    demand.check(&there.plan)?;
                    let mut hear = hear_of(total_steps(tuned.engine(), &there.plan)?);
                    Ok::<_, Error>(section(tuned.engine(), &there, &mut hear, &mut |_| {})?.0)
                };
                progress.run(run)
            })?;
            told.set_item("traces", traces.into_pyarray(py))?;
            told.set_item("interval", there.interval())?;
            told.set_item("receivers", rows(py, &inputs.setup.shots[0].receivers))?;
        }
        Some((traces, interval)) => {
            let gather: Array2<f32> = shaped("section", "[receiver][time]", &traces)?;
            let time = &there.plan.time;
            let (own, samples) = (gather.ncols(), there.samples());
            if interval.is_none() && own != samples {
                return Err(Error::input(format!(
                    "the section has {own} samples, and one of the survey {samples}; say how far they are apart, in seconds: sample_interval"
                ))
                .into());
            }
            let interval = interval.unwrap_or(there.interval());
            let (recorded, run) = (own.saturating_sub(1) as f64 * interval, time.duration());
            if (recorded - run).abs() > interval {
                let message = format!(
                    "the section takes {recorded:.3} s, and the survey {run:.3} s: the image is that of the section, as deep as it is long"
                );
                warn(py, &message)?;
            }
            let receivers = inputs.setup.shots[0].receivers.to_vec();
            let recording = Recording { gather, interval, receivers };
            let image = warned(py, || {
                let back = backward(inputs.setup.clone(), &recording)?;
                let run = || {
                    let tuned = engine.tuned(&back.plan)?;
                    let through = (&inputs.model, tuned.engine());
                    Demand::of_section_image(&back, &recording, through).check(&back.plan)?;
                    let mut hear = hear_of(total_steps(tuned.engine(), &back.plan)?);
                    Ok::<_, Error>(image(tuned.engine(), &back, &mut hear, &mut |_| {})?.0)
                };
                progress.run(run)
            })?;
            told.set_item("image", own_nodes(py, image, is_volume))?;
        }
    }
    Ok(told)
}
