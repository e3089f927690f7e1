//! From a job to its Plan: reads the files that it names, and puts everything together.

use super::{
    FileNames, GatherFormat, JobError, JobFile, Operator, Receivers, Source, Step, Survey,
    anisotropy,
};
use crate::{
    acquisition,
    boundary::BoundaryError,
    grid::{Axes, Grid, GridError},
    io::{digest::sha256, segy},
    model::{Density, VelocityModel},
    plan::{self, Hopeless, OnSurface, Plan, PlanError, Point, Setup, Silence, Truncated},
    stencil::{Family, StencilError, Window, ete::Points},
};
use std::path::{Path, PathBuf};

/// Sources and receivers of a shot.
type Shot<'a> = (&'a [Source], Option<&'a Receivers>);

/// A job's Plan and the files that went into it.
#[derive(Clone)]
pub struct Inputs {
    pub plan: Plan,
    /// The setup of the Plan.
    pub setup: Setup,
    pub model: VelocityModel,
    /// Planes x, y and z = const to draw, as nodes of the model; none in 2-D.
    pub(crate) slices: Axes<Vec<usize>>,
    /// True if whole snapshots of a volume are kept.
    pub(crate) volumes: bool,
    /// Steps of the job's snapshots, and of the frames of its movie, each ascending.
    pub(crate) snapshots: Vec<usize>,
    pub(crate) frames: Vec<usize>,
    /// Each file and its SHA-256.
    pub(crate) files: Vec<(String, String)>,
}

impl JobFile {
    /// Returns an error for sources given twice.
    fn check_survey(&self) -> Result<(), JobError> {
        let job = &self.job;
        match (&job.survey, job.sources.is_empty() && job.shots.is_empty()) {
            (Some(_), false) => Err(self.mistake(
                "survey",
                "the job has [survey] beside [[source]] or [[shot]]; leave the survey out, or \
                 those",
            )),
            _ => Ok(()),
        }
    }

    /// Reads the files that the job names and validates the whole. Unless it is forced, returns an
    /// error for what runs but models nothing.
    pub fn inputs(&self) -> Result<Inputs, JobError> {
        let mut files = Vec::new();
        self.check_survey()?;
        let model = self.model(&mut files)?;
        let density = self.density(&model, &mut files)?;
        let slices = self.slices(model.grid())?;
        let is_volume = model.grid().is_volume();
        let volumes = self.volumes(is_volume)?;
        let Some(duration) = self.job.time.duration else {
            let message = "the job has no duration; give duration, seconds";
            return Err(self.mistake("time.duration", message));
        };
        let frames = self.frames(duration)?;
        let shots = match (&self.supplied.shots, &self.job.survey) {
            (Some(shots), _) => shots.clone(),
            (None, Some(survey)) => self.surveyed(survey, &model, &mut files)?,
            (None, None) => self.listed(is_volume, &mut files)?,
        };
        // The job's own snapshots come first: errors give their index.
        let wanted = [self.job.output.snapshots.as_slice(), &frames].concat();
        let anisotropy = self.anisotropy(&model, &shots, &mut files)?;
        let setup = Setup { density, anisotropy, ..self.setup(model.clone(), shots, wanted)? };
        let refused = |error| self.refused(&error);
        let plan = Plan::new(setup.clone()).map_err(refused)?;
        if !self.forced {
            plan.check_width().and_then(|()| plan.check_hopeless()).map_err(refused)?;
        }
        let job = &self.job;
        if job.output.writes(GatherFormat::Su, plan.shots.len()) {
            let (samples, interval) = (plan.time.kept(), plan.time.interval());
            let refused = |error: segy::SegyError| self.mistake("output.gathers", error);
            segy::su_holds(samples, interval).map_err(refused)?;
        }
        let (snapshots, frames) =
            (plan.time.steps_at(&job.output.snapshots), plan.time.steps_at(&frames));
        self.check_frames(&frames, duration)?;
        Ok(Inputs { plan, setup, model, slices, volumes, snapshots, frames, files })
    }

