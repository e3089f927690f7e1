//! The recording that a job sends back, and the models that it is sent through.

use super::{JobError, JobFile, Locate, Step, axes::Dimensions};
use crate::{
    acquisition::{Recording, Scale},
    grid::Position,
    io::{
        access::{self, Unreadable},
        model_file::Format,
        npy,
        segy::{self, LengthUnit, Reader, SegyError},
    },
    model::VelocityModel,
    plan::Setup,
    remedy::Remedy,
};
use ndarray::Ix2;
use std::{fs::File, io::BufReader, path::Path};

/// A file of traces.
type Traces = Reader<BufReader<File>>;

/// A recording and the models to send it back through.
pub struct Back {
    pub recording: Recording,
    /// Divisor of its samples.
    pub scale: Scale,
    /// Setup of the first model; its time and shots are to be replaced.
    pub setup: Setup,
    /// Every model, the job's own first, with its name.
    pub models: Vec<(String, VelocityModel)>,
    /// The job's own sources, which may be those of the recording.
    pub sources: Vec<Position>,
    /// Each file and its SHA-256.
    pub files: Vec<(String, String)>,
}

impl JobFile {
    /// Reads the recording and the models that a job names; those of the command line come after
    /// them.
    pub fn back(&self, models: &[String]) -> Result<Back, JobError> {
        let mut files = Vec::new();
        let (model, dimensions) = self.model(&mut files)?;
        let (recording, scale) = self.recording(dimensions, &mut files)?;
        let sources = self.job.sources.iter().enumerate();
        let sources = sources
            .map(|(index, source)| {
                self.position(&format!("source[{index}].at"), source.at, dimensions)
            })
            .collect::<Result<_, _>>()?;
        let setup = self.setup(model.clone(), dimensions, Vec::new(), Vec::new(), false)?;
        let name = self.job.model.velocity.clone().unwrap_or_default();
        let models = self.scanned((name, model), models, &mut files)?;
        Ok(Back { recording, scale, setup, models, sources, files })
    }

    fn recording(
        &self,
        dimensions: Dimensions,
        files: &mut Vec<(String, String)>,
    ) -> Result<(Recording, Scale), JobError> {
        let Some(gather) = self.job.locate.as_ref().and_then(|locate| locate.gather.as_ref())
        else {
            return Err(
                self.mistake("locate", ("the job names no gather to send back", Remedy::Gather))
            );
        };
        let path = self.path(gather);
        let refused =
            |error: &dyn std::fmt::Display| self.mistake("locate.gather", error.to_string());
        access::open(&path)
            .map_err(Unreadable::at(&path.display().to_string()))
            .map_err(|error| self.mistake("locate.gather", error))?;
        let read = match Format::of(&path) {
            Ok(Format::Segy | Format::Su) => {
                traces(&path).map_err(|e| refused(&format_args!("{}: {e}", path.display())))
            }
            Ok(Format::Npy) => {
                let values = npy::read(&path).map_err(|e| refused(&e))?;
                let shape = values.shape().to_vec();
                let gather = values.into_dimensionality::<Ix2>().map_err(|_| {
                    refused(&format_args!(
                        "a gather has the shape [receiver][time], and this array has {} axes, {shape:?}",
                        shape.len()
                    ))
                })?;
                let receivers = self.receivers_of(0).ok_or_else(|| {
                    self.mistake(
                        "receivers",
                        ("a .npy gather does not say where its receivers are", "give [receivers]"),
                    )
                })?;
                let receivers = self.receivers("receivers", receivers, dimensions)?.to_vec();
                let scale = Scale::of(gather.iter().copied()).map_err(|e| refused(&e))?;
                let gather = gather.mapv(|sample| scale.over(sample));
                let missing = (
                    "a .npy gather does not say how far its samples are apart, nor does a job of step = \"auto\"",
                    "give record, or step in seconds, as they were when it was recorded",
                );
                let interval = self.interval_of_array("time", missing)?;
                Ok((Recording { gather, interval, receivers }, scale))
            }
            _ => Err(refused(&format_args!(
                "{} is no gather by its ending; give a .npy, .sgy or .su",
                path.display()
            ))),
        }?;
        // Read all of it once more: the hash covers the whole file.
        files.push(self.digest("locate.gather", &path)?);
        Ok(read)
    }

