//! The wavelets of a job's shots, estimated from what was observed: all shots are modelled once with those of the job.

use super::{Observations, live_shots};
use crate::{
    acquisition::{Sampled, Wavelet},
    engine::{Engine, EngineError},
    job::{EstimatedAmplitude, EstimatedPer, Inputs, JobError, JobFile, WaveletEstimate},
    misfit::{
        FLANK, GivenWavelet, Likeness, MatchError, MatchedSpectra, MatchedWavelet, TracePair,
        WaveletLimits,
    },
    operations::{
        rtm::{Begin, Stage},
        shot::{self, ShotResult},
    },
    plan::{Plan, PlanError},
};
use serde::{Deserialize, Serialize};
use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};

const KEY: &str = "gradient.wavelet";

/// The wavelets that observed traces have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EstimatedWavelets {
    /// s(n dt): one for all shots, or one for each shot. An empty one leaves a shot that of the job.
    pub(super) samples: Vec<Vec<f64>>,
    /// Whether each shot has its own.
    pub(super) is_per_shot: bool,
    /// How traces modelled with the wavelets of the job compare with the observed ones.
    pub(super) before: Likeness,
    /// The same with the estimates, predicted from their spectra.
    pub(super) after: Likeness,
}

impl JobFile {
    /// Checks what a job says of an estimate of its wavelets.
    pub(super) fn check_wavelet_estimate(
        &self,
        estimate: WaveletEstimate,
        plan: &Plan,
    ) -> Result<(), JobError> {
        let key = format!("{KEY}.length");
        self.check_positive(&[(&key, estimate.length)])?;
        let record = plan.time.duration();
        let length = estimate.length.unwrap_or_default();
        let message = format!(
            "a wavelet of {length} s is longer than the record of {record} s; give at most that"
        );
        self.require(length <= record, &key, message)?;
        let wavelet = |shot: usize| given(plan, shot);
        for (shot, of) in plan.shots.iter().enumerate() {
            let mut sources = of.asked.sources.iter();
            let message = format!(
                "the sources of shot {} have different wavelets, and one is estimated for a shot; give them one, or leave \
                 {KEY} out",
                shot + 1
            );
            self.require(sources.all(|s| Some(&s.wavelet) == wavelet(shot)), KEY, message)?;
            let is_same = estimate.per == EstimatedPer::Shot || wavelet(shot) == wavelet(0);
            let message = format!(
                "shots 1 and {} have different wavelets, and one is estimated for the survey; give {KEY}.per = \"shot\"",
                shot + 1
            );
            self.require(is_same, KEY, message)?;
        }
        Ok(())
    }
}

/// The wavelet of a shot.
fn given(plan: &Plan, shot: usize) -> Option<&Wavelet> {
    plan.shots.get(shot)?.asked.sources.first().map(|source| &source.wavelet)
}

/// s(n dt) of a shot, as the job gives it.
pub(super) fn given_samples(plan: &Plan, shot: usize) -> Vec<f64> {
    let samples = given(plan, shot).map(|of| of.samples(plan.time.dt, plan.time.steps));
    // The Plan has sampled it before.
    samples.and_then(Result::ok).unwrap_or_default()
}

impl WaveletEstimate {
    fn limits(self) -> WaveletLimits {
        let is_fixed = self.amplitude == EstimatedAmplitude::Fixed;
        WaveletLimits { length: self.length, is_fixed }
    }

    /// The shots whose traces are modelled for the wavelets of a share of the shots.
    fn modelled(self, share: Range<usize>, all: usize) -> Range<usize> {
        match self.per {
            EstimatedPer::Survey => 0..all,
            EstimatedPer::Shot => share,
        }
    }

    /// How many wavelets so many shots have.
    fn count(self, shots: usize) -> usize {
        if self.per == EstimatedPer::Shot { shots } else { 1 }
    }
}

/// Bytes of the sums for the estimates of the wavelets of a Plan.
#[cfg(feature = "runs")]
pub(super) fn bytes(plan: &Plan) -> u64 {
    MatchedSpectra::bytes(plan.time.kept()) * plan.shots.len() as u64
}

/// The most steps from one product of both waves to the next, for a wavelet that is estimated in the band of a given one.
pub(super) fn most_every(of_given: usize) -> usize {
    ((of_given as f64 / FLANK) as usize).max(1)
}

