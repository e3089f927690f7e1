//! From a job to what a Plan is made of: models and wavelets read, names resolved.

use super::{AxisOrder, JobFile, Layer, Operator, Receivers, Source, Step, Top, Wavelet};
use crate::cli::failure::Failure;
use huygens::{
    acquisition::{self, Ricker, Sampled},
    boundary::{Absorber, Boundary, Cpml, Sponge},
    grid::{Axes, Position},
    io::{digest::sha256, npy},
    model::{VelocityModel, builtin},
    plan::{self, Plan, PlanError, Setup},
    stencil::{Family, Window},
};
use ndarray::{Array1, Ix1, Ix2};
use std::path::{Path, PathBuf};

/// Sources and receivers of a shot.
type Shot<'a> = (&'a [Source], Option<&'a Receivers>);

/// A job's Plan and the files that went into it.
pub struct Inputs {
    pub plan: Plan,
    pub model: VelocityModel,
    /// Each file and its SHA-256.
    pub files: Vec<(String, String)>,
}

const BUILTIN: &str = "builtin:";

impl JobFile {
    /// Reads what the job names and validates the whole.
    pub fn inputs(&self, allow_unstable: bool) -> Result<Inputs, Failure> {
        let mut files = Vec::new();
        let model = self.model(&mut files)?;
        let mut shots = Vec::new();
        for (index, (sources, receivers)) in self.shots()?.into_iter().enumerate() {
            let sources = sources.iter().enumerate().map(|(source, wanted)| {
                self.source(
                    &format!("{}.wavelet", self.source_key(index, source)),
                    wanted,
                    &mut files,
                )
            });
            let sources = sources.collect::<Result<_, _>>()?;
            let receivers = receivers
                .map(|receivers| self.receivers(&self.receivers_key(index), receivers))
                .transpose()?;
            shots.push(acquisition::Shot { sources, receivers: receivers.unwrap_or_default() });
        }
        let job = &self.job;
        let setup = Setup {
            model: model.clone(),
            operator: operator(&job.operator),
            boundary: boundary(&job.boundary),
            time: plan::Time {
                duration: job.time.duration,
                step: match job.time.step {
                    Step::Seconds(step) => plan::Step::Seconds(step),
                    Step::Named(_) | Step::Missing => plan::Step::Auto,
                },
                record: job.time.record,
            },
            shots,
            snapshots: job.output.snapshots.clone(),
            initial: None,
            allow_unstable,
        };
        let plan = Plan::new(setup).map_err(|error| self.mistake(&self.key_of(&error), &error))?;
        Ok(Inputs { plan, model, files })
    }

