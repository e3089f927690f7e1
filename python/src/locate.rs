//! Location by time reversal.

use crate::{
    arrays::{own_nodes, positions, shaped},
    engine::Engine,
    error::Error,
    job::Job,
    messages::with_messages,
    model::Model,
    progress::Progress,
};
use huygens::{
    acquisition::Recording,
    ndarray::Array2,
    operations::{
        locate::{self, Focused, LocationRun, files::Found, operation::Recorded},
        shot::total_steps,
    },
    run::Operation,
};
use numpy::PyReadonlyArray2;
use pyo3::{prelude::*, types::PyDict};

/// The sources of a gather, and the map of the largest field that was sent back.
#[pyfunction]
#[pyo3(name = "locate", signature = (job, engine, gather, progress))]
pub fn located<'py>(
    py: Python<'py>,
    job: &Job,
    engine: &Engine,
    gather: Option<(Bound<'py, PyAny>, f64, PyReadonlyArray2<'py, f64>)>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let given = gather.map(|(traces, interval, receivers)| {
        let gather: Array2<f32> = shaped("traces", "[receiver][time]", &traces)?;
        let receivers = positions("receivers", &receivers)?;
        Ok::<_, Error>(Recording { gather, interval, receivers })
    });
    let given = given.transpose()?;
    let progress = Progress::new(progress);
    let (found, map, frequency, is_volume, model) = with_messages(py, || {
        let back = match given {
            Some(recording) => job.0.back_of(recording)?,
            None => {
                let mut all = job.0.back(&[])?;
                if all.len() > 1 {
                    let count = all.len();
                    return Err(Error::input(format!(
                        "the gather has {count} records; choose one in gather.records"
                    )));
                }
                all.remove(0)
            }
        };
        if back.models.len() > 1 {
            return Err(Error::input(
                "a scan of models is not available in Python; leave scan out",
            ));
        }
        let mut operation = LocationRun::prepare(&job.0, back, Recorded::default())?;
        operation.warnings().iter().for_each(|doubt| tracing::warn!("{doubt}"));
        let focused = engine.run(&mut operation, &progress, |operation, engine| {
            let all = total_steps(engine, operation.plan())?;
            let mut hear = |step| progress.report("sending back", step, all);
            Ok(locate::run_one(engine, operation.plan(), &mut hear, &mut |_| false)?.0)
        })?;
        let (LocationRun { back, search, mask, .. }, plan) = (&operation, operation.plan());
        let (peaks, sharpness) = search.found(plan, mask, &focused);
        let doubts = search.doubts(plan, back, &peaks, &sharpness);
        doubts.iter().for_each(|doubt| tracing::warn!("{doubt}"));
        let model = back.models[0].1.clone();
        let placement = *model.placement();
        let placed = |peak| Found::new(plan, peak, &placement, None);
        let found: Vec<_> = peaks.iter().map(placed).collect();
        let Focused { map, .. } = Focused { map: focused.map.weighed(mask), ..focused };
        Ok((found, map, search.frequency, plan.grid.is_volume(), Model(model)))
    })?;
    let results = PyDict::new(py);
    let sources = found.iter().map(|found| {
        let of = PyDict::new(py);
        of.set_item("at", (found.at.x, found.at.y, found.at.z))?;
        of.set_item("time", found.time)?;
        of.set_item("over_background", found.over_background)?;
        of.set_item("over_next", found.over_next)?;
        let half = found.extent.half;
        of.set_item("extent", (half.x, half.y, half.z))?;
        Ok(of)
    });
    results.set_item("sources", sources.collect::<PyResult<Vec<_>>>()?)?;
    results.set_item("map", own_nodes(py, map.largest, is_volume))?;
    results.set_item("frequency", frequency)?;
    results.set_item("model", Py::new(py, model)?)?;
    Ok(results)
}
