//! A job file: a simulation in TOML, in metres and seconds. Its doc comments are the descriptions
//! that an editor shows by the schema.

// Doc comments here are the schema's text: a self-explanatory key has none, and brackets are those
// of shapes.
#![allow(missing_docs, rustdoc::broken_intra_doc_links)]

mod acquisition;
mod axes;
mod error;
pub mod examples;
mod figures;
mod gather;
mod gradient;
mod headers;
mod instead;
mod invert;
mod line;
mod locate;
mod mistake;
mod model;
mod movie;
mod positions;
mod read;
mod remedies;
mod room;
mod rtm;
mod schema;
mod scheme;
mod segy;
mod set;
mod setup;
mod shape;
mod supplied;
mod survey;
mod to_model;
mod told;
mod wavelet;

pub use acquisition::{
    Ends, Offsets, ReceiverGrid, Receivers, Shot, Source, SourceGrid, SourceKind, SourceLine,
    Spread, Survey, Wavelet,
};
pub use axes::OneOrEach;
pub use error::JobError;
pub use figures::{Figures, Sides};
pub use gradient::{Gradient, Varied};
pub use headers::{Coordinates, Headers, Killed, Unit, Zeros};
pub use invert::Invert;
pub use locate::{ConditionName, Factors, Locate, Scan};
pub use mistake::Mistake;
pub use movie::{Movie, MovieFormat};
pub use read::JobFile;
pub use room::FieldsOnHost;
pub(crate) use rtm::in_bytes;
pub use rtm::{Along, Angles, Direct, ImageFormat, ImageMovie, Mute, Rtm, SubsurfaceOffsets};
pub use schema::schema;
pub use scheme::{Boundary, Layer, Operator};
pub use segy::{GatherFields, ModelFields};
pub use setup::Inputs;
pub use supplied::Supplied;
pub(crate) use to_model::SEGY_ROUNDING;

use crate::{
    acquisition::TimeDispersion,
    grid::{PerAxis, Position},
    model::{AxisOrder, Side},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to simulate, in metres, seconds, hertz and metres per second.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The velocity model, which makes the job 2-D or 3-D.
    #[serde(default)]
    pub model: Model,
    /// How long, in which steps, and how often traces are recorded.
    #[serde(default)]
    pub time: Time,
    /// The stencil of the second derivatives.
    #[serde(default)]
    pub operator: Operator,
    /// What surrounds the model.
    #[serde(default)]
    pub boundary: Boundary,
    /// Sources that fire together; instead of shots.
    #[serde(default, rename = "source", skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// Where traces are recorded, in every shot that has no receivers of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receivers: Option<Receivers>,
    /// Several shots, each with its sources; instead of sources.
    #[serde(default, rename = "shot", skip_serializing_if = "Vec::is_empty")]
    pub shots: Vec<Shot>,
    /// Many shots along a line, over an area or as a file lists them; instead of sources and shots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub survey: Option<Survey>,
    /// Settings of huygens locate, which sends a recording back to where it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locate: Option<Locate>,
    /// What the headers of recorded traces lack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gather: Option<Headers>,
    /// Other models to send it back through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scan: Option<Scan>,
    /// Settings of huygens rtm, which migrates what was recorded of the shots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtm: Option<Rtm>,
    /// Settings of huygens gradient: the misfit of modelled to observed traces, and its gradient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gradient: Option<Gradient>,
    /// Settings of huygens invert: full waveform inversion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invert: Option<Invert>,
    /// What comes out beside the traces.
    #[serde(default)]
    pub output: Output,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// builtin:salt, layers, homogeneous or salt3d, or a file relative to the job's folder: .npy, .npz, .h5, .nc, .rsf, .bin
    /// (raw), .sgy or .su, velocities in m/s.
    pub velocity: Option<String>,
    /// Metres between nodes: a number for every axis, or one for each. Resamples a built-in model. For
    /// a file it must equal the spacing in the file, and is needed if the file has none.
    pub spacing: Option<OneOrEach<f64>>,
    /// The axes of a file that does not name them, slowest first.
    #[schemars(
        with = "Option<String>",
        extend("enum" = ["xz", "zx", "yxz", "yzx", "xyz", "xzy", "zxy", "zyx"])
    )]
    pub axes: Option<AxisOrder>,
    /// Nodes along each axis, of a raw file or of a built-in model; that is covered whole without them.
    pub nodes: Option<PerAxis<usize>>,
    /// What the sample interval of traces counts, which is a depth there; instead of the spacing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_interval: Option<DepthUnit>,
    /// Where a .sgy has what the standard has elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segy: Option<ModelFields>,
    /// Which array of a .npz or HDF5 file that holds several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<String>,
    /// The first node on the map, metres; instead of what the file says. Headers of traces are of the map, and positions
    /// in a job count from this node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The direction of the x axis on the map, degrees clockwise from north; 90, east, where neither this nor the file
    /// says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub azimuth: Option<f64>,
    /// The side of the x axis on which the y axis lies, looking along it; "left" where neither this nor the file says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y_axis: Option<Side>,
}

