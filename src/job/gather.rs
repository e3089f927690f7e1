//! The gathers of a file in the model of a job.

use super::{JobError, JobFile, to_model::ToModel};
use crate::{
    grid::{Grid, Position},
    io::{
        gather_file::{self, GatherFile, GatherFileError, Given, Purpose},
        model_file::Format,
        positions,
        segy::{
            Gather,
            remedy::{ELEVATION_SCALAR, ORIGIN, POSITIONS, kill},
        },
    },
    message::{about, any_of},
    model::VelocityModel,
    rounded::{rounded, rounded_apart},
};
use std::path::Path;

/// A file of traces that `key` names, and what it is read for.
#[derive(Clone, Copy)]
pub(crate) struct TraceFile<'a> {
    pub(crate) key: &'a str,
    pub(crate) path: &'a Path,
    pub(crate) purpose: Purpose,
}

/// A way to read a file.
type Read = fn(&Path, &Given) -> Result<GatherFile, GatherFileError>;

/// The keys of `[gather]` that hold for arrays too, which have no headers.
const OF_ARRAYS: [&str; 10] = [
    "interval",
    "start",
    "date",
    "records",
    "kill",
    "zeros",
    "positions",
    "origin",
    "azimuth",
    "y_axis",
];

impl JobFile {
    /// The gathers of a file, with positions in the model. Warns of contradictions in the file.
    pub(crate) fn gather_file(
        &self,
        file: TraceFile<'_>,
        model: &VelocityModel,
        files: &mut Vec<(String, String)>,
    ) -> Result<GatherFile, JobError> {
        self.gather_file_by(gather_file::read, file, model, files)
    }

    /// [`JobFile::gather_file`] without samples.
    pub(crate) fn gather_headers(
        &self,
        file: TraceFile<'_>,
        model: &VelocityModel,
        files: &mut Vec<(String, String)>,
    ) -> Result<GatherFile, JobError> {
        self.gather_file_by(gather_file::read_headers, file, model, files)
    }

    fn gather_file_by(
        &self,
        read: Read,
        file: TraceFile<'_>,
        model: &VelocityModel,
        files: &mut Vec<(String, String)>,
    ) -> Result<GatherFile, JobError> {
        let TraceFile { key, path, purpose } = file;
        let headers = self.headers();
        self.check_headers(&headers)?;
        if !Format::of(path).is_ok_and(Format::is_traces) {
            self.warn_unused(path, &OF_ARRAYS);
        }
        let refused = |error: GatherFileError| self.refused_file(key, path, error.to_string());
        let read = read(path, &Given { purpose, ..headers.given() }).map_err(refused)?;
        for warning in &read.warnings {
            self.warn_once(path, warning, warning);
        }
        read.finite().map_err(refused)?;
        let mut to_model = ToModel::new(headers.placement(), model);
        let listed = self.positions(headers.positions.as_deref(), &mut to_model, files)?;
        let read = self.place_gathers(file, read, listed.as_deref(), &mut to_model)?;
        to_model
            .report(self, path, read.gathers.first())
            .map_err(|message| self.refused_file(key, path, message))?;
        Ok(read)
    }