    /// The shots of a job that lists them.
    fn listed(
        &self,
        is_volume: bool,
        files: &mut Vec<(String, String)>,
    ) -> Result<Vec<acquisition::Shot>, JobError> {
        let (mut shots, mut shared) = (Vec::new(), None);
        for (index, (sources, receivers)) in self.shots()?.into_iter().enumerate() {
            let sources = sources.iter().enumerate().map(|(source, wanted)| {
                self.source(&self.source_key(index, source), wanted, is_volume, files)
            });
            let sources = sources.collect::<Result<_, _>>()?;
            // The job's receivers exist once, however many shots use them.
            let of_job = self.job.shots.get(index).is_none_or(|shot| shot.receivers.is_none());
            let known = shared.clone().filter(|_| of_job);
            let receivers = known.map(Ok).or_else(|| {
                let key = self.receivers_key(index);
                receivers.map(|receivers| self.receivers(&key, receivers, is_volume))
            });
            let receivers = receivers.transpose()?.unwrap_or_default();
            if of_job {
                shared = Some(receivers.clone());
            }
            shots.push(acquisition::Shot { sources, receivers });
        }
        Ok(shots)
    }

    /// The scheme, the edges and the time of a job, with some shots and a constant density.
    pub(crate) fn setup(
        &self,
        model: VelocityModel,
        shots: Vec<acquisition::Shot>,
        snapshots: Vec<f64>,
    ) -> Result<Setup, JobError> {
        let job = &self.job;
        Ok(Setup {
            operator: self.operator(model.grid().is_volume())?,
            window: self.margin(model.grid().is_volume())?,
            model,
            density: Density::default(),
            anisotropy: None,
            boundary: job.boundary,
            time: plan::Time {
                // A location replaces it.
                duration: job.time.duration.unwrap_or_default(),
                step: match job.time.step {
                    Step::Seconds(step) => plan::Step::Seconds(step),
                    Step::Named(_) | Step::Missing => plan::Step::Auto,
                },
                record: job.time.record,
                dispersion: job.time.dispersion,
            },
            shots,
            snapshots,
            initial: None,
            allow_unstable: self.forced,
        })
    }

