//! What a job says of its sources and receivers.

use super::Point;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// A monopole where not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<SourceKind>,
    /// Of a dipole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Axis>,
    pub at: Point,
    pub wavelet: Wavelet,
    #[serde(default = "one")]
    pub amplitude: f64,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceKind {
    Monopole,
    Dipole,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    X,
    Y,
    Z,
}

fn one() -> f64 {
    1.0
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Wavelet {
    Ricker {
        peak_hz: f64,
        /// s; 1.5 periods where not given.
        delay: Option<f64>,
    },
    Gaussian {
        peak_hz: f64,
        /// Order, 0 where not given.
        #[serde(default)]
        derivative: usize,
        /// s; so that it starts near zero where not given. So are those below.
        delay: Option<f64>,
    },
    Ormsby {
        corners_hz: [f64; 4],
        delay: Option<f64>,
    },
    Klauder {
        from_hz: f64,
        to_hz: f64,
        /// Of the sweep, s.
        length: f64,
        delay: Option<f64>,
    },
    File {
        /// A .npy of one axis or text, relative to the job's folder.
        path: String,
        /// s between samples; not needed where the file has a column of times.
        interval: Option<f64>,
    },
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Receivers {
    pub line: Option<Line>,
    pub points: Option<Vec<Point>>,
    pub grid: Option<ReceiverGrid>,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    pub from: Point,
    pub to: Point,
    pub count: usize,
}

/// Receiver lines along x, one beside the other along y, at one depth.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiverGrid {
    pub from: Point,
    pub to: Point,
    pub count: Count,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Count {
    /// Receivers of a line.
    pub x: usize,
    /// Lines.
    pub y: usize,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Shot {
    #[serde(rename = "source")]
    pub sources: Vec<Source>,
    /// Those of the job where not given.
    pub receivers: Option<Receivers>,
}
