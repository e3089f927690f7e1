//! What a job says of its sources and receivers.

use super::Point;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// "monopole", an explosion or an air gun, where not given; "dipole", a force along an axis.
    #[schemars(extend("default" = "monopole"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<SourceKind>,
    /// Of a dipole, which needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Axis>,
    /// Metres from the model's first node, anywhere in it.
    pub at: Point,
    /// s(t) of the source.
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

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    X,
    Y,
    Z,
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
        /// Time of its middle, seconds; 1.5 periods where not given.
        delay: Option<f64>,
    },
    /// A Gaussian or a derivative of it.
    Gaussian {
        /// Where its spectrum is largest, hertz; of order 0, where it is 1/e of that at 0 Hz.
        peak_hz: f64,
        /// Order of the derivative, 0 to 10.
        #[serde(default)]
        derivative: usize,
        /// Time of its middle, seconds; such that it starts near zero where not given.
        delay: Option<f64>,
    },
    /// A trapezium of a spectrum.
    Ormsby {
        /// Its four corners, rising, hertz.
        corners_hz: [f64; 4],
        /// Time of its middle, seconds; such that it starts near zero where not given.
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
        /// Time of its middle, seconds; such that it starts near zero where not given.
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
pub struct Receivers {
    /// Receivers evenly along a line of any direction.
    pub line: Option<Line>,
    /// Receivers one by one, metres from the model's first node.
    pub points: Option<Vec<Point>>,
    /// 3-D: receiver lines along x, one beside the other along y, at one depth.
    pub grid: Option<ReceiverGrid>,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The first receiver, metres from the model's first node.
    pub from: Point,
    /// The last receiver, metres from the model's first node.
    pub to: Point,
    /// Receivers.
    pub count: usize,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceiverGrid {
    /// The first receiver of the first line, metres from the model's first node.
    pub from: Point,
    /// The last receiver of the last line, at the same depth.
    pub to: Point,
    /// Receivers of a line, and lines.
    pub count: Count,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Count {
    /// Receivers of a line.
    pub x: usize,
    /// Lines.
    pub y: usize,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shot {
    /// Sources that fire together.
    #[serde(rename = "source")]
    pub sources: Vec<Source>,
    /// Those of the job where not given.
    pub receivers: Option<Receivers>,
}