    /// Takes the positions of gathers to the model: those of their headers, or those that are listed.
    fn place_gathers(
        &self,
        TraceFile { key, path, purpose }: TraceFile<'_>,
        mut file: GatherFile,
        listed: Option<&[Position]>,
        to_model: &mut ToModel<'_>,
    ) -> Result<GatherFile, JobError> {
        let refused = |message: String| self.refused_file(key, path, message);
        let of_shots = purpose == Purpose::Geometry;
        if of_shots {
            self.warn_nowhere(path, &file.gathers);
        }
        let mut receivers = file.gathers.iter().map(|gather| gather.receivers.iter());
        match (listed, of_shots) {
            (Some(_), _) => Ok(()),
            (None, true) => receivers.try_for_each(side_by_side),
            (None, false) => side_by_side(receivers.flatten()),
        }
        .map_err(refused)?;
        for (gather, origin) in file.gathers.iter_mut().zip(&file.origins) {
            gather.source = match of_shots {
                true => to_model.include(gather.source),
                // Without a warning: where a source is to be found, its header means nothing.
                false => to_model.place(gather.source).at,
            };
            match listed {
                None => gather.receivers.iter_mut().for_each(|at| *at = to_model.include(*at)),
                Some(listed) if purpose == Purpose::Section => {
                    self.check_positions(file.count, listed.len())?;
                    // Sources of a section are at its receivers.
                    (gather.source, gather.receivers[0]) =
                        (listed[origin.gather], listed[origin.gather]);
                }
                Some(listed) => {
                    self.check_positions(origin.of, listed.len())?;
                    let listed = origin.traces.iter().map(|trace| listed[*trace]).collect();
                    to_model.replace(&mut gather.receivers, listed);
                }
            }
        }
        let sources = file.gathers.iter().filter(|_| of_shots).map(|gather| &gather.source);
        let all = sources.chain(file.gathers.iter().flat_map(|gather| gather.receivers.iter()));
        let count = if of_shots { file.gathers.len() } else { 0 };
        let traces = file.origins.iter().flat_map(|origin| origin.numbers.iter().copied());
        let numbers = Numbers { sources: count, traces: traces.collect() };
        inside(all, &numbers, to_model.grid()).map_err(refused)?;
        Ok(file)
    }

    /// Warns of shots whose headers do not say where their source is.
    fn warn_nowhere(&self, path: &Path, gathers: &[Gather]) {
        let nowhere = gathers.iter().filter(|of| of.source == Position::default()).count();
        if nowhere > 0 {
            let message = format!(
                "{} no position of {} source, or x, y and z of 0, which is taken",
                match (nowhere, gathers.len()) {
                    (1, 1) => "the shot has".into(),
                    (1, all) => format!("1 of {all} shots has"),
                    (_, all) => format!("{nowhere} of {all} shots have"),
                },
                if nowhere == 1 { "its" } else { "their" }
            );
            self.warn_once(path, "nowhere", message);
        }
    }

    /// The receivers of every record, where they are not those of the headers.
    fn positions(
        &self,
        name: Option<&str>,
        to_model: &mut ToModel<'_>,
        files: &mut Vec<(String, String)>,
    ) -> Result<Option<Vec<Position>>, JobError> {
        match name {
            None => Ok(None),
            Some("job") => {
                let of_job = self.receivers_of(0).ok_or_else(|| {
                    let positions = self.headers().positions.is_none().then_some(POSITIONS);
                    let remedies: Vec<_> =
                        ["give [receivers]"].into_iter().chain(positions).collect();
                    let remedy = any_of(&remedies);
                    self.mistake(
                        "receivers",
                        format!("the job does not say where receivers are; {remedy}"),
                    )
                })?;
                let is_volume = to_model.grid().is_volume();
                Ok(Some(self.receivers("receivers", of_job, is_volume)?.to_vec()))
            }
            Some(name) => {
                let path = self.path(name);
                let listed = positions::read(&path)
                    .map_err(|error| self.mistake("gather.positions", error))?;
                files.push(self.digest("gather.positions", &path)?);
                if to_model.grid().is_volume() && listed.iter().any(|at| at.y.is_none()) {
                    let message = format!("{name} has no column y, and the model is 3-D; add one");
                    return Err(self.mistake("gather.positions", message));
                }
                let metres = self.headers().given().headers.unit.unwrap_or_default().metres();
                let place = |at: &positions::Listed| to_model.include(at.in_metres(metres));
                Ok(Some(listed.iter().map(place).collect()))
            }
        }
    }

    fn check_positions(&self, traces: usize, receivers: usize) -> Result<(), JobError> {
        if traces == receivers {
            return Ok(());
        }
        let message = format!(
            "the recording of locate.gather has {traces} traces, but there are {receivers} receivers; give a \
             position for each trace, in their order, or another recording"
        );
        let key = if self.headers().positions.is_some() { "gather.positions" } else { "receivers" };
        Err(self.mistake(key, message))
    }

