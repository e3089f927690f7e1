//! A job file: what to simulate, in TOML, metres and seconds.

mod arguments;
mod axes;
mod mistake;
mod model;
mod movie;
mod read;
mod segy;
mod setup;
mod survey;
mod wavelet;

pub use arguments::JobArguments;
pub use axes::{OneOrEach, PerAxis, Point};
pub use mistake::Mistake;
pub use movie::{Movie, MovieFormat};
pub use read::JobFile;
pub use setup::Inputs;

use super::picture::Figures;
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

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Operator {
    Taylor {
        #[serde(default = "order")]
        order: usize,
    },
    WindowedSinc {
        wing: OneOrEach<usize>,
        #[serde(default = "alpha")]
        alpha: OneOrEach<f64>,
        #[serde(default = "beta")]
        beta: OneOrEach<f64>,
    },
}

impl Default for Operator {
    fn default() -> Self {
        Operator::Taylor { order: order() }
    }
}

fn order() -> usize {
    8
}

/// With beta = 5, the window of least phase error at wings of 6 to 8 among those tried: below 1e-4 up
/// to 0.7 of the Nyquist wavenumber at a wing of 8.
fn alpha() -> OneOrEach<f64> {
    OneOrEach::One(0.5)
}

fn beta() -> OneOrEach<f64> {
    OneOrEach::One(5.0)
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Boundary {
    #[serde(default)]
    pub top: Top,
    #[serde(default)]
    pub sides: Layer,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Top {
    #[default]
    Absorb,
    Zero,
    Free,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Layer {
    Cpml {
        #[serde(default = "cpml_cells")]
        cells: usize,
        #[serde(default = "reflection")]
        reflection: f64,
        #[serde(default = "power")]
        power: u32,
    },
    Sponge {
        #[serde(default = "sponge_cells")]
        cells: usize,
        #[serde(default = "strength")]
        strength: f64,
    },
    Zero {},
}

impl Default for Layer {
    fn default() -> Self {
        let (cells, reflection, power) = (cpml_cells(), reflection(), power());
        Layer::Cpml { cells, reflection, power }
    }
}

fn cpml_cells() -> usize {
    20
}

fn sponge_cells() -> usize {
    50
}

fn reflection() -> f64 {
    huygens::boundary::Cpml::REFLECTION
}

fn power() -> u32 {
    huygens::boundary::Cpml::POWER
}

fn strength() -> f64 {
    huygens::boundary::Sponge::STRENGTH
}

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
    /// An animation of the wavefield.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub movie: Option<Movie>,
    /// How large pictures are.
    #[serde(default, skip_serializing_if = "Figures::is_plain")]
    pub figures: Figures,
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
