//! Errors in the file of a velocity model, or in the settings beside it.

use crate::{
    io::{npy::NpyError, npz::NpzError, raw::RawError, rsf::RsfError, segy::SegyError},
    model::{AxisOrder, ModelError},
};

/// Reasons why a file gave no velocity model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelFileError {
    /// An unknown extension.
    #[error(
        "{path} is of no known format; models are read from .npy, .npz, .rsf, .sgy, .su and raw .bin files, or \"builtin:salt\""
    )]
    Format {
        /// The file.
        path: String,
    },
    /// A broken .npy.
    #[error(transparent)]
    Npy(#[from] NpyError),
    /// A broken .npz, or none of its arrays.
    #[error(transparent)]
    Npz(#[from] NpzError),
    /// A broken .rsf.
    #[error(transparent)]
    Rsf(#[from] RsfError),
    /// A raw file of another shape.
    #[error(transparent)]
    Raw(#[from] RawError),
    /// Broken traces, or traces that do not form a model.
    #[error("{path} is not read: {error}")]
    Traces {
        /// The file.
        path: String,
        /// The defect.
        error: SegyError,
    },
    /// Axes given for traces, whose headers define them.
    #[error(
        "{what} has its own axes: z along its traces, and x and y by its headers; leave axes out"
    )]
    TraceAxes {
        /// The kind of file.
        what: &'static str,
    },
    /// A sample interval without its unit.
    #[error(
        "the sample interval of {path} is {}, and no field says of what; give sample_interval = \"mm\", \"cm\", \"m\" or \
         \"ft\", or --sample-interval of `huygens model`; or spacing = {{ z = ..., x = ... }} in metres, with y in 3-D, or \
         {flag}",
        .interval.map_or_else(|| "none".to_owned(), |interval| interval.to_string())
    )]
    Interval {
        /// The file.
        path: String,
        /// The number in the field.
        interval: Option<f64>,
        /// The flag of the spacing.
        flag: &'static str,
    },
    /// A unit of the sample interval, for a file that has no such field.
    #[error("only .sgy and .su files have a sample interval; leave it out, and give the spacing")]
    SampleInterval,
    /// Axes that the file does not name.
    #[error(
        "{what} does not name its axes{labels}; give axes = \"xz\" (z fastest, [x][z]) or \"zx\", \"yxz\" or another \
         order of the three in 3-D, or --axes on the command line"
    )]
    NoAxes {
        /// The file, or its kind.
        what: String,
        /// The file's labels.
        labels: String,
    },
    /// Axes that do not match the array.
    #[error(
        "{path} has the shape {shape:?}, which axes = \"{axes}\" does not fit; a 2-D model has two axes, such as \
         \"xz\", and a 3-D one three, such as \"yxz\""
    )]
    Shape {
        /// The file.
        path: String,
        /// Its shape, slowest axis first.
        shape: Vec<usize>,
        /// The given axes.
        axes: AxisOrder,
    },
    /// A spacing that the file does not have.
    #[error(
        "{what} carries no spacing{along}; give spacing = {{ z = ..., x = ... }} in metres, with y in 3-D, or {flag} on \
         the command line"
    )]
    NoSpacing {
        /// The file, or its kind.
        what: String,
        /// Along which axes.
        along: String,
        /// The flag of the command.
        flag: &'static str,
    },
    /// A given spacing that would stretch the model.
    #[error(
        "{path} has {own} m between nodes along {axis}, and a spacing of {given} m would stretch the model; leave \
         spacing out, or put the model on other nodes first with `huygens model convert --spacing`; where the file is \
         wrong, correct it with --file-spacing of that"
    )]
    Stretched {
        /// The file.
        path: String,
        /// The axis.
        axis: char,
        /// The file's spacing, metres.
        own: f64,
        /// The given spacing, metres.
        given: f64,
    },
    /// Nodes are required.
    #[error(
        "a raw file does not say how many nodes it has; give nodes = {{ z = ..., x = ... }}, with y in 3-D, or --nodes of `huygens model`"
    )]
    NoNodes,
    /// Nodes that do not match the given axes.
    #[error(
        "nodes and axes = \"{axes}\" are not of the same dimensions; give y in both or in neither"
    )]
    NodesAxes {
        /// The given axes.
        axes: AxisOrder,
    },
    /// Nodes given for a file that has them.
    #[error("nodes belong to a built-in model or a raw file; leave them out")]
    Nodes,
    /// The name of an array given for a file that has only one.
    #[error("array names one of a .npz; leave it out")]
    Array,
    /// An axis in a unit that is not a length.
    #[error(
        "{path} has its axis {axis} in \"{unit}\"; a model has its axes in m, km, ft or kft: correct unit, give the spacing \
         in metres, or say which it is with --unit of `huygens model`"
    )]
    AxisUnit {
        /// The file.
        path: String,
        /// The axis.
        axis: char,
        /// Its unit.
        unit: String,
    },
    /// Values in a unit that is not a velocity.
    #[error(
        "{path} has its values in \"{unit}\"; a velocity model has them in m/s, km/s or ft/s: correct unit, or convert them \
         first with `huygens model convert --unit`"
    )]
    Unit {
        /// The file.
        path: String,
        /// The unit.
        unit: String,
    },
    /// A volume of one plane.
    #[error("{path} has the shape {shape:?}: {}", ModelError::OnePlane)]
    OnePlane {
        /// The file.
        path: String,
        /// Its shape.
        shape: Vec<usize>,
    },
    /// The values do not form a model.
    #[error(transparent)]
    Model(#[from] ModelError),
}
