//! The observed traces of a job's shots, as its Plan records them.

use super::{Effort, abrupt_end, by_velocity, precondition, taper_at, wavelet};
#[cfg(feature = "runs")]
use crate::operations::check::RecordedSize;
use crate::{
    conditioning::{
        BandPass, ConditioningError,
        resample::{self, Samples},
        taper::fade,
    },
    job::{FileNames, Gradient, Inputs, JobError, JobFile, Varied, in_bytes},
    model::VelocityModel,
    operations::{
        recorded::{Recorded, Way, bytes_of_reading, keep_recorded},
        rtm,
    },
    plan::{Plan, PointShot},
};
use ndarray::{Array2, Array3, s};
use rayon::prelude::*;
use std::{ops::Range, path::Path};

/// The observed traces of the shots of a Plan, at the samples that it records.
pub struct Observations {
    /// The keys.
    pub gradient: Gradient,
    /// `[receiver][sample]` of each shot.
    pub gathers: Vec<Array2<f32>>,
    /// What each sample counts, if not all count alike: nothing where it was not recorded.
    pub weights: Option<Vec<Array2<f32>>>,
    /// True if not all samples count alike, even if the weights are not read yet.
    pub(crate) is_weighed: bool,
    /// The recorded samples of each trace of each shot.
    recorded: Vec<Vec<Range<usize>>>,
    /// Steps from one product of both waves to the next.
    pub every: usize,
    /// The most of the host's memory for the source wavefields of a device, bytes; by default half of
    /// it for all.
    pub(crate) within: Option<u64>,
    /// What was held while they were read, bytes.
    pub(crate) reading: u64,
}

impl JobFile {
    /// The files of the observed traces.
    pub(crate) fn observed_name(&self) -> Result<&FileNames, JobError> {
        let keys = self.job.gradient.as_ref();
        keys.and_then(|keys| keys.observed.as_ref()).ok_or_else(|| {
            let message = "no observed traces are named; give gradient.observed";
            self.mistake("gradient", message)
        })
    }

    /// The observed traces of a job for the shots of its Plan.
    pub fn observations(&self, inputs: &mut Inputs) -> Result<Observations, JobError> {
        let name = self.observed_name()?;
        let plan = inputs.plan.clone();
        let recorded = self.recorded_at("gradient.observed", name, Way::Held, &plan, inputs)?;
        inputs.files.extend(recorded.files.clone());
        self.observed(recorded, inputs)
    }

    /// The observations of a job from the recorded traces of its shots.
    pub fn observed(&self, recorded: Recorded, inputs: &Inputs) -> Result<Observations, JobError> {
        let path = recorded.files.first().map(|(name, _)| Path::new(name));
        let reading = bytes_of_reading(path, recorded.size(), &inputs.plan);
        let mut recorded = recorded;
        let gathers = std::mem::take(recorded.gathers()?);
        let Recorded { interval: own, samples, .. } = recorded;
        let gradient = self.job.gradient.clone().unwrap_or_default();
        self.check_gradient(&gradient, &inputs.plan)?;
        let finite = |gather: &Array2<f32>| gather.iter().all(|sample| sample.is_finite());
        if let Some(shot) = gathers.par_iter().position_first(|gather| !finite(gather)) {
            let message = format!(
                "the observed traces of shot {} are not all finite; mute them, or leave them out",
                shot + 1
            );
            return Err(self.mistake("gradient.observed", message));
        }
        let plan = &inputs.plan;
        let (interval, kept) = (plan.time.interval(), plan.time.kept());
        let wanted = Samples { count: kept, interval };
        let fitted = gathers.into_par_iter().zip(samples).map(|(gather, recorded)| {
            let fitted = fitted(gather, recorded, own, wanted);
            fitted.map_err(|error| self.mistake("gradient.observed", error))
        });
        let (gathers, recorded): (Vec<_>, Vec<_>) =
            fitted.collect::<Result<Vec<_>, JobError>>()?.into_iter().unzip();
        let period = 1.0 / plan.frequency;
        if self.imaged_every(plan)? > 1
            && gradient.interval.is_none()
            && gradient.taper < 0.5 * period
            && let Some(warning) = abrupt_end::warning(&gathers, interval, period)
        {
            tracing::warn!("{warning}");
        }
        let is_whole = recorded.iter().flatten().all(|samples| *samples == (0..kept));
        let weighs = gradient.mute.is_some() || gradient.taper > 0.0 || !is_whole;
        let weights = weighs.then(|| {
            let model = &inputs.setup.model;
            let shots = plan.shots.par_iter().zip(&recorded);
            let weights =
                |(shot, recorded): (_, &Vec<_>)| gradient.weights(plan, shot, model, recorded);
            shots.map(weights).collect::<Vec<_>>()
        });
        let counts = |of: &Vec<Array2<f32>>| {
            of.is_empty() || of.iter().flatten().any(|weight| *weight > 0.0)
        };
        let message = "the mute and the taper leave no sample of any trace; give seconds and m/s \
                       that leave some";
        self.require(weights.as_ref().is_none_or(counts), "gradient.mute", message)?;
        Ok(Observations {
            gathers,
            is_weighed: weights.is_some(),
            weights,
            recorded,
            reading,
            ..self.no_observations(plan)?
        })
    }

