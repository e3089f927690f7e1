//! A job file: what to simulate, in TOML, metres and seconds.

mod acquisition;
mod arguments;
mod axes;
mod mistake;
mod model;
mod read;
mod scheme;
mod segy;
mod setup;
mod survey;
mod wavelet;

pub use acquisition::{Axis, ReceiverGrid, Receivers, Shot, Source, SourceKind, Wavelet};
pub use arguments::JobArguments;
pub use axes::{OneOrEach, PerAxis, Point};
pub use mistake::Mistake;
pub use read::JobFile;
pub use scheme::{Boundary, Layer, Operator, Top};
pub use setup::Inputs;

use huygens::model::AxisOrder;
use serde::{Deserialize, Serialize};

/// A job as it is written and as `run.json` keeps it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    #[serde(default)]
    pub model: Model,
    pub time: Time,
    #[serde(default)]
    pub operator: Operator,
    #[serde(default)]
    pub boundary: Boundary,
    #[serde(default, rename = "source", skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receivers: Option<Receivers>,
    #[serde(default, rename = "shot", skip_serializing_if = "Vec::is_empty")]
    pub shots: Vec<Shot>,
    #[serde(default)]
    pub output: Output,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// `builtin:NAME` or a file, relative to the job's folder.
    pub velocity: Option<String>,
    /// Metres.
    pub spacing: Option<OneOrEach<f64>>,
    /// Axes of a file, slowest first.
    pub axes: Option<AxisOrder>,
    /// Nodes of a built-in model or of a raw file.
    pub nodes: Option<PerAxis<usize>>,
    /// What the sample interval of a SEG-Y file counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_interval: Option<DepthUnit>,
    /// Which array of a .npz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<String>,
}

/// The unit of a depth in the sample-interval field of a SEG-Y file, which was made for microseconds.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DepthUnit {
    M,
    Cm,
    Mm,
    Ft,
}

impl DepthUnit {
    pub fn metres(self) -> f64 {
        match self {
            DepthUnit::M => 1.0,
            DepthUnit::Cm => 0.01,
            DepthUnit::Mm => 0.001,
            DepthUnit::Ft => 0.3048,
        }
    }
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// s
    pub duration: f64,
    #[serde(default)]
    pub step: Step,
    /// s
    pub record: Option<f64>,
    #[serde(default)]
    pub dispersion: Dispersion,
}

/// What is done about the scheme's error in time. Kept where not given: snapshots cannot be corrected, and would
/// no longer be of one time with the traces.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dispersion {
    #[default]
    Kept,
    Corrected,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(untagged, expecting = "the step is \"auto\" or a number of seconds")]
pub enum Step {
    Named(Auto),
    Seconds(f64),
    #[default]
    Missing,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Auto {
    Auto,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// s
    #[serde(default)]
    pub snapshots: Vec<f64>,
    /// Planes of a volume to draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slices: Option<Slices>,
    /// Whether the whole of each snapshot of a volume is kept; it is where not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volumes: Option<bool>,
}

/// Metres: `x` are the planes x = const.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Slices {
    #[serde(default)]
    pub x: Vec<f64>,
    #[serde(default)]
    pub y: Vec<f64>,
    #[serde(default)]
    pub z: Vec<f64>,
}
