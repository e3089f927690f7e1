//! How much of a recording one source explains through each of several models, and from where it explains most.
//!
//! With g(x) what the receivers hear of a trial wavelet that is fired at x, a recording d is fitted by w * g(x), w being the short filter of
//! least squares, so that of all wavelets the best counts. The place follows by steps of Gauss and Newton, for which the derivatives of g
//! along the axes are what dipoles send: separable least squares (Golub and Pereyra 1973). The part of the energy that goes,
//! 1 - |d - w * g|^2 / |d|^2, is called the variance reduction. Frequencies weigh less where what is left is loud.

use super::{
    Recording,
    explained::{Explained, Lags},
    whitening::Whitening,
};
use crate::{
    acquisition::{Ricker, Shot, Source, SourceKind, Wavelet},
    engine::{Engine, EngineError, Timings},
    grid::{Axis, Grid, Position},
    model::VelocityModel,
    plan::{Plan, PlanError, Setup, Time},
    workflow::shot,
};
use ndarray::Array2;
use std::ops::ControlFlow;

/// Steps of Gauss and Newton, each a run of every shot of the Plan.
pub const ROUNDS: usize = 3;
/// Explained by less than this more is explained as well: what the grid, f32 and the filter leave of a recording through the
/// very model that it came through.
const LEFT: f64 = 5e-4;
/// Twice the logarithm of the ratio of likelihoods by which a model is told from the best: three standard deviations.
const TOLD: f64 = 9.0;
/// Delay of the trial wavelet, periods.
const DELAY: f64 = 1.5;
/// The longest step, wavelengths.
const STEP: f64 = 0.25;

/// A model, and where and when a source of a recording may have been in it.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// On the grid of all.
    pub model: &'a VelocityModel,
    /// Metres from its first node, within half a wavelength.
    pub at: Position,
    /// Of its strongest moment in the recording, s, within half a period.
    pub time: f64,
}

/// What one source explains through a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Where it explains most, metres from the model's first node.
    pub at: Position,
    /// The middle of the wavelet that it then has, in the recording, s.
    pub time: f64,
    /// The part of the recording's energy that it explains, from 0 to 1.
    pub explained: f64,
}

/// Fits through several models.
#[derive(Clone, Debug, PartialEq)]
pub struct Fits {
    /// In the order of the trials.
    pub all: Vec<Fit>,
    /// Independent samples of what the best leaves.
    pub independent: f64,
    /// Of the runs.
    pub timings: Timings,
}

impl Fits {
    /// The fit that explains most, by its index; of equal ones the first.
    pub fn best(&self) -> Option<usize> {
        let explained = |index: &usize| self.all[*index].explained;
        (0..self.all.len()).rev().max_by(|a, b| explained(a).total_cmp(&explained(b)))
    }

    /// Whether a fit cannot be told from the best, by the ratio of their likelihoods where what is left is noise.
    pub fn is_as_good(&self, index: usize) -> bool {
        let Some(best) = self.best() else { return false };
        let [left, least] = [index, best].map(|fit| (1.0 - self.all[fit].explained).max(1e-9));
        left - least < LEFT || self.independent * (left / least).ln() < TOLD
    }
}

/// A recording that is to be fitted through several models.
pub struct Fitting<'a> {
    setup: Setup,
    trials: &'a [Trial<'a>],
    /// The traces that are not silent, `[receiver][time]`.
    recorded: Array2<f32>,
    receivers: Vec<Position>,
    interval: f64,
    hz: f64,
    plan: Plan,
}

