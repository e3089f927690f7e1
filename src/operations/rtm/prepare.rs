//! The migration of a job: its keys checked and converted to steps and cells.

use super::{Condition, Conditioning, Migration, Stacked, laplacian, limit, most};
use crate::{
    engine::{Engine, EngineError},
    grid::{Axis, Grid},
    job::{
        Along, Angles, Direct, ImageFormat, JobError, JobFile, Rtm, SubsurfaceOffsets, in_bytes,
    },
    model::VelocityModel,
    operations::keys::are_different,
    plan::{Offsets, Plan, Setup, Step},
};
use ndarray::Array3;

/// The migration of a job.
pub struct Migrated {
    /// The keys of the job.
    pub rtm: Rtm,
    /// Plan of the shots in the migration model; records every step.
    pub plan: Plan,
    /// The migration model.
    pub(crate) model: VelocityModel,
    /// Steps from one imaging step to the next.
    pub(crate) every: usize,
    /// The most that the highest frequency allows.
    pub(crate) most: usize,
    /// The requested offset gathers.
    pub(crate) offsets: Vec<Offsets>,
    /// The most of the host's memory for the source wavefields of a device, bytes; by default half of
    /// it for all.
    pub(crate) within: Option<u64>,
}

impl JobFile {
    /// The migration of the shots of a setup, whose own Plan takes steps of `dt` s.
    pub fn migrated(&self, setup: &Setup, dt: f64) -> Result<Migrated, JobError> {
        self.migrated_by(self.job.rtm.clone().unwrap_or_default(), setup, dt)
    }

    /// [`JobFile::migrated`] by other keys than those of the job.
    pub(crate) fn migrated_by(
        &self,
        rtm: Rtm,
        setup: &Setup,
        dt: f64,
    ) -> Result<Migrated, JobError> {
        self.check_rtm(&rtm, setup, dt)?;
        self.check_vti_migration(&rtm, setup)?;
        let refused = |error| self.mistake("rtm.smooth", error);
        let smoothed = rtm.smooth.map(|length| setup.model.smoothed(length)).transpose();
        let model = smoothed.map_err(refused)?;
        let grid = setup.model.grid();
        let smoothed = rtm.smooth.map(|length| setup.density.smoothed(grid, length)).transpose();
        let density = smoothed.map_err(refused)?.unwrap_or_else(|| setup.density.clone());
        let model = model.unwrap_or_else(|| setup.model.clone());
        let scaled = rtm.factor.map(|factor| model.scaled(factor)).transpose();
        let model = scaled.map_err(|error| self.mistake("rtm.factor", error))?.unwrap_or(model);
        let time = crate::plan::Time { step: Step::Seconds(dt), record: None, ..setup.time };
        let of_migration =
            Setup { model: model.clone(), density, time, snapshots: Vec::new(), ..setup.clone() };
        let plan = Plan::new(of_migration).map_err(|error| match rtm.factor {
            Some(factor) if factor > 1.0 => {
                let message =
                    format!("through velocities times {factor}: {error}; or give a smaller factor");
                self.mistake("rtm.factor", message)
            }
            _ => self.refused(&error),
        })?;
        let are_heard = plan.shots.iter().all(|shot| !shot.receivers.is_empty());
        let deaf =
            "a shot without receivers has nothing to be migrated; give [receivers], or a spread";
        self.require(are_heard, "receivers", deaf)?;
        let most = most(&plan);
        let plan = match rtm.is_plain() {
            // The second time derivative that is stored is then the wave of the wavelet itself, whose product
            // with integrated traces is that of the integrated wavelet with the traces.
            true => plan.with_integrated_sources(),
            false => plan,
        };
        let every = match rtm.interval {
            Some(interval) => {
                ((interval / plan.time.dt).round() as usize).clamp(1, plan.time.steps.max(1))
            }
            None => most,
        };
        let shots = plan.shots.len();
        if let Some(movie) = rtm.movie.filter(|movie| shots > 1 && movie.every >= shots) {
            let message = format!(
                "a movie takes two frames or more, and one every {} of {} shots is one; give a \
                 smaller number, or leave the movie out",
                movie.every, shots
            );
            return Err(self.mistake("rtm.movie", message));
        }
        let offsets = self.offsets(&rtm, &plan)?;
        self.check_formats(&rtm, &offsets)?;
        self.check_angles(&rtm, &offsets)?;
        Ok(Migrated { rtm, plan, model, every, most, offsets, within: None })
    }

