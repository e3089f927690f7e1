//! The choice of a scan: the model through which a source explains most of the recording.

use super::{Fitted, Tried};
use crate::{
    engine::{Engine, EngineError, Timings},
    operations::{
        OnStep,
        locate::{self, Back, Fit, Fitting, Trial},
    },
    plan::{Plan, PlanError},
};

/// Fits the models that focus about as strongly as the strongest, if there are several, and stores
/// each fit with its model; divides all strengths by that of the strongest. `begin` gets the Plan
/// and the steps of each round of runs, and returns its progress.
/// Returns the index of the best model, and the time of the runs.
pub(crate) fn best_of<E: From<EngineError> + From<PlanError>>(
    tried: &mut [Tried],
    back: &Back,
    engine: &dyn Engine,
    begin: &mut dyn FnMut(&Plan, usize) -> Box<OnStep<'static>>,
) -> Result<(usize, Timings), E> {
    let models: Vec<_> = tried.iter().map(|tried| (tried.is_a_peak(), tried.strength)).collect();
    let contenders = locate::contenders(&models);
    let strongest = contenders.first().copied().unwrap_or(0);
    let most = tried.get(strongest).and_then(|tried| tried.strength).unwrap_or(1.0);
    for tried in tried.iter_mut() {
        tried.strength = tried.strength.map(|strength| strength / most);
    }
    let trials = contenders.into_iter().filter_map(|index| {
        let found = tried[index].found?;
        Some((index, Trial { model: &back.models[index].1, at: found.at, time: found.time }))
    });
    let (models, trials): (Vec<_>, Vec<_>) = trials.unzip();
    if trials.len() < 2 {
        return Ok((strongest, Timings::default()));
    }
    let fitting = Fitting::new(&back.through(0), &back.recording, &trials)?;
    let fits = fitting.run::<E>(engine, begin)?;
    for (fit, index) in models.iter().enumerate() {
        let Fit { at, time, explained } = fits.all[fit];
        let (deviations, as_good) = (fits.deviations(fit), fits.is_as_good(fit));
        tried[*index].fit = Some(Fitted { at, time, explained, deviations, as_good });
    }
    Ok((fits.best().map_or(strongest, |best| models[best]), fits.timings))
}
