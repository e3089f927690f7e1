//! Errors in the file of a velocity model, or in the settings beside it.

use crate::{
    hdf5::Hdf5Error,
    model::{AxisOrder, DensityError, ModelError, ModelQuantity},
    npy::NpyError,
    npz::NpzError,
    raw::RawError,
    rounded::rounded_apart,
    rsf::RsfError,
    segy::SegyError,
};

/// Reasons why a file gave no velocity model.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum ModelFileError {
    #[error(
        "{path} is of no known format; models are read from .npy, .npz, .h5, .nc, .rsf, .sgy, .su and raw .bin files, or \"builtin:salt\""
    )]
    Format { path: String },
    #[error(transparent)]
    Npy(#[from] NpyError),
    #[error(transparent)]
    Npz(#[from] NpzError),
    #[error(transparent)]
    Hdf5(#[from] Hdf5Error),
    #[error(
        "{path} is VTK image data, which is written and not read; give the model that it was made of"
    )]
    OnlyWritten { path: String },
    #[error(
        "{path} is packed by gzip, and only .sgy.gz, .segy.gz and .su.gz are read so; unpack it with gunzip first"
    )]
    Packed { path: String },
    #[error(transparent)]
    Rsf(#[from] RsfError),
    #[error(transparent)]
    Raw(#[from] RawError),
    #[error("{path} is not read: {error}")]
    Traces { path: String, error: SegyError },
    /// Axes given for traces.
    #[error(
        "{what} has its own axes: z along its traces, and x and y by its headers; leave axes out"
    )]
    TraceAxes { what: &'static str },
    #[error(
        "the sample interval of {path} is {}, and no header field gives its unit; give sample_interval = \"mm\", \"cm\", \
         \"m\" or \"ft\", or --sample-interval of `huygens model`, or give spacing = {{ z = ..., x = ... }} in \
         metres, with y in 3-D, or on the command line --spacing, or --file-spacing of `huygens model`",
        .interval.map_or_else(|| "none".to_owned(), |interval| interval.to_string())
    )]
    Interval { path: String, interval: Option<f64> },
    #[error("only .sgy and .su files have a sample interval; leave it out, and give the spacing")]
    SampleInterval,
    #[error("only .sgy and .su files have trace headers; leave segy out")]
    SegyFields,
    /// A file or a kind of file, and what it says instead.
    #[error(
        "{what} does not name its axes{labels}; give axes = \"xz\" (z fastest, [x][z]) or \"zx\", \"yxz\" or another \
         order of the three in 3-D, or --axes on the command line"
    )]
    NoAxes { what: String, labels: String },
    /// Axes that do not fit a shape, slowest axis first.
    #[error(
        "{path} has the shape {shape:?}, which axes = \"{axes}\" does not fit; a 2-D model has two axes, such as \
         \"xz\", and a 3-D one three, such as \"yxz\""
    )]
    Shape { path: String, shape: Vec<usize>, axes: AxisOrder },
    #[error(
        "{what} carries no spacing{along}; give spacing = {{ z = ..., x = ... }} in metres, with y in 3-D, or on the \
         command line --spacing, or --file-spacing of `huygens model`"
    )]
    NoSpacing { what: String, along: String },
    /// A spacing given that is not the file's own, metres.
    #[error(
        "{path} has {} m between nodes along {axis}, and a spacing of {} m would stretch the model; leave spacing \
         out, put the model on other nodes first with `huygens model convert --spacing`, or where the file is wrong, \
         correct it with --file-spacing of that",
        rounded_apart(*own, *given)[0], rounded_apart(*own, *given)[1]
    )]
    Stretched { path: String, axis: char, own: f64, given: f64 },
    #[error(
        "a raw file does not say how many nodes it has; give nodes = {{ z = ..., x = ... }}, with y in 3-D, or \
         --nodes of `huygens model`"
    )]
    NoNodes,
    #[error(
        "nodes and axes = \"{axes}\" are not of the same dimensions; give y in both or in neither"
    )]
    NodesAxes { axes: AxisOrder },
    #[error("nodes belong to a built-in model or a raw file; leave them out")]
    Nodes,
    #[error("array names one of a .npz or an HDF5 file; leave it out")]
    Array,
    #[error(
        "{path} has its axis {axis} in \"{unit}\", and a model has its axes in m, cm, km, ft or kft; correct unit, \
         give the spacing in metres, or say which it is with --unit of `huygens model`"
    )]
    AxisUnit { path: String, axis: char, unit: String },
    #[error(
        "{path} has its values in \"{unit}\", and a velocity model has them in m/s, km/s, cm/s, ft/s, s/km, s/m or s2/km2; \
         correct unit, or convert it first with `huygens model convert --unit`"
    )]
    Unit { path: String, unit: String },
    #[error(
        "{path} has its values in \"{unit}\", which are densities; name a file of velocities, or give `--quantity density` \
         to `huygens model`"
    )]
    Densities { path: String, unit: String },
    #[error(
        "{path} has its values in \"{unit}\", and a density has them in kg/m3 or g/cm3; name a file of densities, correct \
         unit, or convert it first with `huygens model convert --quantity density --unit`"
    )]
    DensityUnit { path: String, unit: String },
    #[error("\"{unit}\" is no unit of a {}; give {}", .quantity.name(), units(*.quantity))]
    GivenUnit { unit: String, quantity: ModelQuantity },
    #[error("{path} has the shape {shape:?}: {}", ModelError::OnePlane)]
    OnePlane { path: String, shape: Vec<usize> },
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Density(#[from] DensityError),
}

/// The units that may be given for a file.
fn units(quantity: ModelQuantity) -> &'static str {
    match quantity {
        ModelQuantity::Velocity => {
            "m, km or ft for its axes and its velocities per second, or m/s, km/s, cm/s, ft/s, s/km, s/m or s2/km2 for \
             its values alone"
        }
        ModelQuantity::Density => "kg/m3 or g/cm3 for its values, or m, km or ft for its axes",
        ModelQuantity::Epsilon | ModelQuantity::Delta => "plain numbers, without a unit",
    }
}
