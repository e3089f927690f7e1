//! The sweeps over the shots of a survey: the migration of the recorded traces, and the normal
//! operator.

use super::{
    Lags, LeastSquares, OtherStart, RecordedSamples, Weights,
    fitted::{Fitted, Taken},
};
use crate::{
    acquisition::Band,
    engine::{DeviceWork, Engine, EngineError},
    job::{Direct, JobError},
    misfit::Likeness,
    operations::{
        recorded::Recorded,
        rtm::{
            self, Begin, Condition, Conditioning, Partial, RecordedTraces, Resampling, Residual,
            ShotMisfit, Stack, Stage, scale,
        },
    },
    plan::Plan,
    single::{Single, power_of_two},
};
use ndarray::{Array2, Array3, Ix2, s};
use std::{
    ops::Range,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The largest value of a direction, in whose units it scatters: the scattered wave is then no larger
/// than that of the source.
const LARGEST: f64 = 1.0 / 1024.0;

/// The sweeps over the shots of a survey.
pub(crate) struct Sweeps<'a> {
    engines: &'a [&'a dyn Engine],
    of: &'a LeastSquares,
    /// The shots, those without recorded samples without sources.
    plan: Plan,
    /// The recorded samples of each trace of each shot, and the seconds between them.
    samples: &'a [Vec<Range<usize>>],
    interval: f64,
    band: Option<Band>,
    scale: Array3<f64>,
    /// The weighed traces of a sweep, if they are wanted.
    taken: Taken,
}

/// What a sweep gives, summed over the shots.
pub(crate) struct Summed {
    /// The sum of squares of the weighed traces.
    pub(crate) energy: f64,
    /// What is sent back of them, by dv/v, `[y][x][z]`.
    pub(crate) image: Array3<f64>,
    /// The illumination by the sources.
    pub(crate) illumination: Array3<f64>,
    /// How recorded traces compare with those of the source waves, if they do.
    pub(crate) likeness: Likeness,
    /// Whether they start at another time.
    pub(crate) other_start: Option<OtherStart>,
    /// Each device's work.
    pub(crate) devices: Vec<DeviceWork>,
}

