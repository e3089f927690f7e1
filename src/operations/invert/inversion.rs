//! The inversion of a job: its bands, and its descent.

use super::{Bounds, Descended, Evaluation, Unknowns, descend, prior::Penalty};
use crate::{
    conditioning::BandPass,
    engine::{Engine, EngineError},
    job::{Inputs, Invert, JobError, Prior},
    misfit::Likeness,
    model::{ModelError, VelocityModel},
    operations::{
        OnSteps,
        gradient::{
            EstimatedWavelets, Gradient, Observations, Observed, by_velocity, live_shots, passed,
            taper_at,
        },
        smoothing::Smoothing,
    },
    plan::{Plan, PlanError, Setup},
    single::Single,
};
use ndarray::{Array2, Array3};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};

/// An inversion of a job.
pub struct Inversion {
    /// The keys of the job.
    pub(crate) keys: Invert,
    /// What was observed, at the samples of the Plan.
    pub(crate) observations: Observations,
    /// The band of each part; `None` is of all frequencies.
    pub(super) bands: Vec<Option<BandPass>>,
    pub(super) bounds: Bounds,
    /// How the observed traces compare with those of the first model of each band.
    pub(super) likenesses: Mutex<Vec<(usize, Likeness)>>,
    /// The wavelets of its shots, if they are estimated.
    pub(super) wavelets: Option<EstimatedWavelets>,
}

/// What has been done of an inversion, from which it can go on with the same bits.
#[derive(Clone, Serialize, Deserialize)]
pub struct Inverted {
    /// The band, counted from 0.
    pub band: usize,
    /// J after each iteration of each band; the first is that of the start.
    pub misfits: Vec<Vec<f64>>,
    /// m/s at the start of the band, `[y][x][z]`.
    start: Vec<f32>,
    /// Weights of the unknowns, likewise: L of [`Unknowns`].
    weights: Vec<f64>,
    /// The factor of the prior; 0 without one.
    prior: f64,
    descended: Descended,
    /// The estimated wavelets, if there are any.
    pub(super) wavelets: Option<EstimatedWavelets>,
}

/// The start of a band, or where an earlier run of it was.
struct Begun {
    start: VelocityModel,
    weights: Array3<f64>,
    penalty: Option<Penalty>,
    descended: Descended,
}

/// What a state keeps of the start of a band.
struct AtStart<'a> {
    band: usize,
    start: &'a VelocityModel,
    weights: &'a Array3<f64>,
    penalty: Option<Penalty>,
    wavelets: Option<&'a EstimatedWavelets>,
}

impl AtStart<'_> {
    /// The state after some iterations.
    fn with(&self, misfits: &[Vec<f64>], descended: &Descended) -> Inverted {
        Inverted {
            band: self.band,
            misfits: misfits.to_vec(),
            start: self.start.velocity().iter().copied().collect(),
            weights: self.weights.iter().copied().collect(),
            prior: self.penalty.map_or(0.0, |penalty| penalty.factor()),
            descended: descended.clone(),
            wavelets: self.wavelets.cloned(),
        }
    }
}

impl Inverted {
    /// The model at the start of its band, the weights of the unknowns, and the descent so far: of an
    /// inversion that [may have done](Inversion::may_have_done) it.
    fn begun(self, prior: Option<Prior>, model: &VelocityModel) -> Result<Begun, ModelError> {
        const CHECKED: &str = "as many as the model has nodes";
        let shape = model.velocity().raw_dim();
        let start = Array3::from_shape_vec(shape, self.start).expect(CHECKED);
        let weights = Array3::from_shape_vec(shape, self.weights).expect(CHECKED);
        let start = VelocityModel::volume(start, model.grid().h)?.placed(*model.placement());
        let penalty = prior.map(|prior| Penalty::new(prior, model, 0.0).with_factor(self.prior));
        Ok(Begun { start, weights, penalty, descended: self.descended })
    }

    /// Iterations of the band that are done.
    pub fn iterations(&self) -> usize {
        self.descended.iterations
    }
}

fn wrong(error: ModelError) -> JobError {
    JobError::other(error)
}