    /// Sources and receivers of each shot: `[[shot]]`s, or the job's own `[[source]]`s as one shot.
    fn shots(&self) -> Result<Vec<Shot<'_>>, JobError> {
        let job = &self.job;
        match (job.shots.is_empty(), job.sources.is_empty()) {
            (true, _) => Ok(vec![(&job.sources, job.receivers.as_ref())]),
            (false, true) => Ok(job
                .shots
                .iter()
                .map(|shot| {
                    (shot.sources.as_slice(), shot.receivers.as_ref().or(job.receivers.as_ref()))
                })
                .collect()),
            (false, false) => Err(self.mistake(
                "source",
                "the job has both [[source]] and [[shot]]; put every source into a \
                 [[shot.source]], or leave the shots out",
            )),
        }
    }

    fn source_key(&self, shot: usize, source: usize) -> String {
        match (&self.job.survey, self.job.shots.is_empty()) {
            (Some(_), _) => "survey".into(),
            (None, true) => format!("source[{source}]"),
            (None, false) => format!("shot[{shot}].source[{source}]"),
        }
    }

    fn receivers_key(&self, shot: usize) -> String {
        let moves = |survey: &Survey| survey.spread.is_some() || survey.geometry.is_some();
        match self.job.shots.get(shot) {
            _ if self.job.survey.as_ref().is_some_and(moves) => "survey".into(),
            Some(own) if own.receivers.is_some() => format!("shot[{shot}].receivers"),
            _ => "receivers".into(),
        }
    }

    /// The key of a shot's receiver.
    fn receiver_key(&self, shot: usize, receiver: usize) -> String {
        let key = self.receivers_key(shot);
        match self.receivers_of(shot) {
            _ if key == "survey" => key,
            Some(Receivers { points: Some(_), .. }) => format!("{key}.points[{receiver}]"),
            Some(Receivers { grid: Some(_), .. }) => format!("{key}.grid"),
            _ => format!("{key}.line"),
        }
    }

    /// The receivers of a shot: its own or those of the job.
    pub(crate) fn receivers_of(&self, shot: usize) -> Option<&Receivers> {
        let own = self.job.shots.get(shot).and_then(|shot| shot.receivers.as_ref());
        own.or(self.job.receivers.as_ref())
    }

    /// The key that names recorded shots, and their file.
    pub(crate) fn recorded_name(&self) -> Option<(&'static str, &FileNames)> {
        let rtm = self.job.rtm.as_ref().and_then(|rtm| rtm.gathers.as_ref());
        let observed = self.job.gradient.as_ref().and_then(|keys| keys.observed.as_ref());
        let rtm = rtm.map(|name| ("rtm.gathers", name));
        rtm.or(observed.map(|name| ("gradient.observed", name)))
    }

    /// The error of a Plan, at its key.
    pub(crate) fn refused(&self, error: &PlanError) -> JobError {
        let key = self.key_of(error);
        match (error, self.recorded_name()) {
            (PlanError::NoSource { .. }, Some((of, name))) => {
                let message = format!(
                    "the job gives neither positions nor a wavelet for the shots of {of}; give \
                     survey.geometry = {name} and survey.wavelet to take them from its \
                     headers, or a source for each shot"
                );
                self.mistake(of, message)
            }
            _ => self.mistake(&key, error),
        }
    }

    /// Unless it is forced, returns an error for a run that can give nothing but zeros.
    pub fn check_heard(&self, plan: &Plan) -> Result<(), JobError> {
        match self.forced {
            true => Ok(()),
            false => plan.check_heard().map_err(|error| self.refused(&error)),
        }
    }

    /// The key of a Plan's error.
    fn key_of(&self, error: &PlanError) -> String {
        let source = |key: &str, shot, index| format!("{}{key}", self.source_key(shot, index));
        let key = match *error {
            PlanError::Source { shot, source_index, .. } => {
                return source(".at", shot, source_index);
            }
            PlanError::Wavelet { shot, source_index, .. } => {
                return source(".wavelet", shot, source_index);
            }
            PlanError::Amplitude { shot, source_index, .. }
            | PlanError::Faint { shot, source_index, .. } => {
                return source(".amplitude", shot, source_index);
            }
            PlanError::Dipole { shot, source_index } => return source(".axis", shot, source_index),
            PlanError::Receiver { shot, receiver, .. } => return self.receiver_key(shot, receiver),
            PlanError::Silent(Silence::Surface(OnSurface { what, shot, index, .. })) => {
                return match what {
                    Point::Source => source(".at", shot, index),
                    Point::Receiver => self.receiver_key(shot, index),
                };
            }
            PlanError::Hopeless(Hopeless::Coarse { .. }) => return source(".wavelet", 0, 0),
            PlanError::Hopeless(Hopeless::Crowded { shot, .. }) => return self.receivers_key(shot),
            PlanError::Hopeless(Hopeless::Long { .. }) => "time.duration",
            PlanError::Silent(Silence::NoWave(Truncated { shot, source_index, .. })) => {
                return source("", shot, source_index);
            }
            PlanError::Snapshot { index, .. } => return format!("output.snapshots[{index}]"),
            PlanError::NotATime { field, .. } => return format!("time.{field}"),
            PlanError::Operator(StencilError::NoFit { .. })
            | PlanError::Unstable { .. }
            | PlanError::Rounding(_) => "time.step",
            PlanError::Operator(_) | PlanError::Width { .. } => "operator",
            PlanError::Boundary(BoundaryError::Cells { .. }) => "boundary.sides.cells",
            PlanError::Boundary(BoundaryError::Reflection(_)) => "boundary.sides.reflection",
            PlanError::Boundary(BoundaryError::Power(_)) => "boundary.sides.power",
            PlanError::Boundary(BoundaryError::Strength(_)) => "boundary.sides.strength",
            PlanError::Margin { axis: 'z', .. } => "window.depth",
            PlanError::Margin { .. } => "window.margin",
            PlanError::RigidWindow | PlanError::NoWindow | PlanError::VtiWindow => "window",
            PlanError::Shallow { .. } => "boundary.top",
            PlanError::Density(_) | PlanError::FittedDensity | PlanError::DensityJump { .. } => {
                "model.density"
            }
            PlanError::Anisotropy(ref error) => anisotropy::key_of(error),
            PlanError::FittedVti | PlanError::VtiJump { .. } | PlanError::VtiInitial => {
                "model.epsilon"
            }
            PlanError::NothingToCorrect => "time.dispersion",
            PlanError::TooShort { .. } => "time.duration",
            PlanError::Record { .. } => "time.record",
            PlanError::TooManySteps { .. } => "time",
            PlanError::NoSource { .. } => "source",
            _ => "model",
        };
        key.into()
    }

    /// A path relative to the job's folder.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    /// A file and its SHA-256, for the record.
    pub(crate) fn digest(&self, key: &str, path: &Path) -> Result<(String, String), JobError> {
        let sum = sha256(path).map_err(|error| self.mistake(key, error.to_string()))?;
        Ok((path.display().to_string(), sum))
    }

    fn operator(&self, is_volume: bool) -> Result<Family, JobError> {
        match self.job.operator {
            Operator::Taylor { order } => Ok(Family::Taylor { order }),
            Operator::Ete { points } => {
                Points::counted(points).map(|points| Family::Ete { points }).ok_or_else(|| {
                    let said =
                        format!("a stencil of {points} points is not available; choose 37 or 73");
                    self.mistake("operator.points", said)
                })
            }
            Operator::WindowedSinc { wing, alpha, beta } => {
                let wing = self.each("operator.wing", wing, is_volume)?;
                let alpha = self.each("operator.alpha", alpha, is_volume)?;
                let beta = self.each("operator.beta", beta, is_volume)?;
                let window = wing.zip(alpha).zip(beta);
                let window = window.map(|((wing, alpha), beta)| Window { wing, alpha, beta });
                Ok(Family::WindowedSinc { window })
            }
        }
    }

    /// The planes x, y and z = const to draw, as nodes of the model, each once.
    pub(crate) fn slices(&self, grid: &Grid) -> Result<Axes<Vec<usize>>, JobError> {
        let Some(slices) = &self.job.output.slices else { return Ok(Axes::default()) };
        if !grid.is_volume() {
            return Err(self.mistake("output.slices", OF_A_VOLUME));
        }
        let (last, n) = (grid.last(), grid.n);
        let nodes = |axis: char, wanted: &[f64], last: f64, n: usize| {
            let mut nodes = Vec::new();
            for (index, &value) in wanted.iter().enumerate() {
                if !(0.0..=last * (1.0 + 1e-9)).contains(&value) {
                    let error = GridError::Outside { axis, value, last };
                    return Err(self.mistake(&format!("output.slices.{axis}[{index}]"), error));
                }
                let node =
                    if last > 0.0 { (value / last * (n - 1) as f64).round() as usize } else { 0 };
                if !nodes.contains(&node) {
                    nodes.push(node);
                }
            }
            Ok(nodes)
        };
        Ok(Axes {
            z: nodes('z', &slices.z, last.z, n.z)?,
            x: nodes('x', &slices.x, last.x, n.x)?,
            y: nodes('y', &slices.y, last.y, n.y)?,
        })
    }

    /// True if whole volumes are kept.
    fn volumes(&self, is_volume: bool) -> Result<bool, JobError> {
        match (self.job.output.volumes, is_volume) {
            (Some(_), false) => Err(self.mistake("output.volumes", OF_A_VOLUME)),
            (wanted, true) => Ok(wanted.unwrap_or(true)),
            (None, false) => Ok(false),
        }
    }
}

