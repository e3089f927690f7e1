//! The gathers of a file in the model of a job.

use super::{Headers, JobError, JobFile, axes::Dimensions};
use crate::{
    grid::{Grid, Position},
    io::{
        gather_file::{self, GatherFile, Geometry},
        model_file::Format,
        positions,
        segy::{Gather, ShotSpec},
    },
    model::{Placement, VelocityModel},
    remedy::{Message, Remedy, any_of},
};
use ndarray::ArrayView1;
use rayon::prelude::*;
use std::path::Path;

/// A receiver this far outside the model, in cells, is taken to its edge.
const HAIR: f64 = 0.1;
/// Nearer to the edge, in cells, it is the rounding of a rotation.
const ROUNDING: f64 = 1e-6;

/// Maps the headers' coordinates to the model's, and collects what to warn of.
struct ToModel<'a> {
    headers: Placement,
    model: &'a VelocityModel,
    dimensions: Dimensions,
    /// The farthest from the line of a 2-D model, metres.
    off_line: f64,
    /// How many were taken to the edge, and from how far, metres.
    outside: (usize, f64),
}

impl ToModel<'_> {
    /// A position in the model, and how far it was from there: off the line of a 2-D model, and
    /// outside its edge.
    fn place(&self, at: Position) -> (Position, f64, f64) {
        let grid = self.model.grid();
        let mut at = self.model.placement().in_model(self.headers.on_map(at));
        let mut off_line = 0.0;
        if self.dimensions == Dimensions::Two {
            (off_line, at.y) = (at.y.abs(), 0.0);
        }
        let edge = at.zip(grid.last()).zip(grid.h).map(|((at, last), h)| {
            let inside = at.clamp(0.0, last);
            if (at - inside).abs() <= HAIR * h { inside } else { at }
        });
        (edge, off_line, (edge.x - at.x).hypot(edge.y - at.y).hypot(edge.z - at.z))
    }

    /// A position in the model, of which [`Self::tell`] tells.
    fn of(&mut self, at: Position) -> Position {
        let (edge, off_line, outside) = self.place(at);
        self.off_line = self.off_line.max(off_line);
        if outside > ROUNDING * self.model.grid().h.x {
            self.outside = (self.outside.0 + 1, self.outside.1.max(outside));
        }
        edge
    }

    /// Warns of what was seen, in the positions of a file.
    fn tell(&self, path: &Path) {
        let path = path.display();
        if self.off_line > HAIR * self.model.grid().h.x {
            tracing::warn!(
                "{path}: positions are up to {:.1} m off the line of the 2-D model, and are projected on it; if that is wrong, {}",
                self.off_line,
                Remedy::Origin
            );
        }
        if let (count @ 1.., farthest) = self.outside {
            tracing::warn!(
                "{path}: {count} positions lie up to {farthest:.3} m outside the model, and are taken to its edge"
            );
        }
    }
}

impl JobFile {
    /// The gathers of a file of traces that `key` names, with positions in the model. Tells of
    /// contradictions in the file.
    pub(super) fn gathers(
        &self,
        key: &str,
        path: &Path,
        (model, dimensions): (&VelocityModel, Dimensions),
        files: &mut Vec<(String, String)>,
    ) -> Result<Vec<Gather>, JobError> {
        let headers = self.headers();
        self.check_headers(&headers)?;
        let refused = |message: Message| self.refused_file(key, path, message);
        if !Format::of(path).is_ok_and(Format::is_traces) {
            self.tell_unused(
                path,
                &["interval", "start", "records", "positions", "origin", "azimuth", "y_axis"],
            );
        }
        let read = gather_file::read(path, &headers.given());
        let GatherFile { mut gathers, numbers, warnings } =
            read.map_err(|error| refused(error.into()))?;
        for warning in &warnings {
            tracing::warn!("{}: {warning}", path.display());
        }
        finite(&gathers, &numbers).map_err(refused)?;
        let mut way = self.way(&headers, model, dimensions);
        let elsewhere = self.positions(headers.positions.as_deref(), &mut way, files)?;
        if elsewhere.is_none() {
            let all = gathers.iter().flat_map(|gather| gather.receivers.iter());
            side_by_side(all).map_err(refused)?;
        }
        let count = gathers.len();
        // A section has gathers of one trace each.
        let is_section = gathers.len() > 1 && gathers.iter().all(|of| of.receivers.len() == 1);
        for (index, gather) in gathers.iter_mut().enumerate() {
            // Nothing is told of it: where it is to be found, its header means nothing.
            gather.source = way.place(gather.source).0;
            match &elsewhere {
                None => gather.receivers.iter_mut().for_each(|at| *at = way.of(*at)),
                Some(receivers) if is_section && receivers.len() == count => {
                    gather.receivers = vec![receivers[index]];
                    // Sources of a section are at its receivers.
                    gather.source = receivers[index];
                }
                Some(receivers) => {
                    self.check_positions(gather.receivers.len(), receivers.len())?;
                    gather.receivers.clone_from(receivers);
                }
            }
        }
        let receivers = gathers.iter().flat_map(|gather| gather.receivers.iter());
        inside(receivers, (0, &numbers), model.grid()).map_err(refused)?;
        way.tell(path);
        Ok(gathers)
    }