/// Part of the energy of traces or wavelets below which a band holds none of their waves: a thousandth
/// of their amplitude.
const FAINT: f64 = 1e-6;
/// Illumination that counts as none, as a part of its mean.
const DARK: f64 = 0.05;

impl Inversion {
    /// Number of bands.
    pub(crate) fn bands(&self) -> usize {
        self.bands.len()
    }

    /// The last band; `None` is of all frequencies.
    pub(super) fn last_band(&self) -> Option<BandPass> {
        self.bands.last().copied().flatten()
    }

    /// Iterations in all.
    pub(crate) fn iterations(&self) -> usize {
        self.bands.len() * self.keys.iterations
    }

    /// The number of the last iteration that is done, over all bands.
    pub(crate) fn done(&self, state: &Inverted) -> usize {
        (state.band * self.keys.iterations + state.iterations()).min(self.iterations())
    }

    /// The numbers of all iterations that are done; a band may have ended early.
    pub(crate) fn numbers(&self, state: &Inverted) -> Vec<usize> {
        let bands = state.misfits.iter().enumerate();
        let of_band = |(band, misfits): (usize, &Vec<f64>)| {
            (1..misfits.len()).map(move |k| band * self.keys.iterations + k).collect::<Vec<_>>()
        };
        bands.flat_map(of_band).collect()
    }

    /// Whether an earlier run of it may have done this: a file may say anything.
    pub(crate) fn may_have_done(&self, done: &Inverted, inputs: &Inputs) -> bool {
        let Inverted { band, misfits, start, weights, prior, descended, wavelets } = done;
        let count = inputs.model.velocity().len();
        *band < self.bands.len()
            && descended.iterations <= self.keys.iterations
            && misfits.len() == band + 1
            && misfits.iter().all(|of| !of.is_empty() && of.iter().all(|j| j.is_finite()))
            && (start.len(), weights.len()) == (count, count)
            && start.iter().all(|v| *v > 0.0 && v.is_finite())
            && weights.iter().all(|w| *w > 0.0 && w.is_finite())
            && *prior >= 0.0
            && prior.is_finite()
            && descended.is_of(count)
            && self.observations.may_have(wavelets.as_ref(), &inputs.plan)
    }

    /// Inverts, from the job's model or where an earlier run was. `hear` gets the steps done of an
    /// evaluation and all of them, and may stop it; `each` gets what has been done, with the model,
    /// after every iteration.
    pub fn run<E: From<EngineError> + From<PlanError> + From<JobError>>(
        &self,
        engines: &[&dyn Engine],
        inputs: &Inputs,
        earlier: Option<Inverted>,
        hear: &mut OnSteps<'_>,
        each: &mut dyn FnMut(&Inverted, &VelocityModel) -> Result<(), E>,
    ) -> Result<(VelocityModel, Vec<Vec<f64>>), E> {
        let (first, mut earlier) = (earlier.as_ref().map_or(0, |earlier| earlier.band), earlier);
        let mut misfits = earlier.as_ref().map_or_else(Vec::new, |done| done.misfits.clone());
        let mut model = inputs.model.clone();
        if earlier.as_ref().is_some_and(|done| !self.may_have_done(done, inputs)) {
            return Err(JobError::other("what was kept is of another inversion").into());
        }
        for band in first..self.bands.len() {
            let observed = self.observed(band, inputs);
            self.tell_if_faint(band, &observed, inputs);
            let mut evaluate = |model: &VelocityModel| {
                self.evaluate::<E>(engines, inputs, band, &observed, model, hear)
            };
            let (taper, smoothing) = (self.taper(inputs), self.smoothing(band, inputs));
            let unknowns_of = |start: &VelocityModel, weights: &Array3<f64>| {
                let (weights, taper) = (weights.clone(), taper.clone());
                Unknowns::new(start.clone(), self.bounds, smoothing, weights, taper)
            };
            let begun = match earlier.take() {
                Some(done) => done.begun(self.keys.prior, &inputs.model).map_err(wrong)?,
                None => {
                    let start = self.bounds.hold(&model, &taper).map_err(wrong)?;
                    let (at_start, lit) = evaluate(&start)?;
                    let weights = weights(&lit);
                    let (at_start, penalty) = self.penalised(at_start, &start, inputs);
                    misfits.push(vec![at_start.misfit]);
                    let descended = Descended::begin(&unknowns_of(&start, &weights), &at_start);
                    Begun { start, weights, penalty, descended }
                }
            };
            let Begun { start, weights, penalty, descended } = begun;
            let unknowns = unknowns_of(&start, &weights);
            let wavelets = self.wavelets.as_ref();
            let at_start = AtStart { band, start: &start, weights: &weights, penalty, wavelets };
            let descended = descend(
                &unknowns,
                descended,
                self.keys.iterations,
                &mut |model| {
                    let mut evaluation = evaluate(model)?.0;
                    penalty.iter().for_each(|penalty| penalty.add_to(&mut evaluation, model));
                    Ok(evaluation)
                },
                &mut |descended| {
                    misfits.last_mut().into_iter().for_each(|of| of.push(descended.misfit()));
                    let model = unknowns.model(descended.unknowns()).map_err(wrong)?;
                    each(&at_start.with(&misfits, descended), &model)
                },
            )?;
            model = unknowns.model(descended.unknowns()).map_err(wrong)?;
            self.warn_of_early_end(band, &descended);
        }
        Ok((model, misfits))
    }