    /// Returns the first mistake in the keys of a migration.
    fn check_rtm(&self, rtm: &Rtm, setup: &Setup, dt: f64) -> Result<(), JobError> {
        let (mute, duration) = (rtm.mute.unwrap_or_default(), setup.time.duration);
        self.check_positive(&[
            ("rtm.smooth", rtm.smooth),
            ("rtm.interval", rtm.interval),
            ("rtm.memory", rtm.memory),
            ("rtm.factor", rtm.factor),
            ("rtm.mute.velocity", mute.velocity),
        ])?;
        self.check_seconds(&[("rtm.mute.delay", mute.delay), ("rtm.mute.taper", mute.taper)])?;
        if let Some(movie) = rtm.movie {
            self.check_rate(movie.rate, "rtm.movie.rate")?;
            let none = "a frame every 0 shots is not available; give 1 or more";
            self.require(movie.every > 0, "rtm.movie.every", none)?;
        }
        self.check_image_formats("rtm.formats", &rtm.formats)?;
        let none = "no image is asked for; give \"source-normalised\", \"cross-correlation\", \
                    \"inverse-scattering\" or several, or \"plain-product\"";
        self.require(!rtm.conditions.is_empty(), "rtm.conditions", none)?;
        let twice = "a condition is there twice; give each once";
        self.require(are_different(&rtm.conditions), "rtm.conditions", twice)?;
        let alone = rtm.conditions.len() < 2 || !rtm.conditions.contains(&Condition::PlainProduct);
        let own = "\"plain-product\" has a source wave of its own; give it alone";
        self.require(alone, "rtm.conditions", own)?;
        if let Some([f1, f2, f3, f4]) = rtm.band {
            let begins = 0.0 <= f1 && f1 < f2 || [f1, f2] == [0.0; 2];
            let rises = begins && f2 <= f3 && f3 < f4 && f4.is_finite();
            let message = format!(
                "the corner frequencies {:?} Hz make no band; give four that rise, f1 < f2 <= f3 < \
                 f4, from 0 Hz or above, or twice 0 where nothing low is to go",
                [f1, f2, f3, f4]
            );
            self.require(rises, "rtm.band", message)?;
            if rtm.gathers.is_none() {
                self.check_band(setup.time.record.unwrap_or(dt))?;
            }
        }
        let interval = rtm.interval.unwrap_or(0.0);
        let message = format!("{interval} s is longer than the run, {duration} s; give less");
        self.require(interval <= duration, "rtm.interval", message)
    }

    /// Returns an error for a band beyond the Nyquist frequency of traces with samples `interval` s
    /// apart.
    pub(crate) fn check_band(&self, interval: f64) -> Result<(), JobError> {
        let (band, nyquist) = (self.job.rtm.as_ref().and_then(|rtm| rtm.band), 0.5 / interval);
        match band {
            Some([.., f4]) if f4 > nyquist * (1.0 + 1e-9) => {
                let message = format!(
                    "a band up to {f4} Hz reaches beyond {nyquist} Hz, the Nyquist frequency of \
                     traces with a sample every {interval} s; give a largest frequency of \
                     {nyquist} Hz or less, or traces of more samples"
                );
                Err(self.mistake("rtm.band", message))
            }
            _ => Ok(()),
        }
    }

