//! The runs that choose the model of a scan.

use crate::cli::terminal::{
    failure::Failure,
    progress::{Progress, doing},
};
use huygens::{
    engine::{Engine, Timings},
    job::Back,
    results::locate::{Contenders, Tried},
    workflow::{
        locate::{Fitting, ROUNDS},
        shot::total_steps,
    },
};
use std::sync::{Arc, atomic::AtomicBool};

/// Fits the models that focus about as strongly as the strongest, if there are several, and stores
/// each fit with its model. Returns the index of the best, and the time of the runs.
pub fn of_the_scan(
    tried: &mut [Tried],
    back: &Back,
    engine: &dyn Engine,
    stop: &Arc<AtomicBool>,
) -> Result<(usize, Timings), Failure> {
    let contenders = Contenders::new(tried, back);
    let trials = &contenders.trials;
    if trials.len() < 2 {
        return Ok((contenders.strongest, Timings::default()));
    }
    let planning = doing("planning a source through each model");
    let fitting = Fitting::new(&back.through(0), &back.recording, trials)?;
    drop(planning);
    let plan = fitting.plan();
    let total = ROUNDS * total_steps(engine, plan)?;
    let points = ROUNDS as f64 * plan.updates() / total.max(1) as f64;
    let steps = Progress::of_steps(plan.time.steps, total, points, stop.clone());
    let fits = fitting.run::<Failure>(engine, &mut |step| steps.hear(step))?;
    Ok((contenders.choose(tried, &fits), fits.timings))
}