const OF_A_VOLUME: &str = "this belongs to a 3-D model, and the model is 2-D; leave it out";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Shot, Source, Wavelet},
        grid::PlaneAxes,
        model::builtin,
    };

    /// Keys that a job omits have the values of [`Setup::new`].
    #[test]
    fn a_job_and_a_program_have_the_same_defaults() {
        let text = "[model]\nvelocity = \"builtin:homogeneous\"\nspacing = 10.0\nnodes = { x = 30, z = 20 }\n\
                    [time]\nduration = 0.5\n[[source]]\nat = { x = 100.0, z = 50.0 }\nwavelet = { kind = \"ricker\", peak_hz = 10.0 }\n\
                    [receivers]\npoints = [{ x = 200.0, z = 50.0 }]\n";
        let file = JobFile::parse("a job", text, PathBuf::new()).expect("a job");
        let of_job = file.inputs().expect("a valid job").setup;
        let model = builtin(
            "homogeneous",
            Some(PlaneAxes { x: 30, z: 20 }),
            Some(PlaneAxes { x: 10.0, z: 10.0 }),
        )
        .expect("a valid model");
        let source = Source::new(Axes::xz(100.0, 50.0), Wavelet::ricker(10.0));
        let shots = vec![Shot::new(source, [Axes::xz(200.0, 50.0)])];
        let Setup {
            model,
            density,
            anisotropy,
            operator,
            boundary,
            time,
            shots,
            snapshots,
            initial,
            window,
            allow_unstable,
        } = Setup::new(model, shots, 0.5);
        assert_eq!((&of_job.model, of_job.operator), (&model, operator));
        assert_eq!((of_job.boundary, of_job.time, of_job.density), (boundary, time, density));
        assert_eq!((of_job.shots, of_job.snapshots, of_job.initial), (shots, snapshots, initial));
        assert_eq!(of_job.anisotropy, anisotropy);
        assert_eq!((of_job.window, of_job.allow_unstable), (window, allow_unstable));
    }
}
