//! The recorded shots of a job, for their migration.

mod reading;
mod stored;

pub(crate) use stored::{ShotGather, held_of};

use crate::{
    acquisition::Shot,
    grid::Position,
    io::{
        gather_file::{Given, Purpose},
        model_file::Format,
        npy,
        segy::{Gather, remedy::START},
    },
    job::{Direct, FileNames, Inputs, JobError, JobFile, SEGY_ROUNDING, TraceFile, Zeros, shown},
    plan::Plan,
    rounded::rounded,
};
use ndarray::{Array2, Axis, Ix3, s};
use reading::{Reading, RecordedFile, Traces, zeros};
use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::Mutex,
};
use stored::{InFiles, Stored};

/// Recorded shots.
pub struct Recorded {
    stored: Stored,
    /// Seconds between samples.
    pub(crate) interval: f64,
    /// The recorded samples of each trace of each shot.
    pub(crate) samples: Vec<Vec<Range<usize>>>,
    /// The files and their SHA-256, if they are of files.
    pub(crate) files: Vec<(String, String)>,
}

impl Recorded {
    /// Of which every sample was recorded.
    pub fn whole(gathers: Vec<Array2<f32>>, interval: f64) -> Self {
        let all = |gather: &Array2<f32>| vec![0..gather.ncols(); gather.nrows()];
        let samples = gathers.iter().map(all).collect();
        Recorded { stored: Stored::Held(gathers), interval, samples, files: Vec::new() }
    }

    /// The recorded samples of traces that are not at hand.
    pub(crate) fn of_samples(samples: Vec<Vec<Range<usize>>>, interval: f64) -> Self {
        Recorded { samples, ..Recorded::whole(Vec::new(), interval) }
    }

    /// The gather of a shot, `[receiver][time]`, zero where nothing was recorded.
    pub(crate) fn gather(&self, shot: usize) -> Result<ShotGather<'_>, JobError> {
        self.stored.gather(shot, &self.samples)
    }

    /// The shots.
    pub(crate) fn shots(&self) -> usize {
        self.stored.shots()
    }

    /// All gathers, in memory.
    pub(crate) fn gathers(&mut self) -> Result<&mut Vec<Array2<f32>>, JobError> {
        if let Stored::InFiles(_) = self.stored {
            let each = (0..self.shots()).map(|shot| Ok(self.gather(shot)?.clone()));
            self.stored = Stored::Held(each.collect::<Result<_, JobError>>()?);
        }
        match &mut self.stored {
            Stored::Held(gathers) => Ok(gathers),
            Stored::InFiles(_) => unreachable!("they are held now"),
        }
    }

    /// Frees the traces, where they are held; their recorded samples stay.
    pub(crate) fn drop_traces(&mut self) {
        self.stored = Stored::Held(Vec::new());
    }

    /// Counts traces of zeros as dead, if they were not; how many are.
    fn kill_zeros(&mut self, are_zero: &[Vec<bool>]) -> usize {
        let mut killed = 0;
        for (are_zero, samples) in are_zero.iter().zip(&mut self.samples) {
            for (is_zero, samples) in are_zero.iter().zip(samples) {
                if *is_zero && samples.start < samples.end {
                    (*samples, killed) = (0..0, killed + 1);
                }
            }
        }
        killed
    }

    /// Zeros where nothing was recorded, as in traces that are marked dead. Those of files are made
    /// when they are read.
    fn silence(&mut self) {
        let Stored::Held(gathers) = &mut self.stored else { return };
        for (gather, samples) in gathers.iter_mut().zip(&self.samples) {
            keep_recorded(gather, samples);
        }
    }

    /// Whether anything was recorded of a shot.
    pub(crate) fn is_live(&self, shot: usize) -> bool {
        self.samples[shot].iter().any(|samples| !samples.is_empty())
    }

    /// Samples of traces in memory at once.
    pub(crate) fn size(&self) -> u64 {
        self.stored.size()
    }

    /// Returns an error if every trace starts after the end of a run.
    fn check_reach(&self, duration: f64) -> Result<(), String> {
        let starts = self.samples.iter().flatten().filter(|samples| !samples.is_empty());
        let first = starts.map(|samples| samples.start).min().unwrap_or(0);
        let start = first as f64 * self.interval;
        match start > duration + 0.5 * self.interval {
            false => Ok(()),
            true => Err(format!(
                "its traces start {} s after the shot or later, and the run takes {} s: nothing was recorded in the run; simulate \
                 longer (time.duration), or, if that start is wrong, {START}",
                rounded(start),
                rounded(duration),
            )),
        }
    }

    fn traces(&self) -> usize {
        self.samples.iter().map(Vec::len).sum()
    }

    fn dead(&self) -> usize {
        self.samples.iter().flatten().filter(|samples| samples.is_empty()).count()
    }
}