    /// Observations without traces.
    pub fn no_observations(&self, plan: &Plan) -> Result<Observations, JobError> {
        Ok(Observations {
            gradient: self.job.gradient.clone().unwrap_or_default(),
            gathers: Vec::new(),
            weights: None,
            is_weighed: false,
            recorded: Vec::new(),
            every: self.imaged_every(plan)?,
            within: None,
            reading: 0,
        })
    }

    /// The observations of a job before they are read, by the headers of their file if that is there.
    #[cfg(feature = "runs")]
    pub(crate) fn unread_observations(&self, inputs: &Inputs) -> Result<Observations, JobError> {
        let none = self.no_observations(&inputs.plan)?;
        let fades = none.gradient.mute.is_some() || none.gradient.taper > 0.0;
        let RecordedSize { reading, lacks_samples } = self.observed_size(inputs)?;
        Ok(Observations { is_weighed: fades || lacks_samples, reading, ..none })
    }

    /// [`JobFile::unread_observations`] of a command, whose file is checked if it is there. Of a long file only the headers are read.
    #[cfg(feature = "runs")]
    pub(crate) fn check_observations(
        &self,
        command: &str,
        inputs: &mut Inputs,
    ) -> Result<Observations, JobError> {
        let named = self.job.gradient.as_ref().and_then(|keys| keys.observed.as_ref());
        match self.gathers_to_check("gradient.observed", named, command) {
            Some(file) if file.is_long => {
                self.check_headers_of("gradient.observed", &file.paths, &inputs.plan, inputs)?;
            }
            Some(_) => drop(self.observations(inputs)?),
            None => {}
        }
        self.unread_observations(inputs)
    }

    /// Steps of a Plan from one product of both waves to the next.
    pub fn imaged_every(&self, plan: &Plan) -> Result<usize, JobError> {
        let gradient = self.job.gradient.clone().unwrap_or_default();
        self.check_gradient(&gradient, plan)?;
        let most = rtm::most(plan);
        Ok(match gradient.interval {
            Some(seconds) => {
                ((seconds / plan.time.dt).round() as usize).clamp(1, plan.time.steps.max(1))
            }
            None if gradient.estimates_wavelet() => wavelet::most_every(most),
            None => most,
        })
    }

    fn check_gradient(&self, gradient: &Gradient, plan: &Plan) -> Result<(), JobError> {
        if let Some(estimate) = gradient.wavelet_estimate() {
            self.check_wavelet_estimate(estimate, plan)?;
        }
        self.check_image_formats("gradient.formats", gradient.formats())?;
        let mute = gradient.mute.unwrap_or_default();
        self.check_positive(&[
            ("gradient.interval", gradient.interval),
            ("gradient.memory", gradient.memory),
            ("gradient.around_sources", gradient.around_sources),
            ("gradient.mute.velocity", mute.velocity),
        ])?;
        self.check_seconds(&[
            ("gradient.taper", Some(gradient.taper)),
            ("gradient.mute.delay", mute.delay),
            ("gradient.mute.taper", mute.taper),
        ])
    }
}

/// Added to the illumination, as a fraction of its mean.
const WATER_LEVEL: f64 = 0.01;

impl Observations {
    /// How often both waves are multiplied, and what may be kept of the source wavefields.
    pub fn effort(&self) -> Effort {
        Effort { within: self.within, ..self.gradient.effort(self.every) }
    }

    /// Makes modelled traces of a shot, or their derivatives, zero where nothing was observed.
    pub(crate) fn keep_recorded(&self, shot: usize, traces: &mut Array2<f32>) {
        keep_recorded(traces, &self.recorded[shot]);
    }

    /// dJ/de `[y][x][z]` as a gradient by the quantity that is varied, divided by the illumination
    /// and faded out around sources if that is asked for.
    pub fn finished(
        &self,
        mut gradient: Array3<f64>,
        illumination: &Array3<f64>,
        inputs: &Inputs,
    ) -> Array3<f64> {
        let keys = &self.gradient;
        if keys.of == Varied::Velocity {
            by_velocity(&mut gradient, &inputs.setup.model);
        }
        if keys.illumination {
            precondition(&mut gradient, illumination, WATER_LEVEL);
        }
        if let Some(radius) = keys.around_sources {
            let shots = inputs.plan.shots.iter();
            let places: Vec<_> =
                shots.flat_map(|shot| shot.asked.sources.iter().map(|source| source.at)).collect();
            taper_at(&mut gradient, &places, radius, inputs.plan.survey_grid().h);
        }
        gradient
    }
}

/// Traces in a band; those that are not finite as they are, for a run that blew up says so.
pub(crate) fn passed(
    band: Option<BandPass>,
    mut traces: Array2<f32>,
    interval: f64,
) -> Array2<f32> {
    if let Some(band) = band {
        let _ = band.apply(&mut traces, interval);
    }
    traces
}

/// Intervals that differ by less are the same.
const SAME: f64 = 1e-6;