impl Observations {
    /// The wavelets of a share of the shots, if the job asks for an estimate.
    ///
    /// # Errors
    ///
    /// Traces without waves in the band of the job's wavelet, or an engine that fails.
    pub fn estimated_wavelets<E: From<EngineError> + From<JobError> + Send>(
        &self,
        engines: &[&dyn Engine],
        inputs: &Inputs,
        share: Range<usize>,
        begin: &mut Begin<'_, E>,
    ) -> Result<Option<EstimatedWavelets>, E> {
        let Some(estimate) = self.gradient.wavelet_estimate() else { return Ok(None) };
        let plan = &inputs.plan;
        let spectra =
            self.spectra(engines, plan, estimate.modelled(share, plan.shots.len()), begin)?;
        let mut estimated = EstimatedWavelets::none(estimate, plan);
        let wavelet = |shot: usize, of: &MatchedSpectra| {
            let samples = &given_samples(plan, shot);
            let (time, highest) = (&plan.time, plan.highest);
            let given = GivenWavelet { samples, dt: time.dt, every: time.record_every, highest };
            of.wavelet(given, estimate.limits())
        };
        match estimated.is_per_shot {
            false => {
                let mut all = MatchedSpectra::new(plan.time.kept());
                spectra.iter().flatten().for_each(|of| all.add(of));
                estimated.add(0, wavelet(0, &all).map_err(|error| refused(KEY.into(), error))?);
            }
            true => {
                for (shot, of) in spectra.iter().enumerate() {
                    let Some(of) = of else { continue };
                    let of_shot = |error| refused(format!("{KEY} of shot {}", shot + 1), error);
                    estimated.add(shot, wavelet(shot, of).map_err(of_shot)?);
                }
            }
        }
        Ok(Some(estimated))
    }

    /// The sums over the traces of each of these shots that has samples that count.
    fn spectra<E: From<EngineError> + Send>(
        &self,
        engines: &[&dyn Engine],
        plan: &Plan,
        shots: Range<usize>,
        begin: &mut Begin<'_, E>,
    ) -> Result<Vec<Option<MatchedSpectra>>, E> {
        let live = live_shots(self.weights.as_deref(), plan.shots.len());
        let shots: Vec<usize> = shots.filter(|shot| live[*shot]).collect();
        let spectra = Mutex::new(vec![None; plan.shots.len()]);
        if !shots.is_empty() {
            let part = plan.part(&shots);
            let mut hear = begin(Stage::Modelling(&part))?;
            let done = |result: ShotResult| {
                let shot = shots[result.shot];
                let weights = self.weights.as_ref().map(|weights| &weights[shot]);
                let (modelled, observed) = (&result.gather, &self.gathers[shot]);
                let of = MatchedSpectra::of(TracePair { modelled, observed, weights });
                spectra.lock().unwrap_or_else(PoisonError::into_inner)[shot] = Some(of);
                Ok::<(), E>(())
            };
            shot::stream(engines, &part, &mut hear, &mut |_, _| false, &done)?;
        }
        Ok(spectra.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether wavelets may be those estimated for the shots of a Plan: a file may say anything.
    pub(crate) fn may_have(&self, wavelets: Option<&EstimatedWavelets>, plan: &Plan) -> bool {
        match (self.gradient.wavelet_estimate(), wavelets) {
            (None, None) => true,
            (Some(estimate), Some(wavelets)) => {
                let none = EstimatedWavelets::none(estimate, plan);
                let is_finite = |of: &Vec<f64>| of.iter().all(|sample| sample.is_finite());
                let fits = |of: &Vec<f64>| [0, plan.time.steps].contains(&of.len());
                wavelets.is_per_shot == none.is_per_shot
                    && wavelets.samples.len() == none.samples.len()
                    && wavelets.samples.iter().all(|of| fits(of) && is_finite(of))
            }
            _ => false,
        }
    }
}

fn refused(of: String, error: MatchError) -> JobError {
    JobError::other(format!("{of}: {error}"))
}

impl EstimatedWavelets {
    /// Before the first is estimated.
    pub(super) fn none(estimate: WaveletEstimate, plan: &Plan) -> Self {
        EstimatedWavelets {
            samples: vec![Vec::new(); estimate.count(plan.shots.len())],
            is_per_shot: estimate.per == EstimatedPer::Shot,
            before: Likeness::default(),
            after: Likeness::default(),
        }
    }

    /// s(n dt) of all shots or, of each shot, its own: empty where nothing was observed.
    pub fn samples(&self) -> &[Vec<f64>] {
        &self.samples
    }

    fn add(&mut self, at: usize, found: MatchedWavelet) {
        self.before = [self.before, found.before].into_iter().sum();
        self.after = [self.after, found.after].into_iter().sum();
        self.samples[at] = found.samples;
    }

    /// Gives the shots of a job these wavelets.
    ///
    /// # Errors
    ///
    /// If a wavelet cannot be simulated.
    pub fn apply_to(&self, inputs: &mut Inputs) -> Result<(), PlanError> {
        let interval = inputs.plan.time.dt;
        let sampled = |of: &Vec<f64>| Sampled { values: of.as_slice().into(), interval };
        // Shots of one wavelet share its samples.
        let wavelets: Vec<_> = self.samples.iter().map(sampled).collect();
        for (number, shot) in inputs.setup.shots.iter_mut().enumerate() {
            let wavelet = &wavelets[if self.is_per_shot { number } else { 0 }];
            if !wavelet.values.is_empty() {
                let sources = shot.sources.iter_mut();
                sources.for_each(|source| source.wavelet = Wavelet::Sampled(wavelet.clone()));
            }
        }
        inputs.plan = Plan::new(inputs.setup.clone())?;
        Ok(())
    }
}