impl<'a> Sweeps<'a> {
    /// Over the shots of a migration, whose traces have these recorded samples, `interval` s apart.
    pub(crate) fn new(
        engines: &'a [&'a dyn Engine],
        of: &'a LeastSquares,
        samples: &'a [Vec<Range<usize>>],
        interval: f64,
    ) -> Self {
        let migrated = &of.migrated;
        let is_live = |of: &Vec<Range<usize>>| of.iter().any(|samples| !samples.is_empty());
        let live: Vec<_> = samples.iter().map(is_live).collect();
        let plan = migrated.plan.clone().with_sources_of(&live);
        let band = of.band.map(|corners| Band::of_corners(corners, plan.time.dt, plan.time.kept()));
        let scale = scale(&plan, migrated.every);
        let taken = Taken::new(interval);
        Sweeps { engines, of, plan, samples, interval, band, scale, taken }
    }

    /// The weights of the traces of a shot.
    fn weights(&self, shot: usize) -> Weights<'_> {
        let time = &self.plan.time;
        Weights {
            conditioning: self.of.migrated.conditioning(shot),
            band: self.band.as_ref(),
            shot: &self.plan.shots[shot].asked,
            recorded: RecordedSamples { of_traces: &self.samples[shot], interval: self.interval },
            dt: time.dt,
            end: time.kept() as f64 * time.dt,
        }
    }

    /// The migration of recorded traces: |W d|^2 and F' W' W d. If it says so, they are compared with those of the
    /// source waves, which `direct = "modelled"` subtracts from them.
    pub(crate) fn migrate<E: From<EngineError> + From<JobError> + Send>(
        &self,
        recorded: &Recorded,
        is_compared: bool,
        begin: &mut Begin<'_, E>,
    ) -> Result<Summed, E> {
        let resampling = Resampling::new(self.interval, &self.plan);
        let (failed, plan) = (Mutex::new(None), &self.plan);
        let (frequency, dt) = (plan.frequency, plan.time.dt);
        let lags = Mutex::new(Lags::new(frequency, dt));
        let by_sample = |shot: usize, background: Array2<f32>| {
            let mut traces = match self.at_steps(recorded, &resampling, shot) {
                Ok(traces) => at_first(&traces, background.ncols()),
                Err(error) => {
                    locked(&failed).get_or_insert(error);
                    Array2::zeros(background.dim())
                }
            };
            let mut likeness = Likeness::default();
            if is_compared {
                let of_shot = Lags::new(frequency, dt).of(&background, &traces);
                locked(&lags).add(&of_shot);
                likeness = Likeness::of(&background, &traces.mapv(|v| v as f32), None);
            }
            if self.of.migrated.rtm.direct == Direct::Modelled {
                traces.zip_mut_with(&background, |d, p| *d -= f64::from(*p));
            }
            let (misfit, sent) = self.weighed(shot, traces);
            (ShotMisfit { misfit, likeness }, sent)
        };
        let summed = self.run(None, &by_sample, begin);
        if let Some(error) = locked(&failed).take() {
            return Err(error.into());
        }
        let lags = locked(&lags);
        let other_start = is_compared.then(|| lags.other_start(frequency, dt)).flatten();
        Ok(Summed { other_start, ..summed? })
    }

    /// The recorded traces of a shot at the steps of the Plan.
    fn at_steps(
        &self,
        recorded: &Recorded,
        resampling: &Resampling,
        shot: usize,
    ) -> Result<Single<Ix2>, JobError> {
        let gather = recorded.gather(shot)?;
        let traces = RecordedTraces { gather: &gather, samples: &self.samples[shot] };
        let traces = Conditioning::default().at_steps(traces, resampling, &self.plan, shot);
        traces.map_err(|error| JobError::other(format!("shot {}: {error}", shot + 1)))
    }

    /// The normal operator of an image m: |W F m|^2 and F' W' W F m.
    pub(crate) fn normal<E: From<EngineError> + From<JobError> + Send>(
        &self,
        image: &Array3<f64>,
        begin: &mut Begin<'_, E>,
    ) -> Result<Summed, E> {
        let by_sample = |shot: usize, scattered: Array2<f32>| {
            let (misfit, sent) = self.weighed(shot, scattered.mapv(f64::from));
            (ShotMisfit { misfit, likeness: Likeness::default() }, sent)
        };
        let largest = image.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        let unit = if largest > 0.0 { power_of_two(largest) / LARGEST } else { 1.0 };
        // e = -2 dv/v.
        let e = image.mapv(|value| -2.0 * value / unit);
        let summed = self.run(Some(&e), &by_sample, begin)?;
        self.taken.multiply(unit);
        let (energy, image) = (unit * unit * summed.energy, summed.image * unit);
        Ok(Summed { energy, image, ..summed })
    }

    /// |W d|^2 and W' W d of the traces of a shot.
    fn weighed(&self, shot: usize, mut traces: Array2<f64>) -> (f64, Single<Ix2>) {
        let weights = self.weights(shot);
        weights.apply(&mut traces);
        self.taken.push(shot, &traces, weights.dt);
        let energy = traces.iter().map(|value| value * value).sum();
        weights.apply_adjoint(&mut traces);
        (energy, Single::of(&traces))
    }

    /// The weighed traces of all shots, as they are recorded and as an image scatters them.
    pub(crate) fn fitted<E: From<EngineError> + From<JobError> + Send>(
        &self,
        recorded: &Recorded,
        image: &Array3<f64>,
        begin: &mut Begin<'_, E>,
    ) -> Result<Fitted, E> {
        self.taken.begin(self.plan.shots.len());
        self.migrate(recorded, false, begin)?;
        let refused = |error| JobError::other(format!("lsrtm.traces: {error}"));
        let observed = self.taken.end().map_err(refused)?;
        self.taken.begin(self.plan.shots.len());
        self.normal(image, begin)?;
        Ok(Fitted::new(observed, self.taken.end().map_err(refused)?, self.interval))
    }

    /// Runs all shots: what `by_sample` makes of the traces of the source wave, or of what a
    /// perturbation scatters from it, is sent back.
    fn run<E: From<EngineError> + Send>(
        &self,
        perturbation: Option<&Array3<f64>>,
        by_sample: &Residual<'_>,
        begin: &mut Begin<'_, E>,
    ) -> Result<Summed, E> {
        let (plan, engines) = (&self.plan, self.engines);
        let numbers: Vec<usize> = (0..plan.shots.len()).collect();
        let mut migrations = Vec::new();
        for engine in engines {
            let migration = self.of.migrated.migration(*engine, plan, &numbers, engines.len())?;
            migrations.push(match perturbation {
                Some(e) => migration.of_scattered(e, by_sample),
                None => migration.of_residuals(by_sample),
            });
        }
        let (steps, mut stack) = (rtm::steps_of(&migrations), Stack::default());
        let none = |_| Err(EngineError::Unsound);
        let mut add = |partial: Partial| {
            stack.add(partial);
            Ok(())
        };
        let updates = (plan.grid.cells() * migrations[0].at_once()) as f64;
        let mut hear = begin(Stage::Migrating { steps, updates })?;
        let devices = rtm::over(&migrations, &none, &mut hear, &mut add)?;
        let stacked = stack.sum(&self.scale, &[]).ok_or(EngineError::Unsound)?;
        Ok(Summed {
            energy: stack.misfits().map(|shot| shot.misfit).sum(),
            image: stacked.image(Condition::CrossCorrelation) * -2.0,
            illumination: stacked.illumination(),
            likeness: stack.misfits().map(|shot| shot.likeness).sum(),
            other_start: None,
            devices,
        })
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first samples of traces, in f64.
fn at_first(traces: &Single<Ix2>, count: usize) -> Array2<f64> {
    let count = count.min(traces.values.ncols());
    traces.values.slice(s![.., ..count]).mapv(|value| f64::from(value) * traces.unit)
}

#[cfg(all(test, feature = "runs"))]
mod tests {
    use super::*;
    use crate::{
        engine::cpu::{Parallel, Reference},
        job::JobFile,
        operations::OnStep,
        plan::{Imaging, Scattering},
        run::RunError,
    };
    use std::{ops::ControlFlow, path::PathBuf, sync::Arc};

    const JOB: &str = r#"
[model]
velocity = "builtin:lens"
nodes = { z = 31, x = 41 }
spacing = 40.0
[time]
duration = 0.7
record = 0.004
[boundary]
sides = { kind = "cpml", cells = 6 }
[[shot]]
source = [{ at = { x = 310.0, z = 85.0 }, wavelet = { kind = "ricker", peak_hz = 6.0 } }]
[[shot]]
source = [{ at = { x = 1215.0, z = 85.0 }, wavelet = { kind = "ricker", peak_hz = 6.0 } }]
[receivers]
line = { from = { x = 55.0, z = 47.0 }, to = { x = 1485.0, z = 47.0 }, count = 9 }
[rtm]
smooth = 100.0
mute = { delay = 0.1 }
"#;

    /// Values without a pattern, from -0.5 to 0.5.
    fn random(mut state: u64) -> impl FnMut() -> f64 {
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        }
    }

    /// The survey, with a trace that is dead and one that starts late.
    fn with_survey(test: impl FnOnce(&LeastSquares, &[Vec<Range<usize>>])) {
        let file = JobFile::parse("job.toml", JOB, PathBuf::new()).expect("a job");
        let inputs = file.inputs().expect("sound inputs");
        let of = file.least_squares(&inputs.setup, inputs.plan.time.dt).expect("a migration");
        assert!(of.band.is_some() && of.migrated.every > 1);
        let count = inputs.plan.time.kept();
        let mut samples = vec![vec![0..count; 9]; 2];
        (samples[0][3], samples[1][5]) = (0..0, 70..count);
        test(&of, &samples);
    }

    /// `|W F m|^2 = <m, F' W' W F m>`, in f32.
    #[test]
    fn the_weighed_pair_is_adjoint() {
        with_survey(|of, samples| {
            let engines: [&dyn Engine; 1] = [&Parallel];
            let sweeps = Sweeps::new(&engines, of, samples, 4e-3);
            let mut number = random(5);
            let shape = of.migrated.plan.survey_grid().shape();
            let image = Array3::from_shape_simple_fn(shape, || 1e-9 * number());
            let begin = &mut |_: Stage<'_>| -> Result<Box<OnStep<'_>>, RunError> {
                Ok(Box::new(|_| ControlFlow::Continue(())))
            };
            let summed = sweeps.normal(&image, begin).expect("it runs");
            let product = (&image * &summed.image).sum();
            let off = (product / summed.energy - 1.0).abs();
            assert!(off < 1e-5, "{product:e} {:e}", summed.energy);
            // Tests the test: the image a cell off.
            let moved =
                (&image.slice(s![.., 1.., ..]) * &summed.image.slice(s![.., ..-1, ..])).sum();
            assert!((moved / summed.energy - 1.0).abs() > 0.1);
        });
    }

    /// `<W F m, d> = <m, F' W' d>` in f64, by its two links: what is sent back is rounded to f32.
    #[test]
    fn the_weighed_pair_is_adjoint_in_f64() {
        with_survey(|of, samples| {
            let engines: [&dyn Engine; 1] = [&Reference];
            let sweeps = Sweeps::new(&engines, of, samples, 4e-3);
            let (plan, every) = (&sweeps.plan, of.migrated.every);
            let imaging = Imaging { every, slots: plan.time.steps / every + 1 };
            let mut source = Reference.start(Arc::new(plan.stored(imaging))).expect("it starts");
            source.advance(plan.time.steps, &mut ()).expect("a stable run");
            source.finish(&mut ()).expect("a stable run");
            let wave = source.source_wavefield().expect("it is kept");
            let mut number = random(9);
            let image = Array3::from_shape_simple_fn(plan.survey_grid().shape(), &mut number);
            let scattering = Scattering { imaging, perturbation: &image * (-2.0 * every as f64) };
            let scattered =
                Reference.gathers_with(&plan.scattered(scattering), Some(&wave)).expect("it runs");
            let dot = |a: &Array2<f64>, b: &Array2<f64>| (a * b).sum();
            let (mut sent, mut forward) = (Vec::new(), 0.0);
            for (shot, traces) in scattered.iter().enumerate() {
                let weights = sweeps.weights(shot);
                let data = Array2::from_shape_simple_fn(traces.dim(), &mut number);
                let (mut there, mut back) = (traces.clone(), data.clone());
                weights.apply(&mut there);
                weights.apply_adjoint(&mut back);
                let size = dot(&there, &there).sqrt() * dot(&data, &data).sqrt();
                assert!((dot(&there, &data) - dot(traces, &back)).abs() < 1e-12 * size);
                let single = back.mapv(|value| value as f32);
                forward += dot(traces, &single.mapv(f64::from));
                sent.push(single);
            }
            let back = plan.sent_back(&sent, imaging).expect("traces that fit");
            let sums = Reference.sums(&back, &wave).expect("a stable run");
            let sum = sums.into_iter().fold(Array3::<f64>::zeros(image.dim()), |sum, of| sum + of);
            let adjoint = (&image * &(sum * &sweeps.scale * -2.0)).sum();
            let size = scattered.iter().map(|of| dot(of, of)).sum::<f64>().sqrt()
                * sent.iter().flatten().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
            assert!((forward - adjoint).abs() < 1e-12 * size, "{forward:e} {adjoint:e}");
        });
    }
}