/// Memory held while a file of this many samples is read and resampled for a Plan's shots, bytes.
pub(crate) fn bytes_of_reading(path: Option<&Path>, samples: u64, plan: &Plan) -> u64 {
    let traces = plan.shots.iter().map(|shot| shot.receivers.len() as u64).sum::<u64>();
    let kept = traces * plan.time.kept() as u64;
    // An array of all shots is taken apart.
    let is_array = path.is_some_and(|path| !Format::of(path).is_ok_and(Format::is_traces));
    let copies = if is_array { 2 * samples } else { samples };
    // Shots become others one by one on each thread.
    let shots = plan.shots.len().max(1) as u64;
    let together = shots.min(rayon::current_num_threads() as u64);
    let fitted = samples.max(kept) + samples.min(kept) * together / shots;
    4 * copies.max(if samples == kept { samples } else { fitted })
}

/// Makes samples zero that were not recorded.
pub(crate) fn keep_recorded(gather: &mut Array2<f32>, recorded: &[Range<usize>]) {
    for (mut trace, recorded) in gather.outer_iter_mut().zip(recorded) {
        let count = trace.len();
        trace.slice_mut(s![..recorded.start.min(count)]).fill(0.0);
        trace.slice_mut(s![recorded.end.min(count)..]).fill(0.0);
    }
}

impl JobFile {
    /// The recording that a job names for the shots of a Plan; `None` if they are to be modelled.
    pub fn recorded(&self, plan: &Plan, inputs: &mut Inputs) -> Result<Option<Recorded>, JobError> {
        let Some(name) = self.job.rtm.as_ref().and_then(|rtm| rtm.gathers.as_ref()) else {
            return Ok(None);
        };
        // Direct waves are taken from all gathers before the first is migrated.
        let is_held = self.job.rtm.as_ref().is_some_and(|rtm| rtm.direct == Direct::Modelled);
        let way = if is_held { Way::Held } else { Way::FileByFile };
        let recorded = self.recorded_at("rtm.gathers", name, way, plan, inputs)?;
        self.check_band(recorded.interval)?;
        Ok(Some(recorded))
    }

    /// The recording that a program has in memory, `[receiver][time]` of each shot; `what` names it.
    pub fn recorded_in(
        &self,
        what: &str,
        gathers: Vec<Array2<f32>>,
        interval: f64,
    ) -> Result<Recorded, JobError> {
        let are_zero = gathers.iter().map(zeros).collect::<Vec<_>>();
        let recorded = Recorded::whole(gathers, interval);
        self.live(Path::new(what), recorded, &are_zero).map_err(JobError::other)
    }

    /// Warns of traces that are marked dead.
    fn tell_dead(&self, path: &Path, marked: usize, all: usize) {
        if marked > 0 {
            let message = format!(
                "{marked} of {all} traces are marked dead, or end before the shot: they have no weight"
            );
            self.warn_once(path, "dead", message);
        }
    }

    /// A recording in which traces of zeros are dead, unless the job says otherwise. Tells how many.
    fn live(
        &self,
        path: &Path,
        mut recorded: Recorded,
        are_zero: &[Vec<bool>],
    ) -> Result<Recorded, String> {
        let all = recorded.traces();
        self.tell_dead(path, recorded.dead(), all);
        if self.headers().zeros.unwrap_or(Zeros::Dead) == Zeros::Dead {
            let killed = recorded.kill_zeros(are_zero);
            if killed > 0 && killed < all {
                let message = format!(
                    "{killed} of {all} traces hold nothing but zeros, and count as dead; if they were recorded, give gather.zeros = \
                     \"recorded\""
                );
                self.warn_once(path, "zeros", message);
            }
        }
        let dead = recorded.dead();
        if dead == all {
            return Err(
                "no trace has a recorded sample that is not zero: nothing was recorded".into()
            );
        }
        recorded.silence();
        Ok(recorded)
    }

