//! The choice of a scan: the model through which a source explains most of the recording.

use super::{Fitted, Tried};
use crate::{
    job::Back,
    workflow::locate::{self, Fit, Fits, Trial},
};

/// The models of a scan that focus about as strongly as the strongest, to be fitted.
pub struct Contenders<'a> {
    /// Index of the strongest model: the best, if fewer than two are left to be fitted.
    pub strongest: usize,
    /// Index of each model with a peak.
    models: Vec<usize>,
    /// A source at that peak.
    pub trials: Vec<Trial<'a>>,
}

impl<'a> Contenders<'a> {
    /// Of the tried models of a recording; divides their strengths by that of the strongest.
    pub fn new(tried: &mut [Tried], back: &'a Back) -> Self {
        let models: Vec<_> =
            tried.iter().map(|tried| (tried.is_a_peak(), tried.strength)).collect();
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
        let (models, trials) = trials.unzip();
        Contenders { strongest, models, trials }
    }

    /// Stores the fit of each trial with its model; returns the index of the best model.
    pub fn choose(&self, tried: &mut [Tried], fits: &Fits) -> usize {
        for (fit, index) in self.models.iter().enumerate() {
            let Fit { at, time, explained } = fits.all[fit];
            let (deviations, as_good) = (fits.deviations(fit), fits.is_as_good(fit));
            tried[*index].fit = Some(Fitted { at, time, explained, deviations, as_good });
        }
        fits.best().map_or(self.strongest, |best| self.models[best])
    }
}