    fn check_formats(&self, rtm: &Rtm, offsets: &[Offsets]) -> Result<(), JobError> {
        let only_traces = rtm.formats.iter().all(|format| *format == ImageFormat::Sgy);
        let message = "gathers are not written as SEG-Y; add \"npy\" or \"rsf\"";
        self.require(offsets.is_empty() || !only_traces, "rtm.formats", message)
    }

    fn check_angles(&self, rtm: &Rtm, offsets: &[Offsets]) -> Result<(), JobError> {
        let Some(Angles { most, step }) = rtm.angles else { return Ok(()) };
        let message = if !offsets.iter().any(|offsets| offsets.along == Axis::X) {
            "angles are made of offset gathers along x; give rtm.offsets along x".to_owned()
        } else if !(most > 0.0 && most < 90.0) {
            format!(
                "angles up to {most} degrees are not available; give more than 0 and less than 90"
            )
        } else if !(step >= LEAST_ANGLE && step <= most) {
            format!(
                "a step of {step} degrees is not available; give from {LEAST_ANGLE} to the largest angle, {most}"
            )
        } else {
            return Ok(());
        };
        Err(self.mistake("rtm.angles", message))
    }

    /// The offsets of a job, in cells.
    fn offsets(&self, rtm: &Rtm, plan: &Plan) -> Result<Vec<Offsets>, JobError> {
        let Some(wanted) = &rtm.offsets else { return Ok(Vec::new()) };
        let grid = plan.survey_grid();
        let lines = self.lines(wanted, grid)?;
        let along = match wanted.along {
            Along::X => &[Axis::X][..],
            Along::Z => &[Axis::Z],
            Along::Both => &[Axis::X, Axis::Z],
        };
        // Offsets are within a window.
        let (last, mut all) = (grid.last(), Vec::new());
        let widest = plan.model_grid.last();
        let ends = if plan.windows.is_some() { "windows end" } else { "the model ends" };
        if let Some(x) = wanted.drawn.iter().find(|x| !(0.0..=last.x).contains(*x)) {
            let message = format!(
                "x = {x} m lies outside the model, which reaches from 0 to {} m along x",
                last.x
            );
            return Err(self.mistake("rtm.offsets.drawn", message));
        }
        for axis in along {
            let (h, last, name) = (*axis.of(&grid.h), *axis.of(&widest), axis.letter());
            // A number of cells, at least one.
            let cells = |key: &str, value: f64| -> Result<usize, JobError> {
                let cells = (value / h).round();
                if !(cells >= 1.0 && value <= last) {
                    let message = format!(
                        "{value} m is not available along {name}; give from a cell, {h} m, to \
                         {last} m, where {ends}"
                    );
                    return Err(self.mistake(key, message));
                }
                Ok(cells as usize)
            };
            let step = wanted.step.map_or(Ok(1), |step| cells("rtm.offsets.step", step))?;
            let most = cells("rtm.offsets.most", wanted.most)?;
            let message = format!(
                "the step is larger than the largest offset, {} m; give a smaller one",
                wanted.most
            );
            self.require(step <= most, "rtm.offsets.step", message)?;
            let most = most / step * step;
            all.extend(lines.iter().map(|line| Offsets { along: *axis, line: *line, most, step }));
        }
        Ok(all)
    }

    /// The lines of the gathers, in cells along y.
    fn lines(&self, wanted: &SubsurfaceOffsets, grid: &Grid) -> Result<Vec<usize>, JobError> {
        let refuse = |message: &str| Err(self.mistake("rtm.offsets.lines", message));
        match (grid.is_volume(), wanted.lines.is_empty()) {
            (false, true) => return Ok(vec![0]),
            (false, false) => {
                return refuse("the model is 2-D, and has one line; leave them out");
            }
            (true, true) => {
                return refuse(
                    "gathers of a volume are made on lines along x; give their y, metres",
                );
            }
            (true, false) => {}
        }
        let last = grid.last().y;
        let mut lines = Vec::new();
        for y in &wanted.lines {
            if !(0.0..=last).contains(y) {
                return refuse(&format!(
                    "y = {y} m lies outside the model, which reaches from 0 to {last} m along y"
                ));
            }
            let line = (y / grid.h.y).round() as usize;
            if lines.contains(&line) {
                return refuse(&format!("the line at y = {y} m is there twice; give it once"));
            }
            lines.push(line);
        }
        Ok(lines)
    }
}

