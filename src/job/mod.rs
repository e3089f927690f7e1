//! A job file: a simulation in TOML, in metres and seconds. Its doc comments are the descriptions
//! that an editor shows by the schema.
//!
//! To add a key: a field in the file of its table, with a comment that gives its meaning and unit;
//! a line in both of `assets/templates/` (`#key = default` if it is optional); a line in
//! `docs/job.md`, and an example on a page of the manual. A value for each axis is `PerAxis`: ask
//! for its y through `JobFile::y`. A default stands beside the type of the setup, not here. An enum
//! is the library's own, with serde and schemars. To add a job that ships: a file in
//! `assets/jobs/`, and lines in `examples.rs` and `docs/job.md`.

// Doc comments here are the schema's text: a self-explanatory key has none, and brackets are those
// of shapes.
#![allow(missing_docs, rustdoc::broken_intra_doc_links)]

mod acquisition;
mod anisotropy;
mod axes;
mod density;
pub mod examples;
mod figures;
mod files;
mod gather;
mod gradient;
mod headers;
mod invert;
mod line;
mod locate;
mod lsrtm;
mod memory;
mod mistake;
mod model;
mod movie;
mod operator;
mod positions;
mod projection;
mod read;
mod remedies;
mod rtm;
mod schema;
mod segy;
mod set;
mod setup;
mod shape;
mod survey;
mod to_model;
mod warned;
mod wavelet;
mod window;

pub(crate) use acquisition::{
    Ends, Offsets, ReceiverGrid, Receivers, Shot, Source, SourceGrid, SourceKind, SourceLine,
    Spread, Survey, Wavelet,
};
pub(crate) use anisotropy::{GivenAnisotropy, GivenThomsen};
pub(crate) use axes::OneOrEach;
pub(crate) use density::GivenDensity;
pub(crate) use figures::{Figures, PictureFormat, Sides};
pub(crate) use files::{FileNames, shown};
pub(crate) use gather::TraceFile;
pub(crate) use gradient::{EstimatedAmplitude, EstimatedPer, WaveletEstimate};
pub use gradient::{Gradient, Varied};
pub(crate) use headers::Headers;
pub use headers::Killed;
pub(crate) use headers::{Coordinates, Zeros};
pub(crate) use invert::{Invert, Prior, PriorKind};
pub(crate) use locate::{ConditionName, Factors, Locate, Scan};
pub(crate) use lsrtm::Lsrtm;
pub(crate) use memory::FieldsOnHost;
pub use mistake::{JobError, Mistake};
pub(crate) use movie::{Movie, MovieFormat};
pub(crate) use operator::Operator;
#[cfg(feature = "runs")]
pub(crate) use projection::{Geographic, Projection};
pub use read::{JobFile, Supplied};
pub(crate) use rtm::{
    Along, Angles, Direct, ImageFormat, ImageMovie, Mute, Rtm, SubsurfaceOffsets, in_bytes,
};
pub(crate) use schema::schema;
pub(crate) use segy::{GatherFields, ModelFields};
pub use setup::Inputs;
pub(crate) use to_model::SEGY_ROUNDING;
pub(crate) use window::Window;

use crate::{
    acquisition::TimeDispersion,
    boundary::Boundary,
    grid::{PerAxis, Position},
    model::{AxisOrder, Side},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

/// What to simulate, in metres, seconds, hertz and metres per second.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Job {
    /// The velocity model, which makes the job 2-D or 3-D.
    pub model: Model,
    /// How long, in which steps, and how often traces are recorded.
    pub(crate) time: Time,
    /// The stencil of the second derivatives.
    pub(crate) operator: Operator,
    /// What surrounds the model.
    pub(crate) boundary: Boundary,
    /// A window of the model around each shot, instead of the whole.
    pub(crate) window: Option<Window>,
    /// Sources that fire together; instead of shots.
    #[serde(rename = "source", skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// Where traces are recorded, in every shot that has no receivers of its own.
    pub(crate) receivers: Option<Receivers>,
    /// Several shots, each with its sources; instead of sources.
    #[serde(rename = "shot", skip_serializing_if = "Vec::is_empty")]
    pub(crate) shots: Vec<Shot>,
    /// Many shots along a line, over an area or as a file lists them; instead of sources and shots.
    pub(crate) survey: Option<Survey>,
    /// Settings of huygens locate, which sends a recording back to where it came from.
    pub(crate) locate: Option<Locate>,
    /// What the headers of recorded traces lack.
    pub(crate) gather: Option<Headers>,
    /// Other models to send it back through.
    pub(crate) scan: Option<Scan>,
    /// Settings of huygens rtm, which migrates what was recorded of the shots.
    pub(crate) rtm: Option<Rtm>,
    /// Settings of huygens lsrtm: least-squares migration, beside those of rtm.
    pub(crate) lsrtm: Option<Lsrtm>,
    /// Settings of huygens gradient: the misfit of modelled to observed traces, and its gradient.
    pub(crate) gradient: Option<Gradient>,
    /// Settings of huygens invert: full waveform inversion.
    pub(crate) invert: Option<Invert>,
    /// What comes out beside the traces.
    pub(crate) output: Output,
}

