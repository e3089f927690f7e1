//! The windows of a job.

use super::{JobError, JobFile};
use crate::plan::Margin;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

/// Each shot runs through a window of the model around its sources and receivers.
#[skip_serializing_none]
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Window {
    /// Metres beyond the sources and receivers of a shot: a number for x and y, or { x = ..., y = ... }; along
    /// an axis without it the whole model.
    pub(crate) margin: Option<Sideways>,
    /// Metres below the deepest source or receiver; default to the bottom of the model.
    pub(crate) depth: Option<f64>,
}

#[skip_serializing_none]
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "a number of metres, or { x = ..., y = ... }")]
pub(crate) enum Sideways {
    One(f64),
    Each { x: Option<f64>, y: Option<f64> },
}

impl JobFile {
    /// The margin of the job's windows.
    pub(crate) fn margin(&self, is_volume: bool) -> Result<Option<Margin>, JobError> {
        let Some(Window { margin, depth }) = self.job.window else { return Ok(None) };
        let (x, y) = match margin {
            Some(Sideways::One(margin)) => (Some(margin), is_volume.then_some(margin)),
            Some(Sideways::Each { x, y }) => (x, y),
            None => (None, None),
        };
        if x.or(y).or(depth).is_none() {
            let empty = "the table is empty; give window.margin, window.depth or both, metres";
            return Err(self.mistake("window", empty));
        }
        if !is_volume && y.is_some() {
            let no_y = "the model is 2-D and has no y; leave y out";
            return Err(self.mistake("window.margin", no_y));
        }
        Ok(Some(Margin { x, y, depth }))
    }

    /// Refuses windows in an operation that sends waves through the whole model.
    pub(crate) fn refuse_window(&self, operation: &str) -> Result<(), JobError> {
        match self.job.window {
            None => Ok(()),
            Some(_) => {
                let message = format!("{operation} needs the whole model; leave the table out");
                Err(self.mistake("window", message))
            }
        }
    }
}
