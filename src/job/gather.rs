//! The gathers of a file in the model of a job.

use super::{
    Headers, JobError, JobFile,
    to_model::{HAIR, ToModel},
};
use crate::{
    grid::{Grid, Position},
    io::{
        gather_file::{self, GatherFile, GatherFileError, Given, Origin, Purpose},
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

/// A way to read a file.
type Read = fn(&Path, &Given) -> Result<GatherFile, GatherFileError>;

impl JobFile {
    /// The gathers of a file of traces that `key` names, with positions in the model. Tells of
    /// contradictions in the file.
    pub(crate) fn gathers(
        &self,
        place: (&str, &Path),
        purpose: Purpose,
        model: (&VelocityModel, bool),
        files: &mut Vec<(String, String)>,
    ) -> Result<Vec<Gather>, JobError> {
        Ok(self.gather_file(place, purpose, model, files)?.gathers)
    }

    /// [`JobFile::gathers`] with what else is known of the file.
    pub(crate) fn gather_file(
        &self,
        place: (&str, &Path),
        purpose: Purpose,
        model: (&VelocityModel, bool),
        files: &mut Vec<(String, String)>,
    ) -> Result<GatherFile, JobError> {
        self.placed(place, (purpose, gather_file::read), model, files)
    }

    /// [`JobFile::gathers`] without samples, and how many samples their traces have from the shot on.
    pub(crate) fn geometry(
        &self,
        place: (&str, &Path),
        purpose: Purpose,
        model: (&VelocityModel, bool),
        files: &mut Vec<(String, String)>,
    ) -> Result<(Vec<Gather>, usize), JobError> {
        let file = self.headers_of(place, purpose, model, files)?;
        Ok((file.gathers, file.samples))
    }

    /// [`JobFile::gather_file`] without samples.
    pub(crate) fn headers_of(
        &self,
        place: (&str, &Path),
        purpose: Purpose,
        model: (&VelocityModel, bool),
        files: &mut Vec<(String, String)>,
    ) -> Result<GatherFile, JobError> {
        self.placed(place, (purpose, gather_file::read_headers), model, files)
    }

    fn placed(
        &self,
        (key, path): (&str, &Path),
        (purpose, read): (Purpose, Read),
        (model, is_volume): (&VelocityModel, bool),
        files: &mut Vec<(String, String)>,
    ) -> Result<GatherFile, JobError> {
        let headers = self.headers();
        self.check_headers(&headers)?;
        let refused = |message: String| self.refused_file(key, path, message);
        if !Format::of(path).is_ok_and(Format::is_traces) {
            self.tell_unused(
                path,
                &[
                    "interval",
                    "start",
                    "records",
                    "kill",
                    "zeros",
                    "positions",
                    "origin",
                    "azimuth",
                    "y_axis",
                ],
            );
        }
        let read = read(path, &Given { purpose, ..headers.given() });
        let read = read.map_err(|error| refused(error.to_string()))?;
        for warning in &read.warnings {
            self.tell_once(path, warning, warning);
        }
        read.finite().map_err(|error| refused(error.to_string()))?;
        let GatherFile { mut gathers, origins, count, .. } = read;
        let mut way = self.way(&headers, model, is_volume);
        let elsewhere = self.positions(headers.positions.as_deref(), &mut way, files)?;
        let of_shots = purpose == Purpose::Geometry;
        if of_shots {
            self.tell_nowhere(path, &gathers);
        }
        match (&elsewhere, of_shots) {
            (Some(_), _) => {}
            (None, true) => {
                let mut each = gathers.iter().map(|gather| gather.receivers.iter());
                each.try_for_each(side_by_side).map_err(refused)?;
            }
            (None, false) => {
                let all = gathers.iter().flat_map(|gather| gather.receivers.iter());
                side_by_side(all).map_err(refused)?;
            }
        }
        let mut moved = 0.0f64;
        for (gather, origin) in gathers.iter_mut().zip(&origins) {
            gather.source = match of_shots {
                true => way.of(gather.source),
                // Nothing is told of it: where it is to be found, its header means nothing.
                false => way.place(gather.source).0,
            };
            match &elsewhere {
                None => gather.receivers.iter_mut().for_each(|at| *at = way.of(*at)),
                Some(receivers) if purpose == Purpose::Section => {
                    self.check_positions(count, receivers.len())?;
                    // Sources of a section are at its receivers.
                    (gather.source, gather.receivers[0]) =
                        (receivers[origin.gather], receivers[origin.gather]);
                }
                Some(receivers) => {
                    let listed = self.of_list(receivers, origin)?;
                    moved = moved.max(way.apart(&gather.receivers, &listed));
                    gather.receivers = listed;
                }
            }
        }
        let sources = gathers.iter().filter(|_| of_shots).map(|gather| &gather.source);
        let all = sources.chain(gathers.iter().flat_map(|gather| gather.receivers.iter()));
        let count = if of_shots { gathers.len() } else { 0 };
        inside(all, (count, &numbers(&origins)), model.grid()).map_err(refused)?;
        way.tell(self, path, gathers.first()).map_err(refused)?;
        // Positions that are not those of the headers.
        if moved > HAIR {
            let message = format!(
                "the positions that are listed are up to {moved:.1} cells from those of its headers, and are taken, as given"
            );
            self.tell_once(path, "moved", message);
        }
        Ok(GatherFile { gathers, origins, ..read })
    }

    /// Warns of shots whose headers do not say where their source is.
    fn tell_nowhere(&self, path: &Path, gathers: &[Gather]) {
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
            self.tell_once(path, "nowhere", message);
        }
    }

    fn way<'a>(&self, headers: &Headers, model: &'a VelocityModel, is_volume: bool) -> ToModel<'a> {
        ToModel::new(headers.placement(), model, is_volume)
    }

    /// The receivers of every record, where they are not those of the headers.
    fn positions(
        &self,
        name: Option<&str>,
        way: &mut ToModel<'_>,
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
                Ok(Some(self.receivers("receivers", of_job, way.is_volume)?.to_vec()))
            }
            Some(name) => {
                let path = self.path(name);
                let listed = positions::read(&path)
                    .map_err(|error| self.mistake("gather.positions", error))?;
                files.push(self.digest("gather.positions", &path)?);
                if way.is_volume && listed.iter().any(|at| at.y.is_none()) {
                    let message = format!("{name} has no column y, and the model is 3-D; add one");
                    return Err(self.mistake("gather.positions", message));
                }
                let metres = self.headers().given().headers.unit.unwrap_or_default().metres();
                Ok(Some(listed.iter().map(|at| way.of(at.in_metres(metres))).collect()))
            }
        }
    }

    /// Those of a list that belong to the traces of a gather.
    fn of_list(&self, receivers: &[Position], origin: &Origin) -> Result<Vec<Position>, JobError> {
        self.check_positions(origin.of, receivers.len())?;
        Ok(origin.traces.iter().map(|trace| receivers[*trace]).collect())
    }

    fn check_positions(&self, traces: usize, receivers: usize) -> Result<(), JobError> {
        if traces == receivers {
            return Ok(());
        }
        let message = format!(
            "the gather has {traces} traces, but there are {receivers} receivers; give a \
             position for each trace, in their order"
        );
        let key = if self.headers().positions.is_some() { "gather.positions" } else { "receivers" };
        Err(self.mistake(key, message))
    }

    /// The receivers of an array of `traces` traces, which has no headers: those of the job, or of a
    /// file.
    pub(crate) fn receivers_of_array(
        &self,
        traces: usize,
        (model, is_volume): (&VelocityModel, bool),
        files: &mut Vec<(String, String)>,
    ) -> Result<Vec<Position>, JobError> {
        let headers = self.headers();
        self.check_headers(&headers)?;
        let mut way = self.way(&headers, model, is_volume);
        let name = headers.positions.as_deref().unwrap_or("job");
        let receivers = self.positions(Some(name), &mut way, files)?.unwrap_or_default();
        self.check_positions(traces, receivers.len())?;
        if let Some(name) = headers.positions.filter(|name| name != "job") {
            let numbers: Vec<_> = (1..=traces as u64).collect();
            let path = Path::new(&name);
            inside(receivers.iter(), (0, &numbers), model.grid())
                .and_then(|()| way.tell(self, path, None))
                .map_err(|message| self.refused_file("gather.positions", path, message))?;
        }
        Ok(receivers)
    }

    fn refused_file(&self, key: &str, path: &Path, message: String) -> JobError {
        self.mistake(key, about(path.display(), message))
    }
}