    /// The sources and receivers of a file of traces that `key` names, in the model.
    pub(super) fn geometry(
        &self,
        key: &str,
        path: &Path,
        (model, dimensions): (&VelocityModel, Dimensions),
        files: &mut Vec<(String, String)>,
    ) -> Result<Vec<ShotSpec>, JobError> {
        let headers = self.headers();
        self.check_headers(&headers)?;
        let refused = |message: Message| self.refused_file(key, path, message);
        let read = gather_file::read_geometry(path, &headers.given());
        let Geometry { mut shots, numbers, warnings } =
            read.map_err(|error| refused(error.into()))?;
        for warning in &warnings {
            tracing::warn!("{}: {warning}", path.display());
        }
        let mut way = self.way(&headers, model, dimensions);
        let elsewhere = self.positions(headers.positions.as_deref(), &mut way, files)?;
        let nowhere = shots.iter().filter(|shot| shot.source == Position::default()).count();
        if nowhere > 0 {
            tracing::warn!(
                "{}: {nowhere} of {} shots have no position of their source, or x, y and z of 0, which is taken",
                path.display(),
                shots.len()
            );
        }
        for shot in &mut shots {
            shot.source = way.of(shot.source);
            shot.receivers = match &elsewhere {
                None => {
                    side_by_side(shot.receivers.iter()).map_err(refused)?;
                    shot.receivers.iter().map(|at| way.of(*at)).collect()
                }
                Some(receivers) => {
                    self.check_positions(shot.receivers.len(), receivers.len())?;
                    receivers.clone().into()
                }
            };
        }
        let sources = shots.iter().map(|shot| &shot.source);
        let all = sources.chain(shots.iter().flat_map(|shot| shot.receivers.iter()));
        inside(all, (shots.len(), &numbers), model.grid()).map_err(refused)?;
        way.tell(path);
        Ok(shots)
    }