/// A point of the map.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Easting, metres.
    pub x: f64,
    /// Northing, metres.
    #[serde(default)]
    pub y: f64,
    /// Elevation of z = 0 above the map's datum, metres.
    #[serde(default)]
    pub elevation: f64,
}

impl Origin {
    /// As a position: its depth is minus the elevation.
    pub fn position(self) -> Position {
        // 0 - 0 is 0, where -0 would be -0.
        Position { x: self.x, y: self.y, z: 0.0 - self.elevation }
    }
}

/// The unit of a depth in the sample-interval field of a SEG-Y file or of Seismic Unix, made for microseconds.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
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

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Simulated time, seconds. A location needs none: it takes as long as its recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<f64>,
    /// Seconds, or "auto": 0.9 of the largest stable step, as a whole part of `record`.
    #[serde(default)]
    #[schemars(extend("default" = "auto"))]
    pub step: Step,
    /// Seconds between the samples of a trace, a whole number of steps; default every step.
    pub record: Option<f64>,
    /// "corrected" takes the scheme's error in time out of the traces; snapshots keep it.
    #[serde(default)]
    pub dispersion: TimeDispersion,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "the step is \"auto\" or a number of seconds")]
pub enum Step {
    Named(Auto),
    Seconds(f64),
    #[default]
    Missing,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Auto {
    Auto,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Times at which the wavefield is kept and drawn, seconds.
    #[serde(default)]
    pub snapshots: Vec<f64>,
    /// 3-D: planes of each snapshot to draw, and where the three of its picture meet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slices: Option<Slices>,
    /// 3-D: whether the whole of each snapshot is kept as .npy.
    #[schemars(extend("default" = true))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volumes: Option<bool>,
    /// Formats of gathers: "sgy", SEG-Y; "su", Seismic Unix; "npy", samples alone; "npz", samples with their times and
    /// positions. Where not given those of one shot are "npy" and "sgy", those of a survey "sgy".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gathers: Option<Vec<GatherFormat>>,
    /// Whether each shot of a survey has a .sgy and a .su of its own, instead of one for all; .npy and .npz it always has.
    #[serde(default, skip_serializing_if = "is_false")]
    pub per_shot: bool,
    /// Whether pictures and movies are drawn; of a survey those of its first, middle and last shot.
    #[schemars(extend("default" = true))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pictures: Option<bool>,
    /// An animation of the wavefield.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub movie: Option<Movie>,
    /// How pictures are drawn.
    #[serde(default, skip_serializing_if = "Figures::is_plain")]
    pub figures: Figures,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Output {
    /// True if gathers of a job with `shots` shots are written in a format.
    pub fn writes(&self, format: GatherFormat, shots: usize) -> bool {
        let usual: &[GatherFormat] = match shots {
            0 | 1 => &[GatherFormat::Npy, GatherFormat::Sgy],
            _ => &[GatherFormat::Sgy],
        };
        self.gathers.as_deref().unwrap_or(usual).contains(&format)
    }

    /// True if the pictures of a shot of `shots` are drawn.
    pub fn draws(&self, shot: usize, shots: usize) -> bool {
        self.pictures.unwrap_or(true) && [0, shots / 2, shots.saturating_sub(1)].contains(&shot)
    }
}

/// A format of traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GatherFormat {
    Npy,
    Npz,
    Sgy,
    Su,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slices {
    /// Planes x = const, metres.
    #[serde(default)]
    pub x: Vec<f64>,
    /// Planes y = const, metres.
    #[serde(default)]
    pub y: Vec<f64>,
    /// Planes z = const, metres.
    #[serde(default)]
    pub z: Vec<f64>,
}
