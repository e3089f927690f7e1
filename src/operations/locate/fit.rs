//! The part of a recording that one source explains through each of several models, and the place
//! that explains most.
//!
//! With g(x) the traces of a trial wavelet fired at x, a recording d is fitted by w * g(x), where w
//! is the short filter of least squares, so that the best of all wavelets counts. The place follows
//! by Gauss-Newton steps, for which dipoles give the derivatives of g along the axes: separable
//! least squares (Golub and Pereyra 1973). The explained part of the energy, 1 - |d - w * g|^2 /
//! |d|^2, is called the variance reduction. Frequencies with a loud residual weigh less.

use super::{
    explained::{Explained, Lags},
    whitening::Whitening,
};
use crate::{
    acquisition::{Recording, Ricker, Shot, Source, SourceKind, Wavelet},
    engine::{Engine, EngineError, Timings},
    grid::{Axis, Grid, Position},
    model::VelocityModel,
    operations::{OnStep, shot},
    plan::{Plan, PlanError, Setup, Time},
};
use ndarray::Array2;
use std::sync::Arc;

/// Most Gauss-Newton steps, each a run of every shot of the trials that are not settled.
const ROUNDS: usize = 8;
/// A trial is settled after a shorter step, wavelengths.
const SETTLED: f64 = 0.02;
/// Fits whose explained parts differ by less are equal: the grid, f32 and the filter leave this
/// much of a recording even through its true model.
const LEFT: f64 = 5e-4;
/// Standard deviations that separate a model from the best.
pub(crate) const TOLD: f64 = 3.0;
/// Delay of the trial wavelet, periods.
const DELAY: f64 = 1.5;
/// The longest step, wavelengths.
const STEP: f64 = 0.25;

/// A model, and the place and time of a trial source in it.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// On the grid common to all.
    pub model: &'a VelocityModel,
    /// Metres from its first node, within half a wavelength.
    pub at: Position,
    /// Time of its peak in the recording, s, within half a period.
    pub time: f64,
}

/// The fit of one source through a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// The place that explains most, metres from the model's first node.
    pub at: Position,
    /// The centre of its wavelet in the recording, s.
    pub(crate) time: f64,
    /// The explained part of the recording's energy, from 0 to 1.
    pub explained: f64,
}

/// Fits through several models.
#[derive(Clone, Debug, PartialEq)]
pub struct Fits {
    /// In the order of the trials.
    pub all: Vec<Fit>,
    /// Independent samples of the residual of the best fit.
    pub(crate) independent: f64,
    /// Times of the runs.
    pub timings: Timings,
}

impl Fits {
    /// The index of the fit that explains most; the first of equal ones.
    pub fn best(&self) -> Option<usize> {
        let explained = |index: &usize| self.all[*index].explained;
        (0..self.all.len()).rev().max_by(|a, b| explained(a).total_cmp(&explained(b)))
    }

    /// Distance of a fit below the best, in standard deviations: the root of twice the logarithm of
    /// the ratio of their likelihoods, with the residual as noise. The residual of the method
    /// itself gives at most [`TOLD`].
    pub(crate) fn deviations(&self, index: usize) -> f64 {
        let Some(best) = self.best() else { return 0.0 };
        let [left, least] = [index, best].map(|fit| (1.0 - self.all[fit].explained).max(1e-9));
        let of_the_noise = (self.independent * (left / least).ln()).sqrt();
        of_the_noise.min(TOLD * (left - least) / LEFT)
    }

    /// True if a fit cannot be told from the best.
    pub fn is_as_good(&self, index: usize) -> bool {
        self.deviations(index) < TOLD
    }
}

/// A recording to be fitted through several models.
pub struct Fitting<'a> {
    setup: Setup,
    trials: &'a [Trial<'a>],
    /// The traces that are not silent, `[receiver][time]`.
    recorded: Array2<f32>,
    receivers: Arc<[Position]>,
    interval: f64,
    hz: f64,
    plan: Plan,
}