/// Traces whose samples are `own` seconds apart, at the samples that are wanted: zero where nothing was
/// recorded; and the recorded samples of each among these.
fn fitted(
    mut gather: Array2<f32>,
    recorded: Vec<Range<usize>>,
    own: f64,
    wanted: Samples,
) -> Result<(Array2<f32>, Vec<Range<usize>>), ConditioningError> {
    let is_same = (own / wanted.interval - 1.0).abs() < SAME;
    let own = if is_same { wanted.interval } else { own };
    let of = Samples { count: gather.ncols(), interval: own };
    let recorded = recorded.into_iter();
    let recorded: Vec<_> =
        recorded.map(|samples| resample::recorded(samples, of, wanted)).collect();
    if !is_same {
        gather = resample::resampled(&gather, own, wanted.interval)?;
    }
    if gather.ncols() != wanted.count {
        let both = gather.ncols().min(wanted.count);
        let mut fitted = Array2::zeros((gather.nrows(), wanted.count));
        fitted.slice_mut(s![.., ..both]).assign(&gather.slice(s![.., ..both]));
        gather = fitted;
    }
    keep_recorded(&mut gather, &recorded);
    Ok((gather, recorded))
}

impl Gradient {
    /// The effort of a gradient that is imaged every so many steps.
    pub(crate) fn effort(&self, every: usize) -> Effort {
        Effort { every, memory: self.memory.map(in_bytes), within: None }
    }

    /// What each sample of a shot counts.
    fn weights(
        &self,
        plan: &Plan,
        shot: &PointShot,
        model: &VelocityModel,
        recorded: &[Range<usize>],
    ) -> Array2<f32> {
        let source = shot.asked.sources.first().map(|source| source.at);
        let velocity_at = |at| f64::from(model.nearest(at));
        let mute = self.mute.map(|mute| mute.of_shot(plan, shot, velocity_at));
        let end = plan.time.duration();
        let begins: Vec<(f64, f64)> = shot
            .asked
            .receivers
            .iter()
            .map(|at| {
                let mute = mute.zip(source);
                mute.map_or((f64::NEG_INFINITY, 0.0), |(mute, from)| {
                    (mute.at(at.distance(&from)), mute.taper)
                })
            })
            .collect();
        let time = |sample: usize| sample as f64 * plan.time.interval();
        let kept = plan.time.kept();
        // A trace that ends before the run fades at its own end.
        let end_of = |recorded: &Range<usize>| match recorded.end {
            last if last < kept => time(last.saturating_sub(1)),
            _ => end,
        };
        let ends: Vec<_> = recorded.iter().map(end_of).collect();
        Array2::from_shape_fn((begins.len(), kept), |(receiver, sample)| {
            if !recorded[receiver].contains(&sample) {
                return 0.0;
            }
            let (t, (begins, over)) = (time(sample), begins[receiver]);
            let start = if t < begins { 0.0 } else { fade(t - begins, over) };
            let end = if self.taper > 0.0 { fade(ends[receiver] - t, self.taper) } else { 1.0 };
            (start * end) as f32
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        job::{JobFile, Supplied},
        model::VelocityModel,
        operations::recorded::Recorded,
    };
    use ndarray::Array2;
    use std::path::PathBuf;

    /// The source is 16 m deep, nearest to the first node of the rock.
    const JOB: &str = r#"
[time]
duration = 0.5
record = 0.004
[[source]]
at = { x = 100.0, z = 16.0 }
wavelet = { kind = "ricker", peak_hz = 20.0 }
[receivers]
line = { from = { x = 200.0, z = 16.0 }, to = { x = 380.0, z = 16.0 }, count = 2 }
[gradient]
mute = { delay = 0.1, taper = 0.0 }
"#;

    #[test]
    fn both_mutes_have_the_velocity_of_the_node_nearest_to_the_source() {
        let velocity =
            Array2::from_shape_fn((51, 21), |(_, z)| if z < 2 { 1500.0 } else { 3000.0 });
        let model = VelocityModel::new(velocity, 10.0, 10.0).expect("a model");
        let mut file = JobFile::parse("job.toml", JOB, PathBuf::new()).expect("a job");
        file.supplied = Supplied { model: Some(model), ..Supplied::default() };
        file.forced = true;
        let inputs = file.inputs().expect("sound inputs");
        let migrated = file.migrated(&inputs.setup, inputs.plan.time.dt).expect("a migration");
        assert_eq!(migrated.conditioning(0).mute.expect("a mute").velocity, 3000.0);
        let traces = Array2::ones((2, inputs.plan.time.kept()));
        let recorded = Recorded::whole(vec![traces], inputs.plan.time.interval());
        let weights = file.observed(recorded, &inputs).expect("they fit").weights;
        let weights = weights.expect("a mute weighs");
        for (receiver, offset) in [(0, 100.0), (1, 280.0)] {
            let begins = weights[0].row(receiver).iter().position(|weight| *weight > 0.0);
            let begins = begins.expect("samples behind the mute") as f64 * 0.004;
            let line = offset / 3000.0 + 0.1;
            assert!((line..line + 0.004).contains(&(begins + 1e-9)), "{begins} {line}");
        }
    }
}