impl Migrated {
    /// The migration of some of its shots by one of the devices that share them.
    pub(crate) fn migration<'a>(
        &self,
        engine: &'a dyn Engine,
        plan: &'a Plan,
        numbers: &[usize],
        devices: usize,
    ) -> Result<Migration<'a>, EngineError> {
        let of_all = self.within.map(|bytes| bytes.saturating_mul(devices as u64));
        let memory = limit(engine, self.rtm.memory.map(in_bytes), of_all);
        let migration = Migration::new(engine, plan, self.every, &self.offsets, memory)?;
        let migration = migration.among(devices).within(self.within);
        let migration = migration.part_of(numbers)?.by(self.rtm.wavefield)?;
        // A movie shows the image shot by shot, and windows have no sums.
        let are_apart = self.rtm.movie.is_some() || plan.windows.is_some();
        let sums = !self.offsets.is_empty() && !are_apart;
        Ok(if sums { migration.by_whole_sums() } else { migration })
    }

    /// The image of a condition, filtered if requested.
    pub fn image(&self, stack: &Stacked, condition: Condition) -> Array3<f64> {
        self.filtered(condition, &stack.image(condition), None)
    }

    /// The Laplacian of an image ([`laplacian`]), of the whole model or of the plane of a line, if
    /// requested or implied by the condition: the reflectivity, if traces were integrated.
    pub(crate) fn filtered(
        &self,
        condition: Condition,
        image: &Array3<f64>,
        line: Option<usize>,
    ) -> Array3<f64> {
        let is_plain = condition == Condition::PlainProduct;
        if !self.rtm.laplacian && condition != Condition::InverseScattering && !is_plain {
            return image.clone();
        }
        let mut grid = *self.plan.survey_grid();
        let mut velocity = self.model.velocity();
        if let Some(line) = line {
            grid.n.y = 1;
            velocity.collapse_axis(ndarray::Axis(0), line);
        }
        if is_plain {
            // Without the factor k V / v^2 of the cross-correlation.
            let factor = self.every as f64
                * grid.h.z
                * grid.h.x
                * if grid.is_volume() { grid.h.y } else { 1.0 };
            let mut product = image.clone();
            product
                .zip_mut_with(&velocity, |v, velocity| *v *= f64::from(*velocity).powi(2) / factor);
            return product;
        }
        let mut filtered = laplacian(image, &grid);
        filtered.zip_mut_with(&velocity, |v, velocity| *v *= -0.125 * f64::from(*velocity));
        filtered
    }

    /// The processing of a shot's traces.
    pub(crate) fn conditioning(&self, shot: usize) -> Conditioning {
        let plan = &self.plan;
        let period = if plan.frequency > 0.0 { 1.0 / plan.frequency } else { 0.0 };
        // Recorded data are independent of the factor.
        let factor = self.rtm.factor.unwrap_or(1.0);
        let velocity_at = |at| f64::from(self.model.nearest(at)) / factor;
        let muted = || {
            let mute = self.rtm.mute.unwrap_or_default();
            mute.of_shot(plan, &plan.shots[shot], velocity_at)
        };
        Conditioning {
            band: self.rtm.band,
            mute: (self.rtm.direct == Direct::Muted).then(muted),
            taper: period,
            integrated_above: (self.rtm.laplacian || self.rtm.is_plain())
                .then_some(LOWEST * plan.frequency),
        }
    }
}

/// The smallest useful angle step, degrees.
const LEAST_ANGLE: f64 = 0.5;
/// The lowest frequency of the integration of traces, as a fraction of the dominant one: a wavelet
/// has nothing below it.
const LOWEST: f64 = 0.1;