    fn way<'a>(
        &self,
        headers: &Headers,
        model: &'a VelocityModel,
        dimensions: Dimensions,
    ) -> ToModel<'a> {
        let headers = headers.placement();
        ToModel { headers, model, dimensions, off_line: 0.0, outside: (0, 0.0) }
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
                    let remedy = match self.headers().positions {
                        Some(_) => "give [receivers]".into(),
                        None => any_of(&["give [receivers]".into(), Remedy::Positions]),
                    };
                    let message = ("the job does not say where receivers are", remedy);
                    self.mistake("receivers", message)
                })?;
                Ok(Some(self.receivers("receivers", of_job, way.dimensions)?.to_vec()))
            }
            Some(name) => {
                let path = self.path(name);
                let listed = positions::read(&path)
                    .map_err(|error| self.mistake("gather.positions", error))?;
                files.push(self.digest("gather.positions", &path)?);
                if way.dimensions == Dimensions::Three && listed.iter().any(|at| at.y.is_none()) {
                    let message =
                        (format!("{name} has no column y, and the model is 3-D"), "add one");
                    return Err(self.mistake("gather.positions", message));
                }
                let metres = self.headers().given().headers.unit.unwrap_or_default().metres();
                Ok(Some(listed.iter().map(|at| way.of(at.in_metres(metres))).collect()))
            }
        }
    }

    fn check_positions(&self, traces: usize, receivers: usize) -> Result<(), JobError> {
        if traces == receivers {
            return Ok(());
        }
        let message = (
            format!("the gather has {traces} traces, but there are {receivers} receivers"),
            "give a position for each trace that is not left out, in their order",
        );
        let key = if self.headers().positions.is_some() { "gather.positions" } else { "receivers" };
        Err(self.mistake(key, message))
    }

    /// The receivers of an array of `traces` traces, which has no headers: those of the job, or of a
    /// file.
    pub(super) fn receivers_of_array(
        &self,
        traces: usize,
        (model, dimensions): (&VelocityModel, Dimensions),
        files: &mut Vec<(String, String)>,
    ) -> Result<Vec<Position>, JobError> {
        let headers = self.headers();
        self.check_headers(&headers)?;
        let mut way = self.way(&headers, model, dimensions);
        let name = headers.positions.as_deref().unwrap_or("job");
        let receivers = self.positions(Some(name), &mut way, files)?.unwrap_or_default();
        self.check_positions(traces, receivers.len())?;
        if let Some(name) = headers.positions.filter(|name| name != "job") {
            let numbers: Vec<_> = (1..=traces as u64).collect();
            inside(receivers.iter(), (0, &numbers), model.grid()).map_err(|message| {
                self.refused_file("gather.positions", Path::new(&name), message)
            })?;
            way.tell(Path::new(&name));
        }
        Ok(receivers)
    }

    fn refused_file(&self, key: &str, path: &Path, message: Message) -> JobError {
        let text = format!("{}: {}", path.display(), message.text);
        self.mistake(key, Message { text, ..message })
    }
}

/// Returns an error if all positions are one: headers without positions have them all at 0.
fn side_by_side<'a>(mut at: impl Iterator<Item = &'a Position> + Clone) -> Result<(), Message> {
    let count = at.clone().count();
    match at.next() {
        Some(first) if count > 1 && at.all(|other| other == first) => Err((
            format!(
                "all of its {count} traces are at x = {} m, z = {} m, and those of a recording are side by side",
                first.x, first.z
            ),
            any_of(&[Remedy::Positions, "correct the headers".into()]),
        )
            .into()),
        _ => Ok(()),
    }
}

/// Returns an error if a sample is not finite.
fn finite(gathers: &[Gather], numbers: &[u64]) -> Result<(), Message> {
    let traces: Vec<_> = gathers.iter().flat_map(|gather| gather.traces.outer_iter()).collect();
    let bad = |trace: &ArrayView1<'_, f32>| trace.iter().any(|sample| !sample.is_finite());
    match traces.par_iter().position_first(bad) {
        None => Ok(()),
        Some(trace) => {
            let others = traces[trace + 1..].iter().filter(|trace| bad(trace)).count();
            let more = if others > 0 { format!(", and of {others} more") } else { String::new() };
            let text = format!("a sample of trace {} is not finite{more}", numbers[trace]);
            Err((text, Remedy::KillTrace { number: numbers[trace] }).into())
        }
    }
}

/// Returns an error if a position lies outside the model. Those of sources, as many as this, come
/// before those of traces, which have these numbers in their file.
fn inside<'a>(
    all: impl Iterator<Item = &'a Position> + Clone,
    (sources, numbers): (usize, &[u64]),
    grid: &Grid,
) -> Result<(), Message> {
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
        true => (format!(", y = {} m", at.y), format!(", 0 to {} m along y", last.y)),
        false => Default::default(),
    };
    let text = format!(
        "{which} lies at x = {} m{}, z = {} m from the model's first node, outside the model, which reaches from 0 to {} m along x{} \
         and 0 to {} m along z; so do {outside} of its {} positions",
        at.x,
        y.0,
        at.z,
        last.x,
        y.1,
        last.z,
        all.count()
    );
    let alone = trace.filter(|_| outside == 1).map(|number| Remedy::KillTrace { number });
    let remedies: Vec<_> = [Remedy::Origin, Remedy::Positions].into_iter().chain(alone).collect();
    Err((text, any_of(&remedies)).into())
}
