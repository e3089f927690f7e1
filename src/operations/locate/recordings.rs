//! The recordings that a job sends back, and the models that it is sent through.

use crate::{
    acquisition::{Recording, RecordingError, Scale},
    conditioning::shift,
    grid::Position,
    io::{
        access::{self, Unreadable},
        gather_file::{GatherFile, Purpose},
        model_file::Format,
        npy,
        segy::{Clock, Gather},
    },
    job::{JobError, JobFile, Locate, Step, TraceFile},
    model::VelocityModel,
    plan::Setup,
};
#[cfg(feature = "runs")]
use crate::{grid::Axes, job::Inputs, plan::Plan};
use jiff::Timestamp;
use ndarray::{Array2, Ix2};
use std::path::Path;

/// A recording and the models to send it back through.
pub struct Back {
    /// Number of its record.
    pub(crate) record: i64,
    /// The traces.
    pub recording: Recording,
    /// Divisor of its samples.
    pub(crate) scale: Scale,
    /// UTC at t = 0 of the recording, if it has a date.
    pub(crate) began: Option<Timestamp>,
    /// True if the traces are the derivative of those that were recorded, whose pulses have one sign.
    pub(crate) differentiated: bool,
    /// Setup of the first model; its time and shots are to be replaced.
    pub(crate) setup: Setup,
    /// Every model, the job's own first, with its name.
    pub models: Vec<(String, VelocityModel)>,
    /// The job's own sources, which may be those of the recording.
    pub(crate) sources: Vec<Position>,
    /// Each file and its SHA-256.
    pub(crate) files: Vec<(String, String)>,
}

/// The key of the recording.
const KEY: &str = "locate.gather";
/// The mistake of a recording that does not contain its interval.
const NO_INTERVAL: &str = "a .npy gather does not say how far its samples are apart, nor does a job of \
                           step = \"auto\"; give record, or step in seconds, as they were when it was \
                           recorded";

/// The gather of a .npy file.
fn array(path: &Path) -> Result<Array2<f64>, String> {
    let values = npy::read::<f64>(path).map_err(|error| error.to_string())?;
    let shape = values.shape().to_vec();
    values.into_dimensionality::<Ix2>().map_err(|_| {
        let axes = shape.len();
        format!(
            "a gather has the shape [receiver][time], and this array has {axes} axes, {shape:?}"
        )
    })
}

/// A recording that is divided by its scale.
pub(crate) struct Scaled {
    /// Number of its record.
    record: i64,
    recording: Recording,
    scale: Scale,
    /// UTC at t = 0.
    began: Option<Timestamp>,
}

/// Divides the samples of a record by their scale.
fn scaled<T: Copy + Into<f64>>(
    record: i64,
    gather: Array2<T>,
    interval: f64,
    receivers: Vec<Position>,
) -> Result<Scaled, RecordingError> {
    let scale = Scale::of(gather.iter().map(|sample| (*sample).into()))?;
    let gather = gather.mapv(|sample| scale.over(sample.into()));
    let recording = Recording { gather, interval, receivers };
    Ok(Scaled { record, recording, scale, began: None })
}

impl JobFile {
    /// Reads the recordings and the models that a job names; those of the command line come after
    /// them. A file of several records has as many recordings.
    pub fn back(&self, models: &[String]) -> Result<Vec<Back>, JobError> {
        let mut files = Vec::new();
        let model = self.model(&mut files)?;
        let recordings = self.recordings(&model, &mut files)?;
        self.backs(recordings, model, models, files)
    }

    /// A recording that a program has in memory, and the models of the job.
    pub fn back_of(&self, recording: Recording) -> Result<Back, JobError> {
        let mut files = Vec::new();
        let model = self.model(&mut files)?;
        let Recording { gather, interval, receivers } = recording;
        let scaled = scaled(1, gather, interval, receivers).map_err(JobError::other)?;
        let mut backs = self.backs(vec![scaled], model, &[], files)?;
        Ok(backs.remove(0))
    }

    fn backs(
        &self,
        recordings: Vec<Scaled>,
        model: VelocityModel,
        models: &[String],
        mut files: Vec<(String, String)>,
    ) -> Result<Vec<Back>, JobError> {
        let is_volume = model.grid().is_volume();
        let sources = self.job.sources.iter().enumerate();
        let sources: Vec<_> = sources
            .map(|(index, source)| {
                self.position(&format!("source[{index}].at"), source.at, is_volume)
            })
            .collect::<Result<_, _>>()?;
        self.refuse_window("a location")?;
        let density = self.density(&model, &mut files)?;
        let anisotropy = self.anisotropy(&model, &[], &mut files)?;
        let setup =
            Setup { density, anisotropy, ..self.setup(model.clone(), Vec::new(), Vec::new())? };
        let name = self.job.model.velocity.clone().unwrap_or_default();
        let models = self.scanned((name, model), models, &mut files)?;
        let back = |scaled: Scaled| {
            let Scaled { record, mut recording, scale, began } = scaled;
            // Waves of one sign add up everywhere, not only at their source.
            let differentiated = recording.is_of_one_sign();
            if differentiated {
                recording.differentiate();
                self.warn_once(
                    Path::new("the recording"),
                    "derivative",
                    "its largest amplitude is at 0 Hz, as of pulses of one sign or an offset: its derivative is sent back",
                );
            }
            Back {
                record,
                recording,
                scale,
                began,
                differentiated,
                setup: setup.clone(),
                models: models.clone(),
                sources: sources.clone(),
                files: files.clone(),
            }
        };
        Ok(recordings.into_iter().map(back).collect())
    }