impl<'a> Fitting<'a> {
    /// By the scheme and the edges of a setup, whose model, shots and duration are replaced.
    ///
    /// # Errors
    ///
    /// Those of a Plan, as of a trial outside of its model.
    pub fn new(
        setup: &Setup,
        recording: &Recording,
        trials: &'a [Trial<'a>],
    ) -> Result<Self, PlanError> {
        let heard = recording.heard();
        let (interval, hz) = (recording.interval, recording.dominant_hz());
        let time = Time { duration: recording.duration(), record: Some(interval), ..setup.time };
        let setup = Setup { time, snapshots: Vec::new(), initial: None, ..setup.clone() };
        let receivers: Vec<_> = heard.iter().map(|trace| recording.receivers[*trace]).collect();
        let recorded = recording.gather.select(ndarray::Axis(0), &heard);
        let places = trials.iter().map(|trial| trial.at);
        let plan = planned(&setup, &receivers, hz, trials, places)?;
        Ok(Fitting { setup, trials, recorded, receivers, interval, hz, plan })
    }

    /// What each of [`ROUNDS`] runs, but for the places.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Runs the rounds; `progress` hears the steps done out of all and may stop them.
    ///
    /// # Errors
    ///
    /// Those of the engine.
    pub fn run<E: From<EngineError> + From<PlanError>>(
        mut self,
        engine: &dyn Engine,
        progress: &mut (dyn FnMut(usize) -> ControlFlow<()> + Send),
    ) -> Result<Fits, E> {
        let mut fits = Fits { all: Vec::new(), independent: 1.0, timings: Timings::default() };
        let mut whitening: Option<Whitening> = None;
        for round in 0..ROUNDS {
            if round > 0 {
                let places = fits.all.iter().map(|fit| fit.at);
                let Fitting { setup, receivers, hz, trials, .. } = &self;
                self.plan = planned(setup, receivers, *hz, trials, places)?;
            }
            let white = |gather: &Array2<f32>| match &whitening {
                Some(whitening) => whitening.of(gather),
                None => gather.clone(),
            };
            let recorded = white(&self.recorded);
            let before = round * shot::total_steps(engine, &self.plan)?;
            let kinds = kinds(&self.plan.model_grid).count();
            let (mut all, mut sent, mut best) = (Vec::new(), Vec::new(), None);
            let timings = shot::model(
                engine,
                &self.plan,
                &mut |step| progress(before + step),
                &mut |_, _| false,
                &mut |result| {
                    sent.push(white(&result.gather));
                    if sent.len() < kinds {
                        return Ok::<_, E>(());
                    }
                    let trial = all.len();
                    let time = fits.all.get(trial).map_or(self.trials[trial].time, |fit| fit.time);
                    let lags = Lags::around(time - DELAY / self.hz, self.hz, self.interval);
                    let explained = Explained::new(&recorded, &sent, &lags);
                    all.push(self.moved(trial * kinds, &explained));
                    if best.as_ref().is_none_or(|(part, _)| explained.part > *part) {
                        best = Some((explained.part, explained.left(&recorded, &sent[0], &lags)));
                    }
                    sent.clear();
                    Ok(())
                },
            )?;
            fits.timings += timings;
            fits.all = all;
            if let (None, Some((_, left))) = (&whitening, best) {
                let new = Whitening::new(&left, &recorded, self.hz, self.interval);
                fits.independent = new.independent * self.recorded.nrows() as f64;
                whitening = Some(new);
            }
        }
        Ok(fits)
    }

    /// A step from where the source of a shot is, not out of the model.
    fn moved(&self, shot: usize, explained: &Explained) -> Fit {
        let shot = &self.plan.shots[shot];
        let grid = &self.plan.model_grid;
        let longest = STEP * f64::from(self.plan.slowest) / self.hz;
        let mut at = shot.asked.sources[0].at;
        for (axis, off) in axes(grid).iter().zip(&explained.off) {
            let end = (*axis.of(&grid.n) - 1) as f64 * axis.of(&grid.h);
            let place = match axis {
                Axis::Z => &mut at.z,
                Axis::X => &mut at.x,
                Axis::Y => &mut at.y,
            };
            *place = (*place - off.clamp(-longest, longest)).clamp(0.0, end);
        }
        let time = explained.lag * self.interval + DELAY / self.hz;
        Fit { at, time, explained: explained.part }
    }
}

fn axes(grid: &Grid) -> &'static [Axis] {
    if grid.is_volume() { &[Axis::Z, Axis::X, Axis::Y] } else { &[Axis::Z, Axis::X] }
}

/// Of the shots of a trial.
fn kinds(grid: &Grid) -> impl Iterator<Item = SourceKind> {
    let dipoles = axes(grid).iter().map(|axis| SourceKind::Dipole(*axis));
    [SourceKind::Monopole].into_iter().chain(dipoles)
}

/// Every trial's shots through its model.
fn planned(
    setup: &Setup,
    receivers: &[Position],
    hz: f64,
    trials: &[Trial<'_>],
    places: impl Iterator<Item = Position>,
) -> Result<Plan, PlanError> {
    let wavelet = Wavelet::Ricker(Ricker { peak_hz: hz, delay: DELAY / hz });
    let receivers: std::sync::Arc<[Position]> = receivers.into();
    let of = |(trial, at): (&Trial<'_>, Position)| {
        let shot = |kind| {
            let source = Source { kind, at, wavelet: wavelet.clone(), amplitude: 1.0 };
            Shot { sources: vec![source], receivers: receivers.clone() }
        };
        (trial.model.clone(), kinds(setup.model.grid()).map(shot).collect())
    };
    let mut models: Vec<(VelocityModel, Vec<Shot>)> = trials.iter().zip(places).map(of).collect();
    if models.is_empty() {
        return Plan::new(setup.clone());
    }
    let (model, shots) = models.remove(0);
    Plan::each(Setup { model, shots, ..setup.clone() }, &models)
}
