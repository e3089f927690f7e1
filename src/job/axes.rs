//! The values of a job per axis, checked against a model of two or of three dimensions.

use super::{JobError, JobFile};
use crate::grid::{Axes, PerAxis, Position};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{
    fmt::{self, Display},
    str::FromStr,
};

/// A value for all axes or one for each.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "a number, or { z = number, x = number } and y = number in 3-D")]
pub(crate) enum OneOrEach<T> {
    One(T),
    Each(PerAxis<T>),
}

impl<T: Copy> OneOrEach<T> {
    /// True if it names the third axis.
    pub(crate) fn has_y(&self) -> bool {
        matches!(self, OneOrEach::Each(PerAxis { y: Some(_), .. }))
    }
}

impl OneOrEach<f64> {
    /// True if it is this number along every axis.
    pub(crate) fn is_all(&self, value: f64) -> bool {
        match self {
            OneOrEach::One(one) => *one == value,
            OneOrEach::Each(PerAxis { z, x, y }) => {
                *z == value && *x == value && y.is_none_or(|y| y == value)
            }
        }
    }
}

/// In the notation of a job.
impl<T: Display> Display for OneOrEach<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OneOrEach::One(value) => value.fmt(f),
            OneOrEach::Each(PerAxis { z, x, y: None }) => write!(f, "{{ z = {z}, x = {x} }}"),
            OneOrEach::Each(PerAxis { z, x, y: Some(y) }) => {
                write!(f, "{{ z = {z}, x = {x}, y = {y} }}")
            }
        }
    }
}

impl<T: FromStr + Copy> FromStr for OneOrEach<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(value) => Ok(OneOrEach::One(value)),
            Err(_) => text.parse().map(OneOrEach::Each),
        }
    }
}

impl JobFile {
    /// The y at a key beside its x and z: one where the job's model is 3-D; none in 2-D, where it
    /// becomes `absent`.
    pub(crate) fn y<T>(
        &self,
        key: &str,
        y: Option<T>,
        is_volume: bool,
        absent: T,
    ) -> Result<T, JobError> {
        match (y, is_volume) {
            (Some(y), true) => Ok(y),
            (None, false) => Ok(absent),
            (None, true) => {
                Err(self
                    .mistake(key, "the model is 3-D, and y is missing here; give y beside x and z"))
            }
            (Some(_), false) => Err(self.mistake(&format!("{key}.y"), NO_Y)),
        }
    }

    pub(crate) fn position(
        &self,
        key: &str,
        at: PerAxis<f64>,
        is_volume: bool,
    ) -> Result<Position, JobError> {
        Ok(Axes { z: at.z, x: at.x, y: self.y(key, at.y, is_volume, 0.0)? })
    }

    /// A value for each axis; in 2-D that of x stands for y, which is not used.
    pub(crate) fn each<T: Copy>(
        &self,
        key: &str,
        value: OneOrEach<T>,
        is_volume: bool,
    ) -> Result<Axes<T>, JobError> {
        match value {
            OneOrEach::One(value) => Ok(Axes { z: value, x: value, y: value }),
            OneOrEach::Each(PerAxis { z, x, y }) => {
                Ok(Axes { z, x, y: self.y(key, y, is_volume, x)? })
            }
        }
    }
}

/// The error of a y in a plane.
const NO_Y: &str = "the model is 2-D, and has no y; leave y out, or make the model 3-D: a built-in by a y among \
                    its nodes or spacing, a file by its third axis";