    /// Each recording with the number of its record, divided by its scale.
    pub(crate) fn recordings(
        &self,
        model: &VelocityModel,
        files: &mut Vec<(String, String)>,
    ) -> Result<Vec<Scaled>, JobError> {
        let key = KEY;
        let Some(gather) = self.job.locate.as_ref().and_then(|locate| locate.gather.as_ref())
        else {
            return Err(self.mistake(
                "locate",
                "the job names no gather to send back; give gather under [locate], or \
                     --gather on the command line",
            ));
        };
        let path = self.path(gather);
        access::open(&path)
            .map_err(Unreadable::at(&path.display().to_string()))
            .map_err(|error| self.mistake(key, error))?;
        let mut recordings = match Format::of(&path) {
            Ok(Format::Segy | Format::Su | Format::Npz | Format::Hdf5) => {
                let file = TraceFile { key, path: &path, purpose: Purpose::Recordings };
                let GatherFile { gathers, origins, .. } = self.gather_file(file, model, files)?;
                let scaled = gathers.into_iter().zip(origins).map(|(gather, origin)| {
                    let Gather { record, traces, interval, receivers, .. } = gather;
                    let began = self.date_of(&path, &origin.clock);
                    scaled(record, traces, interval, receivers)
                        .map(|scaled| Scaled { began, ..scaled })
                });
                scaled.collect::<Result<_, _>>().map_err(|error| self.unsound(&path, &error))?
            }
            Ok(Format::Npy) => vec![self.recording_of_array(&path, model, files)?],
            _ => {
                let path = path.display();
                let message = format!(
                    "{path} is no gather by its ending; give a .npy, .npz, .h5, .sgy or .su"
                );
                return Err(self.mistake(key, message));
            }
        };
        self.take_date(&mut recordings)?;
        // Read all of it once more: the hash covers the whole file.
        files.push(self.digest(key, &path)?);
        Ok(recordings)
    }

    /// The recording in a .npy file. The job gives its positions and its interval.
    fn recording_of_array(
        &self,
        path: &Path,
        model: &VelocityModel,
        files: &mut Vec<(String, String)>,
    ) -> Result<Scaled, JobError> {
        let gather = array(path).map_err(|error| self.mistake(KEY, error))?;
        let unused = ["interval", "start", "date", "positions", "origin", "azimuth", "y_axis"];
        self.warn_unused(path, &unused);
        let receivers = self.receivers_of_array(gather.nrows(), model, files)?;
        let interval = self.interval_of_array("time", NO_INTERVAL)?;
        let scaled = scaled(1, gather, interval, receivers);
        let mut scaled = scaled.map_err(|error| self.unsound(path, &error))?;
        let start = self.headers().start.unwrap_or(0.0);
        if start != 0.0 {
            let gather = &mut scaled.recording.gather;
            *gather = shift::from_zero(gather, interval, start)
                .map_err(|error| self.mistake("gather.start", error))?;
        }
        Ok(scaled)
    }

    /// The mistake of a file whose traces cannot be sent back.
    fn unsound(&self, path: &Path, error: &RecordingError) -> JobError {
        self.mistake(KEY, format!("{}: {error}", path.display()))
    }

    /// UTC at t = 0 by the headers of a record; warns of dates that give none.
    fn date_of(&self, path: &Path, clock: &Clock) -> Option<Timestamp> {
        if self.headers().date.is_some() {
            return None;
        }
        let refused = |why| {
            let message = format!(
                "{why}: no origin time is given in UTC; give gather.date, UTC at t = 0 of one record (gather.records)"
            );
            self.warn_once(path, "date", message);
        };
        clock.utc().map_err(refused).ok().flatten()
    }

    /// Takes the job's date in place of the headers'.
    fn take_date(&self, recordings: &mut [Scaled]) -> Result<(), JobError> {
        let Some(date) = self.headers().date else { return Ok(()) };
        if recordings.len() > 1 {
            let message = format!(
                "a date is of one record, and the gather has {}; choose one in gather.records",
                recordings.len()
            );
            return Err(self.mistake("gather.date", message));
        }
        recordings.iter_mut().for_each(|of| of.began = Some(date));
        Ok(())
    }

    /// Seconds between the samples of an array, which does not contain it: the job's interval, or
    /// else the mistake at a key.
    pub(crate) fn interval_of_array(&self, key: &str, missing: &str) -> Result<f64, JobError> {
        let given = self.headers().interval.or(self.job.time.record);
        match (given, self.job.time.step) {
            (Some(interval), _) | (None, Step::Seconds(interval)) => Ok(interval),
            (None, _) => Err(self.mistake(key, missing)),
        }
    }

    /// The location keys of the job.
    pub(crate) fn locate(&self) -> Locate {
        self.job.locate.clone().unwrap_or_default()
    }
}

impl Back {
    /// The models except the first.
    pub(crate) fn others(&self) -> Vec<VelocityModel> {
        self.models.iter().skip(1).map(|(_, model)| model.clone()).collect()
    }

    /// The inputs of the Plan that sends it back.
    #[cfg(feature = "runs")]
    pub(super) fn inputs(&self, plan: Plan) -> Inputs {
        Inputs {
            snapshots: plan.snapshots().to_vec(),
            plan,
            setup: self.setup.clone(),
            model: self.setup.model.clone(),
            slices: Axes::default(),
            volumes: false,
            frames: Vec::new(),
            files: self.files.clone(),
        }
    }

    /// The setup through one model alone.
    pub(crate) fn through(&self, model: usize) -> Setup {
        Setup { model: self.models[model].1.clone(), ..self.setup.clone() }
    }
    /// [`Back::through`] with the snapshots of the job.
    pub(crate) fn setup_of(&self, model: usize, file: &JobFile) -> Setup {
        Setup { snapshots: file.job.output.snapshots.clone(), ..self.through(model) }
    }
}