    /// The sample interval and the samples of a trace of the shots of a Plan in files of traces, of
    /// which the headers alone are read. Tells if they have another length than the run.
    #[cfg(feature = "runs")]
    pub(crate) fn check_headers_of(
        &self,
        key: &'static str,
        paths: &[PathBuf],
        plan: &Plan,
        inputs: &Inputs,
    ) -> Result<(f64, usize), JobError> {
        let (mut gathers, mut samples) = (Vec::new(), 0);
        for path in paths {
            let file = TraceFile { key, path, purpose: Purpose::Observed };
            let file = self.gather_headers(file, &inputs.model, &mut Vec::new())?;
            let (marks, all) = (file.recorded.iter().flatten(), file.samples);
            let dead = marks.clone().filter(|of| of.is_empty()).count();
            self.tell_dead(path, dead, marks.count());
            gathers.extend(file.gathers);
            samples = all;
        }
        let name = shown(paths);
        let refused = |why: String| self.mistake(key, format!("{name}: {why}"));
        let (_, interval) = of_traces(gathers, plan).map_err(refused)?;
        tell_other_length(&name, samples, interval, plan);
        Ok((interval, samples))
    }

    /// The shots of a file; an array `may_be_one`, without an axis of shots.
    fn recorded_in_file(
        &self,
        key: &'static str,
        path: &Path,
        may_be_one: bool,
        inputs: &mut Inputs,
    ) -> Result<RecordedFile, JobError> {
        let refused = |error: String| self.mistake(key, format!("{}: {error}", path.display()));
        match Format::of(path) {
            Ok(Format::Segy | Format::Su | Format::Npz | Format::Hdf5) => {
                let file = TraceFile { key, path, purpose: Purpose::Observed };
                let file = self.gather_file(file, &inputs.model, &mut inputs.files)?;
                let interval = file.gathers.first().map_or(0.0, |gather| gather.interval);
                let traces = Traces::Placed(file.gathers);
                Ok(RecordedFile { traces, samples: file.recorded, interval })
            }
            Ok(Format::Npy) => {
                let missing = "a .npy does not say how far its samples are apart; give record, or step in \
                               seconds, as they were recorded";
                self.warn_unused(path, &["interval", "zeros"]);
                let traces = Traces::Bare(of_array(path, may_be_one).map_err(refused)?);
                let interval = self.interval_of_array("time.record", missing)?;
                Ok(RecordedFile { traces, samples: Vec::new(), interval })
            }
            _ => Err(refused(
                "it holds no gathers by its ending; give a .sgy, .su, .npy, .npz or .h5".into(),
            )),
        }
    }

    /// The recording that a key names for the shots of a Plan.
    pub(crate) fn recorded_at(
        &self,
        key: &'static str,
        names: &FileNames,
        way: Way,
        plan: &Plan,
        inputs: &mut Inputs,
    ) -> Result<Recorded, JobError> {
        let paths = self.paths(key, names)?;
        let name = shown(&paths);
        let refused = |error: String| self.mistake(key, format!("{name}: {error}"));
        let may_be_one = paths.len() > 1 || plan.shots.len() == 1;
        let is_held = paths.len() == 1 || way == Way::Held;
        let mut reading = Reading::default();
        for path in &paths {
            // Large files are read and hashed at the same time.
            let read = || self.recorded_in_file(key, path, may_be_one, inputs);
            let (read, sum) = rayon::join(read, || self.digest(key, path));
            reading.take(path, read?, is_held).map_err(refused)?;
            reading.sums.push(sum?);
        }
        let Reading { files, sums, interval, length, placed, bare, samples, are_zero } = reading;
        tell_other_length(&name, length, interval, plan);
        let gathers = match (placed.is_empty(), bare.is_empty()) {
            (false, false) => {
                let why = "some hold positions, and .npy files hold none; give one kind of file";
                return Err(refused(why.into()));
            }
            (false, true) => of_traces(placed, plan).map_err(refused)?.0,
            _ => {
                check_count(bare.len(), plan).map_err(refused)?;
                for (index, (gather, shot)) in bare.iter().zip(&plan.shots).enumerate() {
                    check_receivers(index, gather.nrows(), shot.receivers.len())
                        .map_err(refused)?;
                }
                bare
            }
        };
        if length < 2 {
            return Err(refused("its traces have fewer than 2 samples".into()));
        }
        let given = Given { purpose: Purpose::Observed, ..self.headers().given() };
        let stored = match is_held {
            true => Stored::Held(gathers),
            false => Stored::InFiles(InFiles { files, given, length, kept: Mutex::default() }),
        };
        let recorded = Recorded { stored, interval, samples, files: sums };
        let recorded = self.live(Path::new(&name), recorded, &are_zero).map_err(refused)?;
        recorded.check_reach(plan.time.duration()).map_err(refused)?;
        Ok(recorded)
    }
}