impl<'a> Fitting<'a> {
    /// By the scheme and the edges of a setup, whose model, shots and duration are replaced.
    pub fn new(
        setup: &Setup,
        recording: &Recording,
        trials: &'a [Trial<'a>],
    ) -> Result<Self, PlanError> {
        let heard = recording.heard();
        let (interval, hz) = (recording.interval, recording.dominant_hz());
        let time = Time { duration: recording.duration(), record: Some(interval), ..setup.time };
        let setup = Setup { time, snapshots: Vec::new(), initial: None, ..setup.clone() };
        let receivers: Arc<[_]> = heard.iter().map(|trace| recording.receivers[*trace]).collect();
        let recorded = recording.gather.select(ndarray::Axis(0), &heard);
        let first = trials.iter().map(|trial| (trial.model, trial.at));
        let plan = planned(&setup, &receivers, hz, first)?;
        Ok(Fitting { setup, trials, recorded, receivers, interval, hz, plan })
    }

    /// Runs the rounds. `begin` gets the Plan and the steps of each: trials that are settled have none in later rounds.
    pub fn run<E: From<EngineError> + From<PlanError>>(
        mut self,
        engine: &dyn Engine,
        begin: &mut dyn FnMut(&Plan, usize) -> Box<OnStep<'static>>,
    ) -> Result<Fits, E> {
        let mut fits = self.guesses();
        let mut whitening: Option<Whitening> = None;
        let mut open: Vec<usize> = (0..self.trials.len()).collect();
        for round in 0..ROUNDS {
            if round > 0 {
                self.plan = self.planned(&open, &fits.all)?;
            }
            let white = |gather: &Array2<f32>| {
                whitening.as_ref().map_or_else(|| gather.clone(), |whitening| whitening.of(gather))
            };
            let (recorded, kinds) = (white(&self.recorded), kinds(&self.plan.model_grid).count());
            let (mut sent, mut left, mut best) = (Vec::new(), None, -1.0);
            let (mut trials, mut unsettled) = (open.iter(), Vec::new());
            let mut progress = begin(&self.plan, shot::total_steps(engine, &self.plan)?);
            let timings = shot::model(
                engine,
                &self.plan,
                &mut *progress,
                &mut |_, _| false,
                &mut |result| {
                    sent.push(white(&result.gather));
                    if sent.len() < kinds {
                        return Ok::<_, E>(());
                    }
                    let trial = *trials.next().expect("so many kinds of shots a trial");
                    let lags = self.lags(&fits.all[trial]);
                    let explained = Explained::new(&recorded, &sent, &lags);
                    let (fit, length) = self.moved(&fits.all[trial], &explained);
                    fits.all[trial] = fit;
                    if length > SETTLED {
                        unsettled.push(trial);
                    }
                    if whitening.is_none() && explained.part > best {
                        best = explained.part;
                        left = Some(explained.left(&recorded, &sent[0], &lags));
                    }
                    sent.clear();
                    Ok(())
                },
            )?;
            fits.timings += timings;
            if let Some(left) = left {
                let new = Whitening::new(&left, &recorded, self.hz, self.interval);
                fits.independent = new.independent * self.recorded.nrows() as f64;
                whitening = Some(new);
            } else {
                // The explained part counts once it is whitened.
                open = unsettled;
            }
            if open.is_empty() {
                break;
            }
        }
        Ok(fits)
    }

    /// The trials as they are given.
    fn guesses(&self) -> Fits {
        let guess = |trial: &Trial<'_>| Fit { at: trial.at, time: trial.time, explained: 0.0 };
        let all = self.trials.iter().map(guess).collect();
        Fits { all, independent: 1.0, timings: Timings::default() }
    }

    /// Lags of the filter of a fit.
    fn lags(&self, fit: &Fit) -> Lags {
        Lags::around(fit.time - DELAY / self.hz, self.hz, self.interval)
    }

    /// A step from a fit that stays in the model, and its length in wavelengths.
    fn moved(&self, fit: &Fit, explained: &Explained) -> (Fit, f64) {
        let grid = &self.plan.model_grid;
        let wavelength = f64::from(self.plan.slowest) / self.hz;
        let (mut at, mut length) = (fit.at, 0.0f64);
        for (axis, off) in axes(grid).iter().zip(&explained.off) {
            let end = (*axis.of(&grid.n) - 1) as f64 * axis.of(&grid.h);
            let place = match axis {
                Axis::Z => &mut at.z,
                Axis::X => &mut at.x,
                Axis::Y => &mut at.y,
            };
            let before = *place;
            let longest = STEP * wavelength;
            *place = (before - off.clamp(-longest, longest)).clamp(0.0, end);
            length = length.hypot((*place - before) / wavelength);
        }
        let time = explained.lag * self.interval + DELAY / self.hz;
        (Fit { at, time, explained: explained.part }, length)
    }

    /// The Plan of the shots of some trials, from the places of their fits, through their models.
    fn planned(&self, trials: &[usize], fits: &[Fit]) -> Result<Plan, PlanError> {
        let of = trials.iter().map(|trial| (self.trials[*trial].model, fits[*trial].at));
        planned(&self.setup, &self.receivers, self.hz, of)
    }
}

fn axes(grid: &Grid) -> &'static [Axis] {
    if grid.is_volume() { &[Axis::Z, Axis::X, Axis::Y] } else { &[Axis::Z, Axis::X] }
}