#[skip_serializing_none]
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// builtin:salt, layers, homogeneous, lens or salt3d, or a file relative to the job's folder: .npy, .npz, .h5, .nc, .rsf, .bin
    /// (raw), .sgy or .su, velocities in m/s.
    #[serialize_always]
    pub velocity: Option<String>,
    /// Density, kg/m3: a number, "gardner", which is 310 v^0.25 and 1000 where v is below 1600 m/s, or a file on
    /// the nodes of the velocities, in a format that they may have; default the same everywhere.
    pub(crate) density: Option<GivenDensity>,
    /// Thomsen's epsilon of rock with a vertical axis of symmetry (VTI): a number, or a file on the nodes of the velocities;
    /// default 0, isotropic rock.
    pub(crate) epsilon: Option<GivenThomsen>,
    /// Thomsen's delta, at most epsilon; likewise.
    pub(crate) delta: Option<GivenThomsen>,
    /// vs/vp along the axis of VTI, only to keep its two fields stable; default 0.32.
    pub(crate) shear_ratio: Option<f64>,
    /// "elliptical-where-needed" lowers delta to epsilon where it is larger, instead of an error.
    pub(crate) anisotropy: Option<GivenAnisotropy>,
    /// Metres around each source within which epsilon and delta fall to 0, so that it makes no slow wave.
    pub(crate) isotropic_around_sources: Option<f64>,
    /// Metres between nodes: a number for every axis, or one for each. Resamples a built-in model. For
    /// a file it must equal the spacing in the file, and is needed if the file has none.
    #[serialize_always]
    pub(crate) spacing: Option<OneOrEach<f64>>,
    /// The axes of a file that does not name them, slowest first.
    #[schemars(
        with = "Option<String>",
        extend("enum" = ["xz", "zx", "yxz", "yzx", "xyz", "xzy", "zxy", "zyx"])
    )]
    #[serialize_always]
    pub(crate) axes: Option<AxisOrder>,
    /// Nodes along each axis, of a raw file or of a built-in model; that is covered whole without them.
    #[serialize_always]
    pub nodes: Option<PerAxis<usize>>,
    /// Unit of the sample interval of a depth file; instead of the spacing.
    pub(crate) sample_interval: Option<DepthUnit>,
    /// Fields of a .sgy that are not at the standard's place.
    pub(crate) segy: Option<ModelFields>,
    /// Array of a .npz or HDF5 file that holds several.
    pub(crate) array: Option<String>,
    /// The first node on the map, metres; instead of what the file says. Headers of traces are of the map, and positions
    /// in a job count from this node.
    pub(crate) origin: Option<Origin>,
    /// The direction of the x axis on the map, degrees clockwise from north; 90, east, where neither this nor the file
    /// says it.
    pub(crate) azimuth: Option<f64>,
    /// The side of the x axis on which the y axis lies, looking along it; "left" where neither this nor the file says it.
    pub(crate) y_axis: Option<Side>,
    /// The map projection of easting and northing, for longitudes and latitudes: the EPSG code of a UTM zone of WGS 84
    /// or ETRS89, "EPSG:32632", or a PROJ text.
    pub(crate) projection: Option<String>,
}

