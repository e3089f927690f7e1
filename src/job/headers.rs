//! What the headers of a file of traces lack: the keys of `[gather]`.

use super::{GatherFields, JobError, JobFile, Origin};
use crate::{
    io::{
        gather_file::{Given, Kill},
        segy::{LengthUnit, Overrides},
    },
    model::{Placement, Side},
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;
use std::{path::Path, str::FromStr};

/// Values in place of the headers of recorded traces: of the gather of locate, of the section of
/// zero-offset, of the shots of rtm and of the geometry of a survey.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Headers {
    /// The unit of the lengths.
    pub(crate) unit: Option<LengthUnit>,
    /// Scalar of coordinates (bytes 71-72): a factor, or a divisor if negative.
    pub(crate) coordinate_scalar: Option<i16>,
    /// Scalar of elevations and depths (bytes 69-70): a factor, or a divisor if negative.
    pub(crate) elevation_scalar: Option<i16>,
    /// "lengths" takes coordinates as lengths, whatever the code of their unit (bytes 89-90).
    pub(crate) coordinates: Option<Coordinates>,
    /// Map position of the headers' zero, if their coordinates are those of a grid of their own.
    pub(crate) origin: Option<Origin>,
    /// The direction of the headers' x on the map, degrees clockwise from north; default 90, east.
    pub(crate) azimuth: Option<f64>,
    /// The side of the headers' x on which their y lies; default "left".
    pub(crate) y_axis: Option<Side>,
    /// Time of the first sample of each trace, seconds after the shot; may be negative.
    pub(crate) start: Option<f64>,
    /// Seconds between samples.
    pub(crate) interval: Option<f64>,
    /// Date and time of t = 0 in UTC, such as "2026-05-01T12:00:00.25Z"; instead of bytes 157-168.
    #[schemars(with = "Option<String>")]
    pub(crate) date: Option<Timestamp>,
    /// Field records to take (bytes 9-12); default all.
    pub(crate) records: Option<Vec<i64>>,
    /// Traces to leave out: numbers counted through the file from 1, and "dead", those whose headers say that they are
    /// dead, dummies, or of no receiver (bytes 29-30).
    pub(crate) kill: Option<Vec<Killed>>,
    /// Fields of a .sgy or .su that are not at the standard's place.
    pub(crate) segy: Option<GatherFields>,
    /// What traces of zeros are, where traces are compared or migrated: "dead", which count for nothing, or "recorded".
    pub(crate) zeros: Option<Zeros>,
    /// Where the receivers of every record are: "job", where the job has them, or a .csv of columns x, z and in 3-D y,
    /// a line for each trace of a record, those that are left out too, in the unit and coordinates that headers would have; default metres.
    pub(crate) positions: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub(crate) enum Coordinates {
    Lengths,
}

/// What traces of zeros are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Zeros {
    Dead,
    Recorded,
}

/// A trace to leave out, or a kind of them.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "a trace to leave out is a number from 1, or \"dead\"")]
pub enum Killed {
    Kind(Dead),
    Trace(u64),
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Dead {
    Dead,
}

impl FromStr for Killed {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            "dead" => Ok(Killed::Kind(Dead::Dead)),
            number => {
                number.parse().map(Killed::Trace).map_err(|_| "give dead, or a number from 1")
            }
        }
    }
}

impl Killed {
    /// All of a list.
    pub fn all(listed: &[Self]) -> Kill {
        let number = |of: &Self| match of {
            Killed::Trace(number) => Some(*number),
            Killed::Kind(Dead::Dead) => None,
        };
        let dead = listed.iter().any(|of| number(of).is_none());
        Kill { dead, traces: listed.iter().filter_map(number).collect() }
    }
}

impl Headers {
    /// For the reader of a file.
    pub(crate) fn given(&self) -> Given {
        let headers = Overrides {
            unit: self.unit,
            coordinate_scalar: self.coordinate_scalar,
            elevation_scalar: self.elevation_scalar,
            lengths: self.coordinates.is_some(),
            interval: self.interval,
            ..Overrides::default()
        };
        let headers = self.segy.unwrap_or_default().beside(headers);
        let kill = Killed::all(self.kill.as_deref().unwrap_or_default());
        let records = self.records.clone();
        Given { headers, start: self.start, records, kill, ..Given::default() }
    }

    /// The place of the headers' own coordinates on the map.
    pub(crate) fn placement(&self) -> Placement {
        let plain = Placement::default();
        Placement {
            origin: self.origin.map_or(plain.origin, Origin::position),
            azimuth: self.azimuth.unwrap_or(plain.azimuth),
            y_axis: self.y_axis.unwrap_or(plain.y_axis),
        }
    }
}

impl JobFile {
    /// The keys in place of headers.
    pub(crate) fn headers(&self) -> Headers {
        self.job.gather.clone().unwrap_or_default()
    }

    /// Returns an error for values that no header has.
    pub(crate) fn check_headers(&self, headers: &Headers) -> Result<(), JobError> {
        for (key, scalar) in [
            ("gather.coordinate_scalar", headers.coordinate_scalar),
            ("gather.elevation_scalar", headers.elevation_scalar),
        ] {
            if scalar == Some(0) {
                let message = "a scalar of 0 says nothing; give 1, or leave it out";
                return Err(self.mistake(key, message));
            }
        }
        if let Some(interval) = headers.interval.filter(|of| !(of.is_finite() && *of > 0.0)) {
            let message =
                format!("an interval of {interval} s is not available; give seconds above 0");
            return Err(self.mistake("gather.interval", message));
        }
        if let Some(start) = headers.start.filter(|start| !start.is_finite()) {
            let message = format!("a start of {start} s is no time; give seconds");
            return Err(self.mistake("gather.start", message));
        }
        if headers.records.as_ref().is_some_and(Vec::is_empty) {
            let message = "no record is chosen; name some, or leave it out for all";
            return Err(self.mistake("gather.records", message));
        }
        self.check_placement("gather", &headers.placement())
    }

    /// Warns of keys in place of headers that a file without headers does not use. The unit is that
    /// of listed positions too.
    pub(crate) fn warn_unused(&self, path: &Path, used: &[&str]) {
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
            let unused = unused.join(", ");
            self.warn_once(path, "unused", format_args!("it has no headers: {unused} is not used"));
        }
    }
}
