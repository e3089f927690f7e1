//! The choice of a scan: the model through which a source explains most of the recording.

use crate::cli::{
    failure::Failure,
    progress::{Progress, doing},
};
use huygens::{
    engine::{Engine, Timings},
    job::Back,
    results::locate::{Fitted, Tried},
    workflow::{
        locate::{self, Fitting, ROUNDS, Trial},
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
    let models: Vec<_> = tried.iter().map(|tried| (tried.is_a_peak(), tried.strength)).collect();
    let contenders = locate::contenders(&models);
    let strongest = contenders.first().copied().unwrap_or(0);
    let most = tried.get(strongest).and_then(|tried| tried.strength).unwrap_or(1.0);
    for tried in tried.iter_mut() {
        tried.strength = tried.strength.map(|strength| strength / most);
    }
    let (contenders, trials): (Vec<usize>, Vec<Trial<'_>>) = contenders
        .into_iter()
        .filter_map(|index| {
            let found = tried[index].found?;
            let model = &back.models[index].1;
            Some((index, Trial { model, at: found.at, time: found.time }))
        })
        .unzip();
    if trials.len() < 2 {
        return Ok((strongest, Timings::default()));
    }
    let planning = doing("planning a source through each model");
    let fitting = Fitting::new(&back.through(0), &back.recording, &trials)?;
    drop(planning);
    let plan = fitting.plan();
    let total = ROUNDS * total_steps(engine, plan)?;
    let points = ROUNDS as f64 * plan.updates() / total.max(1) as f64;
    let steps = Progress::of_steps(plan.time.steps, total, points, stop.clone());
    let fits = fitting.run::<Failure>(engine, &mut |step| steps.hear(step))?;
    for (fit, index) in contenders.iter().enumerate() {
        let locate::Fit { at, time, explained } = fits.all[fit];
        let (deviations, as_good) = (fits.deviations(fit), fits.is_as_good(fit));
        tried[*index].fit = Some(Fitted { at, time, explained, deviations, as_good });
    }
    Ok((fits.best().map_or(strongest, |best| contenders[best]), fits.timings))
}
