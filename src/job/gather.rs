//! What the headers of a file of traces lack, and the gathers of a file in the model of a job.

use super::{JobError, JobFile, Origin, axes::Dimensions};
use crate::{
    grid::{Grid, Position},
    io::{
        gather_file::{self, GatherFile, Given},
        model_file::Format,
        positions,
        segy::{self, LengthUnit, Overrides, ShotSpec},
    },
    model::{Placement, Side, VelocityModel},
    remedy::{Message, Remedy, any_of},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Values in place of the headers of recorded traces: of the gather of locate, of the section of
/// zero-offset, of the shots of rtm and of the geometry of a survey.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Headers {
    /// The unit of the lengths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// The scalar of coordinates (bytes 71-72): a factor or, where negative, a divisor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coordinate_scalar: Option<i16>,
    /// The scalar of elevations and depths (bytes 69-70), likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elevation_scalar: Option<i16>,
    /// What coordinates are, whatever their unit's code says (bytes 89-90).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coordinates: Option<Coordinates>,
    /// Where the zero of the headers' coordinates lies on the map, if they are of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The direction of the headers' x on the map, degrees clockwise from north; default 90, east.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub azimuth: Option<f64>,
    /// The side of the headers' x on which their y lies; default "left".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y_axis: Option<Side>,
    /// Time of the first sample of each trace, seconds after the shot; before it where negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
    /// Seconds between samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<f64>,
    /// Which field records (bytes 9-12); default all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<Vec<i64>>,
    /// Where the receivers of every record are: "job", where the job has them, or a .csv of columns x, z and in 3-D y,
    /// a line for each trace, in the unit and coordinates that headers would have; default metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<String>,
}

/// The unit of lengths in headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    M,
    Ft,
}

impl Unit {
    pub fn length(self) -> LengthUnit {
        match self {
            Unit::M => LengthUnit::Metre,
            Unit::Ft => LengthUnit::Foot,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Coordinates {
    Lengths,
}

impl Headers {
    /// For the reader of a file.
    pub fn given(&self) -> Given {
        let headers = Overrides {
            unit: self.unit.map(Unit::length),
            coordinate_scalar: self.coordinate_scalar,
            elevation_scalar: self.elevation_scalar,
            lengths: self.coordinates.is_some(),
            interval: self.interval,
        };
        Given { headers, start: self.start, records: self.records.clone() }
    }

    /// The place of the headers' own coordinates on the map.
    fn placement(&self) -> Placement {
        let plain = Placement::default();
        Placement {
            origin: self.origin.map_or(plain.origin, Origin::position),
            azimuth: self.azimuth.unwrap_or(plain.azimuth),
            y_axis: self.y_axis.unwrap_or(plain.y_axis),
        }
    }
}

/// A receiver this far outside the model, in cells, is taken to its edge.
const HAIR: f64 = 0.1;
/// Nearer to the edge, in cells, it is the rounding of a rotation.
const ROUNDING: f64 = 1e-6;

/// Maps the headers' coordinates to the model's, and collects what to warn of.
struct Way<'a> {
    headers: Placement,
    model: &'a VelocityModel,
    dimensions: Dimensions,
    /// The farthest from the line of a 2-D model, metres.
    off_line: f64,
    /// How many were taken to the edge, and from how far, metres.
    outside: (usize, f64),
}

impl Way<'_> {
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
    /// The keys in place of headers.
    pub(super) fn headers(&self) -> Headers {
        self.job.gather.clone().unwrap_or_default()
    }

    /// Returns an error for values that no header has.
    fn check_headers(&self, headers: &Headers) -> Result<(), JobError> {
        for (key, scalar) in [
            ("gather.coordinate_scalar", headers.coordinate_scalar),
            ("gather.elevation_scalar", headers.elevation_scalar),
        ] {
            if scalar == Some(0) {
                let message = ("a scalar of 0 says nothing", "give 1, or leave it out");
                return Err(self.mistake(key, message));
            }
        }
        if let Some(interval) = headers.interval.filter(|of| !(of.is_finite() && *of > 0.0)) {
            let message =
                (format!("an interval of {interval} s is not available"), "give seconds above 0");
            return Err(self.mistake("gather.interval", message));
        }
        if let Some(start) = headers.start.filter(|start| !start.is_finite()) {
            let message = (format!("a start of {start} s is no time"), "give seconds");
            return Err(self.mistake("gather.start", message));
        }
        if headers.records.as_ref().is_some_and(Vec::is_empty) {
            let message = ("no record is chosen", "name some, or leave it out for all");
            return Err(self.mistake("gather.records", message));
        }
        self.check_placement("gather", &headers.placement())
    }

    /// The gathers of a file of traces that `key` names, with positions in the model. Tells of
    /// contradictions in the file.
    pub(super) fn gathers(
        &self,
        key: &str,
        path: &Path,
        (model, dimensions): (&VelocityModel, Dimensions),
        files: &mut Vec<(String, String)>,
    ) -> Result<Vec<segy::Gather>, JobError> {
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
        let GatherFile { mut gathers, warnings } = read.map_err(|error| refused(error.into()))?;
        for warning in &warnings {
            tracing::warn!("{}: {warning}", path.display());
        }
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
        inside(receivers, 0, model.grid()).map_err(refused)?;
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
        let (mut shots, warnings) = read.map_err(|error| refused(error.into()))?;
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
        inside(all, shots.len(), model.grid()).map_err(refused)?;
        way.tell(path);
        Ok(shots)
    }

    fn way<'a>(
        &self,
        headers: &Headers,
        model: &'a VelocityModel,
        dimensions: Dimensions,
    ) -> Way<'a> {
        let headers = headers.placement();
        Way { headers, model, dimensions, off_line: 0.0, outside: (0, 0.0) }
    }

    /// The receivers of every record, where they are not those of the headers.
    fn positions(
        &self,
        name: Option<&str>,
        way: &mut Way<'_>,
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
            "give a position for each trace, in their order",
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
            inside(receivers.iter(), 0, model.grid()).map_err(|message| {
                self.refused_file("gather.positions", Path::new(&name), message)
            })?;
            way.tell(Path::new(&name));
        }
        Ok(receivers)
    }

    /// Warns of keys in place of headers that a file without headers does not use. The unit is that
    /// of listed positions too.
    pub(super) fn tell_unused(&self, path: &Path, used: &[&str]) {
        let headers = self.headers();
        let listed = used.contains(&"positions")
            && headers.positions.as_ref().is_some_and(|name| name != "job");
        let given = toml::Table::try_from(headers).unwrap_or_default();
        let unused: Vec<_> = given
            .keys()
            .filter(|key| !(used.contains(&key.as_str()) || listed && *key == "unit"))
            .map(|key| format!("gather.{key}"))
            .collect();
        if !unused.is_empty() {
            tracing::warn!("{} has no headers: {} is not used", path.display(), unused.join(", "));
        }
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

/// Returns an error if a position lies outside the model; those of sources come before those of
/// traces.
fn inside<'a>(
    all: impl Iterator<Item = &'a Position> + Clone,
    sources: usize,
    grid: &Grid,
) -> Result<(), Message> {
    let is_outside = |at: &&Position| grid.in_nodes(**at).is_err();
    let outside = all.clone().filter(is_outside).count();
    let (Some(index), Some(at)) =
        (all.clone().position(|at| is_outside(&at)), all.clone().find(is_outside))
    else {
        return Ok(());
    };
    let which = match index.checked_sub(sources) {
        Some(trace) => format!("trace {}", trace + 1),
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
    let remedy = any_of(&[Remedy::Origin, Remedy::Positions]);
    Err((text, remedy).into())
}