    /// The start of a band with the prior's part, and the prior.
    fn penalised(
        &self,
        mut at_start: Evaluation,
        start: &VelocityModel,
        inputs: &Inputs,
    ) -> (Evaluation, Option<Penalty>) {
        let of_start = |prior| Penalty::new(prior, &inputs.model, at_start.misfit);
        let penalty = self.keys.prior.map(of_start);
        penalty.iter().for_each(|penalty| penalty.add_to(&mut at_start, start));
        (at_start, penalty)
    }

    /// The observed traces in a band.
    fn observed(&self, band: usize, inputs: &Inputs) -> Vec<Array2<f32>> {
        let interval = inputs.plan.time.interval();
        let gathers = self.observations.gathers.iter().cloned();
        gathers.map(|gather| passed(self.bands[band], gather, interval)).collect()
    }

    /// Warns of a band in which there are no waves to speak of, in traces or of sources.
    fn tell_if_faint(&self, band: usize, observed: &[Array2<f32>], inputs: &Inputs) {
        let Some([limit, _]) = self.bands[band].and_then(|band| band.high_cut) else { return };
        let energy = |of: &[Array2<f32>]| -> f64 {
            of.iter().flatten().map(|sample| f64::from(*sample).powi(2)).sum()
        };
        let (wavelets, dt) = (&inputs.plan.wavelets, inputs.plan.time.dt);
        // In units of the largest sample, as f32 may not hold its square.
        let row = |samples: &Arc<[f64]>| {
            let largest = samples.iter().fold(f64::MIN_POSITIVE, |most, s| most.max(s.abs()));
            Array2::from_shape_fn((1, samples.len()), |(_, at)| (samples[at] / largest) as f32)
        };
        let wavelets: Vec<_> = wavelets.iter().map(row).collect();
        let passing: Vec<_> =
            wavelets.iter().map(|row| passed(self.bands[band], row.clone(), dt)).collect();
        let all = &self.observations.gathers;
        for (what, there, all) in [
            ("observed traces", energy(observed), energy(all)),
            ("wavelets", energy(&passing), energy(&wavelets)),
        ] {
            if all > 0.0 && there < FAINT * all {
                tracing::warn!(
                    "band {} reaches to {limit} Hz, where the {what} have {:.0e} of their energy: that is rounding and noise \
                     rather than waves; begin with a band that reaches higher",
                    band + 1,
                    there / all
                );
            }
        }
    }