/// How the shots of several files are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Held,
    /// Each file is read again when one of its shots is needed.
    FileByFile,
}

/// Warns of recorded traces, by their samples and the seconds between them, that are longer or shorter than
/// the run of a Plan; `what` names them.
pub fn tell_other_length(what: &str, samples: usize, interval: f64, plan: &Plan) {
    let (recorded, run) = (samples.saturating_sub(1) as f64 * interval, plan.time.duration());
    if (recorded - run).abs() > interval {
        tracing::warn!(
            "{what}: {recorded:.3} s of traces, and the run takes {run:.3} s: what is longer is cut off, what is missing has no weight"
        );
    }
}

/// Largest distance of header positions from those of the job, cells.
const APART: f64 = 0.05;

/// The gathers of a file that has their positions.
fn of_traces(found: Vec<Gather>, plan: &Plan) -> Result<(Vec<Array2<f32>>, f64), String> {
    check_count(found.len(), plan)?;
    let h = plan.survey_grid().h;
    let near = |one: Position, other: Position| {
        let within = |d: f64, h: f64| d.abs() <= (APART * h).max(SEGY_ROUNDING);
        let y = !plan.grid.is_volume() || within(one.y - other.y, h.y);
        y && within(one.x - other.x, h.x) && within(one.z - other.z, h.z)
    };
    let interval = found.first().map_or(0.0, |gather| gather.interval);
    let mut all = Vec::with_capacity(found.len());
    for (index, (gather, shot)) in found.into_iter().zip(&plan.shots).enumerate() {
        let Shot { sources, receivers } = &*shot.asked;
        check_receivers(index, gather.traces.nrows(), receivers.len())?;
        let source = gather.source;
        if let Some(wanted) = sources.first().filter(|wanted| !near(wanted.at, source)) {
            return Err(format!(
                "the source of shot {} is at x = {} m, z = {} m, and the job's is at x = {} m, z = {} m; take the job's geometry from the \
                 file (survey.geometry), or correct one of them",
                index + 1,
                source.x,
                source.z,
                wanted.at.x,
                wanted.at.z
            ));
        }
        let places = gather.receivers.iter().zip(receivers.iter()).enumerate();
        for (trace, (found, wanted)) in places {
            if !near(*found, *wanted) {
                return Err(format!(
                    "trace {} of shot {} is at x = {} m, z = {} m, and the job's receiver at x = {} m, z = {} m; take the job's geometry \
                     from the file (survey.geometry), or correct one of them",
                    trace + 1,
                    index + 1,
                    found.x,
                    found.z,
                    wanted.x,
                    wanted.z
                ));
            }
        }
        all.push(gather.traces);
    }
    Ok((all, interval))
}

/// The gathers of an array; one of two axes `may_be_one`.
fn of_array(path: &Path, may_be_one: bool) -> Result<Vec<Array2<f32>>, String> {
    let mut values = npy::read::<f32>(path).map_err(|error| error.to_string())?;
    if values.ndim() == 2 && may_be_one {
        values.insert_axis_inplace(Axis(0));
    }
    let shape = values.shape().to_vec();
    let values = values.into_dimensionality::<Ix3>().map_err(|_| {
        format!(
            "gathers have the shape [shot][receiver][time], or of one shot [receiver][time], and this array has {} axes, {shape:?}",
            shape.len()
        )
    })?;
    Ok(values.outer_iter().map(|gather| gather.to_owned()).collect())
}

fn check_count(found: usize, plan: &Plan) -> Result<(), String> {
    match plan.shots.len() {
        shots if shots == found => Ok(()),
        shots => Err(format!(
            "it holds {found} shots, and the job has {shots}; give a file of these shots, in their order"
        )),
    }
}

fn check_receivers(shot: usize, found: usize, wanted: usize) -> Result<(), String> {
    match found == wanted {
        true => Ok(()),
        false => Err(format!(
            "shot {} has {found} traces, and the job has {wanted} receivers for it; give a file of these shots, in their order",
            shot + 1
        )),
    }
}