    /// Sources and receivers of each shot: `[[shot]]`s, or the job's own `[[source]]`s as one shot.
    fn shots(&self) -> Result<Vec<Shot<'_>>, Failure> {
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
                "the job has both [[source]] and [[shot]]; put every source into a [[shot.source]], or \
                 leave the shots out",
            )),
        }
    }

    fn source_key(&self, shot: usize, source: usize) -> String {
        match self.job.shots.is_empty() {
            true => format!("source[{source}]"),
            false => format!("shot[{shot}].source[{source}]"),
        }
    }

    fn receivers_key(&self, shot: usize) -> String {
        match self.job.shots.get(shot) {
            Some(own) if own.receivers.is_some() => format!("shot[{shot}].receivers"),
            _ => "receivers".into(),
        }
    }

    /// The key that a Plan's error belongs to.
    fn key_of(&self, error: &PlanError) -> String {
        match *error {
            PlanError::Source { shot, source_index, .. } => {
                format!("{}.at", self.source_key(shot, source_index))
            }
            PlanError::Wavelet { shot, source_index, .. } => {
                format!("{}.wavelet", self.source_key(shot, source_index))
            }
            PlanError::Amplitude { shot, source_index, .. } => {
                format!("{}.amplitude", self.source_key(shot, source_index))
            }
            PlanError::Receiver { shot, .. } => self.receivers_key(shot),
            PlanError::Snapshot { index, .. } => format!("output.snapshots[{index}]"),
            _ => error.key().into(),
        }
    }

    /// A path as the job means it.
    fn path(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    /// A file and its SHA-256, for the record.
    fn digest(&self, key: &str, path: &Path) -> Result<(String, String), Failure> {
        let sum = sha256(path).map_err(|error| self.mistake(key, error))?;
        Ok((path.display().to_string(), sum))
    }

    fn model(&self, files: &mut Vec<(String, String)>) -> Result<VelocityModel, Failure> {
        let model = &self.job.model;
        let spacing = model.spacing.map(|h| (h.x, h.z));
        let mistake = |key: &str, message: String| self.mistake(&format!("model.{key}"), message);
        let Some(velocity) = &model.velocity else {
            let message =
                "the job names no velocity model; give velocity, or --model on the command line";
            return Err(mistake("velocity", message.into()));
        };
        if let Some(name) = velocity.strip_prefix(BUILTIN) {
            let nodes = model.nodes.map(|n| (n.x, n.z));
            return builtin(name, nodes, spacing)
                .map_err(|error| mistake("velocity", error.to_string()));
        }
        let path = self.path(velocity);
        if path.extension().is_none_or(|ending| ending != "npy") {
            let message = format!(
                "{} is of no known format; models are read from .npy files for now, or \"builtin:salt\"",
                path.display()
            );
            return Err(mistake("velocity", message));
        }
        let Some((hx, hz)) = spacing else {
            let message = "a .npy file carries no spacing; give spacing = { z = ..., x = ... } in metres, \
                           or --spacing on the command line";
            return Err(mistake("spacing", message.into()));
        };
        let Some(axes) = model.axes else {
            let message = "a .npy file does not name its axes; give axes = \"xz\" (z fastest, [x][z]) or \
                           \"zx\", or --axes on the command line";
            return Err(mistake("axes", message.into()));
        };
        if model.nodes.is_some() {
            return Err(mistake(
                "nodes",
                "nodes belong to a built-in model; leave them out".into(),
            ));
        }
        let array = npy::read(&path).map_err(|error| mistake("velocity", error.to_string()))?;
        let shape = array.shape().to_vec();
        let array = array.into_dimensionality::<Ix2>().map_err(|_| {
            let found = format!("{} has the shape {shape:?}", path.display());
            mistake("velocity", format!("{found}; a 2-D model has two axes"))
        })?;
        let array = match axes {
            AxisOrder::Xz => array,
            AxisOrder::Zx => array.reversed_axes(),
        };
        files.push(self.digest("model.velocity", &path)?);
        VelocityModel::new(array.mapv(|v| v as f32), hx, hz)
            .map_err(|error| mistake("velocity", error.to_string()))
    }

    fn source(
        &self,
        key: &str,
        source: &Source,
        files: &mut Vec<(String, String)>,
    ) -> Result<acquisition::Source, Failure> {
        let wavelet = match &source.wavelet {
            Wavelet::Ricker { peak_hz, delay } => {
                let delay = delay.unwrap_or(1.5 / peak_hz);
                acquisition::Wavelet::Ricker(Ricker { peak_hz: *peak_hz, delay })
            }
            Wavelet::File { path, interval } => {
                let path = self.path(path);
                let values = samples(&path).map_err(|message| self.mistake(key, message))?;
                files.push(self.digest(key, &path)?);
                let values = values.to_vec().into();
                acquisition::Wavelet::Sampled(Sampled { values, interval: *interval })
            }
        };
        let at = Axes::xz(source.at.x, source.at.z);
        Ok(acquisition::Source { at, wavelet, amplitude: source.amplitude })
    }

    fn receivers(&self, key: &str, receivers: &Receivers) -> Result<Vec<Position>, Failure> {
        match (&receivers.line, &receivers.points) {
            (Some(line), None) => {
                if line.count > MOST_RECEIVERS {
                    let message = format!(
                        "{} receivers are too many; at most {MOST_RECEIVERS} are taken",
                        line.count
                    );
                    return Err(self.mistake(&format!("{key}.line"), message));
                }
                let end = |point: super::Point| Axes::xz(point.x, point.z);
                Ok(acquisition::line(end(line.from), end(line.to), line.count))
            }
            (None, Some(points)) => Ok(points.iter().map(|at| Axes::xz(at.x, at.z)).collect()),
            _ => {
                Err(self.mistake(key, "receivers are either a line or points; give one of the two"))
            }
        }
    }
}

/// More receivers than any survey lays out for a shot.
const MOST_RECEIVERS: usize = 10_000_000;

fn samples(path: &Path) -> Result<Array1<f64>, String> {
    let array = npy::read(path).map_err(|error| error.to_string())?;
    let shape = array.shape().to_vec();
    array
        .into_dimensionality::<Ix1>()
        .map_err(|_| format!("{} has the shape {shape:?}; a wavelet has one axis", path.display()))
}

fn operator(operator: &Operator) -> Family {
    match operator {
        Operator::Taylor { order } => Family::Taylor { order: *order },
        Operator::WindowedSinc { wing, alpha, beta } => {
            let (wing, alpha, beta) = (wing.each(), alpha.each(), beta.each());
            let z = Window { wing: wing.z, alpha: alpha.z, beta: beta.z };
            let x = Window { wing: wing.x, alpha: alpha.x, beta: beta.x };
            Family::WindowedSinc { window: Axes { z, x, y: x } }
        }
    }
}

fn boundary(boundary: &super::Boundary) -> Boundary {
    let top = match boundary.top {
        Top::Absorb => huygens::boundary::Top::Absorb,
        Top::Zero => huygens::boundary::Top::Zero,
    };
    let sides = match boundary.sides {
        Layer::Cpml { cells, reflection } => Absorber::Cpml(Cpml { cells, reflection }),
        Layer::Sponge { cells, strength } => Absorber::Sponge(Sponge { cells, strength }),
        Layer::Zero {} => Absorber::Zero,
    };
    Boundary { top, sides }
}