    /// The receivers of an array of `traces` traces, which has no headers: those of the job, or of a
    /// file.
    pub(crate) fn receivers_of_array(
        &self,
        traces: usize,
        model: &VelocityModel,
        files: &mut Vec<(String, String)>,
    ) -> Result<Vec<Position>, JobError> {
        let headers = self.headers();
        self.check_headers(&headers)?;
        let mut to_model = ToModel::new(headers.placement(), model);
        let name = headers.positions.as_deref().unwrap_or("job");
        let receivers = self.positions(Some(name), &mut to_model, files)?.unwrap_or_default();
        self.check_positions(traces, receivers.len())?;
        if name != "job" {
            let numbers = Numbers { sources: 0, traces: (1..=traces as u64).collect() };
            let path = Path::new(name);
            inside(receivers.iter(), &numbers, model.grid())
                .and_then(|()| to_model.report(self, path, None))
                .map_err(|message| self.refused_file("gather.positions", path, message))?;
        }
        Ok(receivers)
    }

    fn refused_file(&self, key: &str, path: &Path, message: String) -> JobError {
        self.mistake(key, about(path.display(), message))
    }
}

/// Returns an error if all positions are one: headers without positions have them all at 0.
pub(crate) fn side_by_side<'a>(
    mut at: impl Iterator<Item = &'a Position> + Clone,
) -> Result<(), String> {
    let count = at.clone().count();
    match at.next() {
        Some(first) if count > 1 && at.all(|other| other == first) => Err(format!(
            "all of its {count} traces are at x = {} m, z = {} m, and those of a recording are \
             side by side; {POSITIONS}, or correct the headers",
            rounded(first.x),
            rounded(first.z)
        )),
        _ => Ok(()),
    }
}

/// What positions are of: of so many sources first, then of traces with these numbers in their file.
struct Numbers {
    sources: usize,
    traces: Vec<u64>,
}

/// Returns an error if a position lies outside the model.
fn inside<'a>(
    all: impl Iterator<Item = &'a Position> + Clone,
    numbers: &Numbers,
    grid: &Grid,
) -> Result<(), String> {
    let is_outside = |at: &&Position| grid.in_nodes(**at).is_err();
    let outside = all.clone().filter(is_outside).count();
    let (Some(index), Some(at)) =
        (all.clone().position(|at| is_outside(&at)), all.clone().find(is_outside))
    else {
        return Ok(());
    };
    let trace = index.checked_sub(numbers.sources).map(|trace| numbers.traces[trace]);
    let which = match trace {
        Some(trace) => format!("trace {trace}"),
        None => format!("the source of shot {}", index + 1),
    };
    let last = grid.last();
    let y = grid.is_volume().then_some(("y", at.y, last.y));
    let axes = [Some(("x", at.x, last.x)), y, Some(("z", at.z, last.z))].into_iter().flatten();
    let words = |(axis, at, last)| {
        let [at, last] = rounded_apart(at, last);
        (format!("{axis} = {at} m"), format!("0 to {last} m along {axis}"))
    };
    let (place, mut extent): (Vec<_>, Vec<_>) = axes.map(words).unzip();
    let depth = extent.pop().unwrap_or_default();
    let (place, extent, count) = (place.join(", "), extent.join(", "), all.clone().count());
    let others = match outside - 1 {
        0 => String::new(),
        1 => format!("; so does another of its {count} positions"),
        others => format!("; so do {others} others of its {count} positions"),
    };
    let text = format!(
        "{which} lies at {place} from the model's first node, outside the model, which reaches from {extent} and {depth}{others}"
    );
    let is_deep = |at: &Position| !(0.0..=last.z).contains(&at.z);
    let depth = all.clone().any(is_deep).then_some(ELEVATION_SCALAR.into());
    let alone = trace.filter(|_| outside == 1);
    let alone = alone.map(|number| kill(&[number]));
    let remedies = [ORIGIN.to_owned(), POSITIONS.into()].into_iter().chain(depth).chain(alone);
    Err(format!("{text}; {}", any_of(&remedies.collect::<Vec<_>>())))
}