/// A point of the map.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Origin {
    /// Easting, metres.
    pub(crate) x: f64,
    /// Northing, metres.
    #[serde(default)]
    pub(crate) y: f64,
    /// Elevation of z = 0 above the map's datum, metres.
    #[serde(default)]
    pub(crate) elevation: f64,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "x={},y={},elevation={}", self.x, self.y, self.elevation)
    }
}

impl Origin {
    /// As a position: its depth is minus the elevation.
    pub(crate) fn position(self) -> Position {
        // 0 - 0 is 0, where -0 would be -0.
        Position { x: self.x, y: self.y, z: 0.0 - self.elevation }
    }
}

/// The unit of a depth in the sample-interval field of a SEG-Y file or of Seismic Unix, made for microseconds.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub(crate) enum DepthUnit {
    M,
    Cm,
    Mm,
    Ft,
}

impl DepthUnit {
    pub(crate) fn metres(self) -> f64 {
        match self {
            DepthUnit::M => 1.0,
            DepthUnit::Cm => 0.01,
            DepthUnit::Mm => 0.001,
            DepthUnit::Ft => 0.3048,
        }
    }
}

#[skip_serializing_none]
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Time {
    /// Simulated time, seconds. A location needs none: it takes as long as its recording.
    pub(crate) duration: Option<f64>,
    /// Seconds, or "auto": 0.9 of the largest stable step, as a whole part of `record`.
    #[schemars(extend("default" = "auto"))]
    pub(crate) step: Step,
    /// Seconds between the samples of a trace, a whole number of steps; default every step.
    #[serialize_always]
    pub(crate) record: Option<f64>,
    /// "corrected" takes the scheme's error in time out of the traces; snapshots keep it.
    pub(crate) dispersion: TimeDispersion,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "the step is \"auto\" or a number of seconds")]
pub(crate) enum Step {
    Named(Auto),
    Seconds(f64),
    #[default]
    Missing,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Auto {
    Auto,
}

#[skip_serializing_none]
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Output {
    /// Times at which the wavefield is kept and drawn, seconds.
    pub(crate) snapshots: Vec<f64>,
    /// 3-D: planes of each snapshot to draw, and where the three of its picture meet.
    pub(crate) slices: Option<Slices>,
    /// 3-D: whether the whole of each snapshot is kept as .npy.
    #[schemars(extend("default" = true))]
    pub(crate) volumes: Option<bool>,
    /// Formats of gathers: "sgy", SEG-Y; "su", Seismic Unix; "npy", samples alone; "npz", samples with their times and
    /// positions. Where not given those of one shot are "npy" and "sgy", those of a survey "sgy".
    pub(crate) gathers: Option<Vec<GatherFormat>>,
    /// Whether each shot of a survey has a .sgy and a .su of its own, instead of one for all; .npy and .npz it always has.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) per_shot: bool,
    /// Whether pictures and movies are drawn; of a survey those of its first, middle and last shot.
    #[schemars(extend("default" = true))]
    pub(crate) pictures: Option<bool>,
    /// An animation of the wavefield.
    pub(crate) movie: Option<Movie>,
    /// How pictures are drawn.
    #[serde(skip_serializing_if = "Figures::is_plain")]
    pub(crate) figures: Figures,
}

impl Output {
    /// True if gathers of a job with `shots` shots are written in a format.
    pub(crate) fn writes(&self, format: GatherFormat, shots: usize) -> bool {
        let usual: &[GatherFormat] = match shots {
            0 | 1 => &[GatherFormat::Npy, GatherFormat::Sgy],
            _ => &[GatherFormat::Sgy],
        };
        self.gathers.as_deref().unwrap_or(usual).contains(&format)
    }

    /// True if the pictures of a shot of `shots` are drawn.
    pub(crate) fn draws(&self, shot: usize, shots: usize) -> bool {
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
#[serde(deny_unknown_fields, default)]
pub(crate) struct Slices {
    /// Planes x = const, metres.
    pub(crate) x: Vec<f64>,
    /// Planes y = const, metres.
    pub(crate) y: Vec<f64>,
    /// Planes z = const, metres.
    pub(crate) z: Vec<f64>,
}