/// Returns an error if all positions are one: headers without positions have them all at 0.
pub fn side_by_side<'a>(mut at: impl Iterator<Item = &'a Position> + Clone) -> Result<(), String> {
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

/// The numbers of all traces in their file.
fn numbers(origins: &[Origin]) -> Vec<u64> {
    origins.iter().flat_map(|origin| origin.numbers.iter().copied()).collect()
}

/// Returns an error if a position lies outside the model. Those of sources, as many as this, come
/// before those of traces, which have these numbers in their file.
fn inside<'a>(
    all: impl Iterator<Item = &'a Position> + Clone,
    (sources, numbers): (usize, &[u64]),
    grid: &Grid,
) -> Result<(), String> {
    let is_outside = |at: &&Position| grid.in_nodes(**at).is_err();
    let outside = all.clone().filter(is_outside).count();
    let (Some(index), Some(at)) =
        (all.clone().position(|at| is_outside(&at)), all.clone().find(is_outside))
    else {
        return Ok(());
    };
    let trace = index.checked_sub(sources).map(|trace| numbers[trace]);
    let which = match trace {
        Some(trace) => format!("trace {trace}"),
        None => format!("the source of shot {}", index + 1),
    };
    let last = grid.last();
    let y = match grid.is_volume() {
        true => {
            let [y, last] = rounded_apart(at.y, last.y);
            (format!(", y = {y} m"), format!(", 0 to {last} m along y"))
        }
        false => Default::default(),
    };
    let [x, z] = [(at.x, last.x), (at.z, last.z)].map(|(at, last)| rounded_apart(at, last));
    let text = format!(
        "{which} lies at x = {} m{}, z = {} m from the model's first node, outside the model, which reaches from 0 to {} m along x{} \
         and 0 to {} m along z{}",
        x[0],
        y.0,
        z[0],
        x[1],
        y.1,
        z[1],
        match outside - 1 {
            0 => String::new(),
            1 => format!("; so does another of its {} positions", all.clone().count()),
            others => format!("; so do {others} others of its {} positions", all.clone().count()),
        }
    );
    let is_deep = |at: &Position| !(0.0..=last.z).contains(&at.z);
    let depth = all.clone().any(is_deep).then_some(ELEVATION_SCALAR.into());
    let alone = trace.filter(|_| outside == 1);
    let alone = alone.map(|number| kill(&[number]));
    let remedies = [ORIGIN.to_owned(), POSITIONS.into()].into_iter().chain(depth).chain(alone);
    Err(format!("{text}; {}", any_of(&remedies.collect::<Vec<_>>())))
}