    /// J of a model in a band, with its gradient, and the illumination. The band is one of the traces: the filter is of
    /// zero phase, and so its own transpose.
    fn evaluate<E: From<EngineError> + From<PlanError>>(
        &self,
        engines: &[&dyn Engine],
        inputs: &Inputs,
        band: usize,
        gathers: &[Array2<f32>],
        model: &VelocityModel,
        hear: &mut OnSteps<'_>,
    ) -> Result<(Evaluation, Array3<f64>), E> {
        let plan = Plan::new(Setup { model: model.clone(), ..inputs.setup.clone() })?;
        let Observations { gradient: keys, weights, .. } = &self.observations;
        let observed = Observed { gathers, weights: weights.as_deref(), misfit: keys.misfit };
        let live = live_shots(observed.weights, plan.shots.len());
        let plan = plan.with_sources_of(&live);
        let (interval, passing) = (plan.time.interval(), self.bands[band]);
        // A filter spreads what was recorded over what was not: modelled traces lack the same samples before it.
        let by_sample = |shot: usize, mut modelled: Array2<f32>| {
            self.observations.keep_recorded(shot, &mut modelled);
            let modelled = passed(passing, modelled, interval);
            let (misfit, Single { values, unit }) = observed.residual(shot, modelled, interval);
            let mut values = passed(passing, values, interval);
            self.observations.keep_recorded(shot, &mut values);
            (misfit, Single { values, unit })
        };
        let effort = self.observations.effort();
        let found = Gradient::of_traces(engines, &plan, &by_sample, effort, hear, None)?;
        self.compare(band, found.likeness);
        let misfit = found.misfit();
        let mut gradient = found.by_slowness;
        by_velocity(&mut gradient, model);
        Ok((Evaluation { misfit, by_velocity: gradient }, found.illumination))
    }

    /// Keeps how the observed traces compare with those of the first model of a band, and warns of another scale.
    fn compare(&self, band: usize, likeness: Likeness) {
        let mut all = self.likenesses.lock().unwrap_or_else(PoisonError::into_inner);
        if all.iter().any(|(known, _)| *known == band) {
            return;
        }
        all.push((band, likeness));
        let what = format!("band {} of gradient.observed", band + 1);
        likeness.warn(&what, self.observations.gradient.misfit);
    }

    /// How the observed traces compare with those of the first model that was tried in a band.
    pub(crate) fn likeness(&self, band: usize) -> Option<Likeness> {
        let all = self.likenesses.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|(known, _)| *known == band).map(|(_, likeness)| *likeness)
    }

    /// Where the model may change, from 0 to 1: not in the water, nor at the sources.
    fn taper(&self, inputs: &Inputs) -> Array3<f64> {
        let grid = inputs.model.grid();
        let mut taper = Array3::ones(inputs.model.velocity().raw_dim());
        if let Some(radius) = self.observations.gradient.around_sources {
            let sources = inputs.plan.shots.iter().flat_map(|shot| &shot.asked.sources);
            let places: Vec<_> = sources.map(|source| source.at).collect();
            taper_at(&mut taper, &places, radius, grid.h);
        }
        for ((_, _, z), taper) in taper.indexed_iter_mut() {
            if (z as f64) * grid.h.z < self.keys.water {
                *taper = 0.0;
            }
        }
        taper
    }

    /// Warns of a band that ended before its last iteration.
    fn warn_of_early_end(&self, band: usize, descended: &Descended) {
        let (iterations, all) = (descended.iterations, self.keys.iterations);
        if iterations < all {
            tracing::warn!(
                "band {} ends after {iterations} of {all} iterations: no step makes the misfit smaller",
                band + 1
            );
        }
    }

    /// The smoothing of a band: of the job's length, or by the slowest velocity and the highest frequency.
    fn smoothing(&self, band: usize, inputs: &Inputs) -> Smoothing {
        let length = self.keys.smooth.unwrap_or_else(|| self.smoothing_length(band, inputs));
        Smoothing::new(length, inputs.model.grid().h)
    }

    /// The default length of smoothing, metres.
    fn smoothing_length(&self, band: usize, inputs: &Inputs) -> f64 {
        let highest = self.bands[band].and_then(|band| band.high_cut).map(|[limit, _]| limit);
        let highest = highest.unwrap_or(inputs.plan.highest).min(inputs.plan.highest);
        f64::from(inputs.model.range().0) / (8.0 * highest.max(1e-9))
    }
}

/// Weights of unknowns: places that the sources light less move as far as others.
fn weights(lit: &Array3<f64>) -> Array3<f64> {
    let mean = lit.iter().sum::<f64>() / lit.len().max(1) as f64;
    let mean = if mean > 0.0 { mean } else { 1.0 };
    lit.mapv(|lit| (lit / mean + DARK).powf(-0.5))
}