/// Sources of a trial's shots.
fn kinds(grid: &Grid) -> impl Iterator<Item = SourceKind> {
    let dipoles = axes(grid).iter().map(|axis| SourceKind::Dipole(*axis));
    [SourceKind::Monopole].into_iter().chain(dipoles)
}

/// A monopole and dipoles at a place in each of some models.
fn planned<'m>(
    setup: &Setup,
    receivers: &Arc<[Position]>,
    hz: f64,
    trials: impl Iterator<Item = (&'m VelocityModel, Position)>,
) -> Result<Plan, PlanError> {
    let wavelet = Wavelet::Ricker(Ricker { peak_hz: hz, delay: DELAY / hz });
    let of = |(model, at): (&VelocityModel, Position)| {
        let shot = |kind| {
            let source = Source { kind, at, wavelet: wavelet.clone(), amplitude: 1.0 };
            Shot::new(source, receivers.clone())
        };
        (model.clone(), kinds(setup.model.grid()).map(shot).collect())
    };
    let mut models = trials.map(of);
    let Some((model, shots)) = models.next() else { return Plan::new(setup.clone()) };
    let others: Vec<_> = models.collect();
    Plan::each(Setup { model, shots, ..setup.clone() }, &others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{acquisition::line, engine::cpu::Parallel, grid::Axes};
    use std::{
        ops::ControlFlow,
        sync::{Mutex, PoisonError},
    };

    #[derive(Debug, thiserror::Error)]
    enum FitError {
        #[error(transparent)]
        Engine(#[from] EngineError),
        #[error(transparent)]
        Plan(#[from] PlanError),
    }

    #[test]
    fn each_round_counts_the_steps_that_it_takes() {
        let model = VelocityModel::new(Array2::from_elem((40, 30), 2000.0), 20.0, 20.0);
        let model = model.expect("a model");
        let at = Axes::xz(400.0, 300.0);
        let receivers = line(Axes::xz(0.0, 40.0), Axes::xz(780.0, 40.0), 10);
        let shot = Shot::new(Source::new(at, Wavelet::ricker(8.0)), receivers.clone());
        let setup = Setup::new(model.clone(), vec![shot], 0.6);
        let plan = Plan::new(setup.clone()).expect("a valid setup");
        let gather = shot::run(&Parallel, &plan).expect("a stable run").shots.remove(0).gather;
        let interval = plan.time.record_every as f64 * plan.time.dt;
        let recording = Recording { gather, interval, receivers };
        let slower = model.scaled(0.97).expect("a model");
        let trials = [&model, &slower].map(|model| Trial { model, at, time: DELAY / 8.0 });
        let fitting = Fitting::new(&setup, &recording, &trials).expect("valid trials");
        // Steps of each round: all, and those that were done.
        let rounds = Arc::new(Mutex::new(Vec::new()));
        let begun = rounds.clone();
        let fits = fitting.run::<FitError>(&Parallel, &mut |_, all| {
            begun.lock().unwrap_or_else(PoisonError::into_inner).push((all, 0));
            let begun = begun.clone();
            Box::new(move |done| {
                begun
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .last_mut()
                    .expect("a round")
                    .1 = done;
                ControlFlow::Continue(())
            })
        });
        assert_eq!(fits.expect("stable runs").best(), Some(0));
        let rounds = rounds.lock().unwrap_or_else(PoisonError::into_inner);
        assert!((2..ROUNDS).contains(&rounds.len()), "{rounds:?}");
        assert!(rounds.iter().all(|(all, done)| *all > 0 && all == done), "{rounds:?}");
    }

    #[test]
    fn a_model_is_told_from_the_best_by_the_noise_that_is_left_and_by_no_less_than_the_method_leaves()
     {
        let fits = |explained: &[f64], independent| Fits {
            all: explained
                .iter()
                .map(|explained| Fit { at: Position::default(), time: 0.0, explained: *explained })
                .collect(),
            independent,
            timings: Timings::default(),
        };
        // Half of it is noise: 2700 samples resolve 0.17 % of that.
        let noisy = fits(&[0.5, 0.4985, 0.498, 0.5], 2700.0);
        assert_eq!(noisy.best(), Some(0), "of equal ones the first");
        let good: Vec<_> = (0..4).map(|index| noisy.is_as_good(index)).collect();
        assert_eq!(good, [true, true, false, true]);
        assert_eq!(noisy.deviations(0), 0.0);
        assert!((noisy.deviations(2) - (2700.0 * (0.502f64 / 0.5).ln()).sqrt()).abs() < 1e-9);
        // Without noise, likelihoods would separate every fit.
        let clean = fits(&[0.9991, 0.9994, 0.9988], 2700.0);
        assert_eq!((clean.is_as_good(0), clean.is_as_good(2)), (true, false));
        assert_eq!(fits(&[], 1.0).best(), None);
    }
}