    /// Seconds between the samples of an array, which does not contain it: the job's interval, or
    /// else the mistake at a key.
    pub(super) fn interval_of_array(
        &self,
        key: &str,
        missing: (&str, &str),
    ) -> Result<f64, JobError> {
        match (self.job.time.record, self.job.time.step) {
            (Some(interval), _) | (None, Step::Seconds(interval)) => Ok(interval),
            (None, _) => Err(self.mistake(key, missing)),
        }
    }

    /// The location keys of the job.
    pub fn locate(&self) -> Locate {
        self.job.locate.clone().unwrap_or_default()
    }
}

/// A gather with the positions of its receivers.
fn traces(path: &Path) -> Result<(Recording, Scale), Box<dyn std::error::Error>> {
    let mut gathers = gathers(path)?;
    let mut gather = match gathers.len() {
        1 => gathers.remove(0),
        count => return Err(format!("it holds {count} gathers; one is sent back at a time").into()),
    };
    side_by_side(&gather.receivers)?;
    let scale = Scale::of(gather.traces.iter().map(|sample| f64::from(*sample)))?;
    gather.traces.mapv_inplace(|sample| scale.over(f64::from(sample)));
    Ok((
        Recording { gather: gather.traces, interval: gather.interval, receivers: gather.receivers },
        scale,
    ))
}

/// Returns an error if all traces have one position: headers without positions have them all at 0.
pub fn side_by_side(receivers: &[Position]) -> Result<(), String> {
    match receivers {
        [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|receiver| receiver == first) => {
            Err(format!(
                "all of its {} traces are at x = {} m, z = {} m, and those of a recording are side by side: correct the \
                 headers, or give the samples as .npy, for which the job says where they were recorded",
                receivers.len(),
                first.x,
                first.z
            ))
        }
        _ => Ok(()),
    }
}

/// A .su or, with any other extension, a .sgy, with the unit of its lengths if the file lacks it.
pub(super) fn opened(path: &Path) -> Result<(Traces, Option<LengthUnit>), SegyError> {
    match Format::of(path) {
        Ok(Format::Su) => Ok((Reader::open_su(path)?, Some(LengthUnit::Metre))),
        _ => Ok((Reader::open(path)?, None)),
    }
}

/// Warns of contradictions in a file.
pub(super) fn tell_of(reader: &Traces, path: &Path) {
    for warning in reader.warnings() {
        tracing::warn!("{}: {warning}", path.display());
    }
}

/// The gathers of a .su or, with any other extension, of a .sgy, whose traces start at t = 0. Warns
/// of contradictions in the file.
pub fn gathers(path: &Path) -> Result<Vec<segy::Gather>, Box<dyn std::error::Error>> {
    let (mut reader, unit) = opened(path)?;
    let gathers = segy::read_gathers(&mut reader, unit)?;
    tell_of(&reader, path);
    match gathers.iter().find(|gather| gather.start != 0.0) {
        Some(late) => {
            let start = late.start;
            Err(format!("its traces start at {start} s; those that start at 0 s are sent back")
                .into())
        }
        None => Ok(gathers),
    }
}

impl Back {
    /// The models except the first.
    pub fn others(&self) -> Vec<VelocityModel> {
        self.models.iter().skip(1).map(|(_, model)| model.clone()).collect()
    }

    /// The setup through one model alone.
    pub fn through(&self, model: usize) -> Setup {
        Setup { model: self.models[model].1.clone(), ..self.setup.clone() }
    }
    /// [`Back::through`] with the snapshots of the job.
    pub fn setup_of(&self, model: usize, file: &JobFile) -> Setup {
        Setup { snapshots: file.job.output.snapshots.clone(), ..self.through(model) }
    }
}
