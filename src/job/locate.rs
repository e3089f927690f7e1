//! The location of sources in a job.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

/// How sources are located.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Locate {
    /// The gather to send back, relative to the job's folder: .npy of shape [receiver][time], whose receivers are
    /// the job's, or .sgy or .su, which say where theirs are.
    pub(crate) gather: Option<String>,
    /// The quantity whose maximum is a source: the amplitude, or the energy in a window of a period.
    pub(crate) condition: ConditionName,
    /// Sets of neighbouring receivers that are sent back each by itself, their fields then multiplied.
    #[schemars(extend("default" = 1))]
    pub(crate) groups: Option<usize>,
    /// Metres around receivers in which no source is looked for; default a wavelength.
    pub(crate) mask: Option<f64>,
    /// Number of sources to look for.
    #[schemars(extend("default" = 1))]
    pub(crate) sources: Option<usize>,
    /// The least distance from one to the next, metres; default two wavelengths.
    pub(crate) apart: Option<f64>,
}

/// An imaging condition, by its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Condition")]
pub(crate) enum ConditionName {
    #[default]
    Amplitude,
    Energy,
}

/// Velocity models to compare: the one that explains the recording best is named.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Scan {
    /// Models beside the job's, as `velocity` names one, on the same nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) models: Vec<String>,
    /// Every model file in a folder, relative to the job's, in the order of their names, on the same nodes.
    pub(crate) folder: Option<String>,
    /// The job's model with its velocities times some factors.
    pub(crate) factors: Option<Factors>,
}

/// Factors at equal distances.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Factors {
    /// The first.
    pub(crate) from: f64,
    /// The last.
    pub(crate) to: f64,
    /// How many.
    pub(crate) count: usize,
}

impl Factors {
    /// All factors, from the first to the last.
    pub(crate) fn all(self) -> impl Iterator<Item = f64> {
        let step = (self.to - self.from) / (self.count.max(2) - 1) as f64;
        (0..self.count).map(move |k| self.from + k as f64 * step)
    }
}
