//! The sources and receivers of a job.

use super::FileNames;
use crate::grid::{Axis, PerAxis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

#[skip_serializing_none]
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// "monopole", an explosion or an air gun, by default; "dipole", a force along an axis.
    #[schemars(extend("default" = "monopole"))]
    pub kind: Option<SourceKind>,
    /// Of a dipole, which needs one.
    pub(crate) axis: Option<Axis>,
    /// Metres from the model's first node, anywhere in it.
    pub at: PerAxis<f64>,
    /// Wavelet s(t) of the source.
    pub wavelet: Wavelet,
    /// A factor on the wavelet.
    #[serde(default = "one")]
    pub amplitude: f64,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SourceKind {
    Monopole,
    Dipole,
}

fn one() -> f64 {
    1.0
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Wavelet {
    /// The second derivative of a Gaussian, upright.
    Ricker {
        /// Where its spectrum is largest, hertz.
        peak_hz: f64,
        /// Time of its middle, seconds; default 1.5 periods.
        delay: Option<f64>,
    },
    /// A Gaussian or a derivative of it.
    Gaussian {
        /// Where its spectrum is largest, hertz; of order 0, where it is 1/e of that at 0 Hz.
        peak_hz: f64,
        /// Order of the derivative, 0 to 10.
        #[serde(default)]
        derivative: usize,
        /// Time of its middle, seconds; by default it starts near zero.
        delay: Option<f64>,
    },
    /// A trapezium of a spectrum.
    Ormsby {
        /// Its four corners, rising, hertz.
        corners_hz: [f64; 4],
        /// Time of its middle, seconds; by default it starts near zero.
        delay: Option<f64>,
    },
    /// A linear sweep correlated with itself.
    Klauder {
        /// Where the sweep starts, hertz.
        from_hz: f64,
        /// Where the sweep ends, hertz.
        to_hz: f64,
        /// Of the sweep, seconds.
        length: f64,
        /// Time of its middle, seconds; by default it starts near zero.
        delay: Option<f64>,
    },
    /// Samples, the first at t = 0.
    File {
        /// A .npy of one axis or text, relative to the job's folder.
        path: String,
        /// Seconds between samples; not needed where the file has a column of times.
        interval: Option<f64>,
    },
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub(crate) struct Receivers {
    /// Receivers evenly along a line of any direction.
    pub(crate) line: Option<Line>,
    /// Receivers one by one, metres from the model's first node.
    pub(crate) points: Option<Vec<PerAxis<f64>>>,
    /// 3-D: receiver lines along x, one beside the other along y, at one depth.
    pub(crate) grid: Option<ReceiverGrid>,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    /// The first receiver, metres from the model's first node.
    pub(crate) from: PerAxis<f64>,
    /// The last receiver, metres from the model's first node.
    pub(crate) to: PerAxis<f64>,
    /// Receivers.
    pub(crate) count: usize,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReceiverGrid {
    /// The first receiver of the first line, metres from the model's first node.
    pub(crate) from: PerAxis<f64>,
    /// The last receiver of the last line, at the same depth.
    pub(crate) to: PerAxis<f64>,
    /// Receivers of a line, and lines.
    pub(crate) count: Count,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Count {
    /// Receivers of a line.
    pub(crate) x: usize,
    /// Lines.
    pub(crate) y: usize,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shot {
    /// Sources that fire together.
    #[serde(rename = "source")]
    pub(crate) sources: Vec<Source>,
    /// Default: those of the job.
    pub(crate) receivers: Option<Receivers>,
}

/// Shots that differ in where they are.
#[skip_serializing_none]
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Survey {
    /// s(t) of every source.
    pub(crate) wavelet: Wavelet,
    /// A factor on the wavelet.
    #[serde(default = "one")]
    pub(crate) amplitude: f64,
    /// Sources along a line.
    pub(crate) line: Option<SourceLine>,
    /// 3-D: sources over an area.
    pub(crate) grid: Option<SourceGrid>,
    /// Sources one by one: a file of separated values, relative to the job's folder, whose first line names the columns
    /// x, z and, in 3-D, y, metres.
    pub(crate) csv: Option<String>,
    /// Sources and receivers of the shots of a .sgy or .su, relative to the job's folder, by its headers; a pattern such as
    /// "shots*.sgy", or a list.
    pub(crate) geometry: Option<FileNames>,
    /// Receivers that move with the source; without it every shot has those of the job.
    pub(crate) spread: Option<Spread>,
}

/// Sources evenly along a line.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceLine {
    /// The first source, metres from the model's first node.
    pub(crate) first: PerAxis<f64>,
    /// From a source to the next.
    pub(crate) increment: Increment,
    /// Sources.
    pub(crate) count: usize,
}

/// Sources over an area, x first.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceGrid {
    /// The first source, metres from the model's first node.
    pub(crate) first: PerAxis<f64>,
    /// From a source to the next along each axis.
    pub(crate) increment: Increment,
    /// Sources along each axis.
    pub(crate) count: Count,
}

/// Metres from one to the next; default 0.
#[skip_serializing_none]
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Increment {
    /// Along x.
    pub(crate) x: Option<f64>,
    /// Along y; in 3-D.
    pub(crate) y: Option<f64>,
    /// Along z.
    pub(crate) z: Option<f64>,
}

/// Receivers that move with the source.
#[skip_serializing_none]
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spread {
    /// Along x from the source: behind it where below 0, so that an end-on spread has one sign and a split spread both.
    pub(crate) offsets: Offsets,
    /// 3-D: lines of them side by side, along y from the source.
    pub(crate) lines: Option<Offsets>,
    /// Depth of the receivers, metres.
    pub(crate) z: f64,
    /// What becomes of receivers that would be outside the model.
    #[serde(default)]
    pub(crate) ends: Ends,
}

/// Distances evenly spaced.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Offsets {
    /// The first, metres.
    pub(crate) first: f64,
    /// From one to the next, metres.
    pub(crate) increment: f64,
    /// How many.
    pub(crate) count: usize,
}

impl Offsets {
    /// Every offset.
    pub(crate) fn all(self) -> impl Iterator<Item = f64> + Clone {
        (0..self.count).map(move |k| self.first + k as f64 * self.increment)
    }
}

/// Treatment of receivers of a spread that lie outside the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Ends {
    #[default]
    Refuse,
    RollOff,
}
