//! Errors in the file of a velocity model, or in the settings beside it.

use crate::{
    hdf5::Hdf5Error,
    model::{AxisOrder, ModelError},
    npy::NpyError,
    npz::NpzError,
    raw::RawError,
    remedy::{Refusal, Remedy, remedies},
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
    #[error("{path} is VTK image data, which is written and not read; {}", remedies(self))]
    OnlyWritten { path: String },
    #[error(
        "{path} is packed by gzip, and only .sgy.gz, .segy.gz and .su.gz are read so; {}",
        remedies(self)
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
        "{what} has its own axes: z along its traces, and x and y by its headers; {}",
        remedies(self)
    )]
    TraceAxes { what: &'static str },
    #[error(
        "the sample interval of {path} is {}, and no field says of what; {}",
        .interval.map_or_else(|| "none".to_owned(), |interval| interval.to_string()), remedies(self)
    )]
    Interval { path: String, interval: Option<f64> },
    #[error("only .sgy and .su files have a sample interval; {}", remedies(self))]
    SampleInterval,
    #[error("only .sgy and .su files have trace headers; {}", remedies(self))]
    SegyFields,
    /// A file or a kind of file, and what it says instead.
    #[error("{what} does not name its axes{labels}; {}", remedies(self))]
    NoAxes { what: String, labels: String },
    /// Axes that do not fit a shape, slowest axis first.
    #[error(
        "{path} has the shape {shape:?}, which axes = \"{axes}\" does not fit; a 2-D model has two axes, such as \
         \"xz\", and a 3-D one three, such as \"yxz\""
    )]
    Shape { path: String, shape: Vec<usize>, axes: AxisOrder },
    #[error("{what} carries no spacing{along}; {}", remedies(self))]
    NoSpacing { what: String, along: String },
    /// A spacing given that is not the file's own, metres.
    #[error(
        "{path} has {} m between nodes along {axis}, and a spacing of {} m would stretch the model; {}",
        rounded_apart(*own, *given)[0], rounded_apart(*own, *given)[1], remedies(self)
    )]
    Stretched { path: String, axis: char, own: f64, given: f64 },
    #[error("a raw file does not say how many nodes it has; {}", remedies(self))]
    NoNodes,
    #[error("nodes and axes = \"{axes}\" are not of the same dimensions; {}", remedies(self))]
    NodesAxes { axes: AxisOrder },
    #[error("nodes belong to a built-in model or a raw file; {}", remedies(self))]
    Nodes,
    #[error("array names one of a .npz or an HDF5 file; {}", remedies(self))]
    Array,
    #[error(
        "{path} has its axis {axis} in \"{unit}\", and a model has its axes in m, cm, km, ft or kft; {}",
        remedies(self)
    )]
    AxisUnit { path: String, axis: char, unit: String },
    #[error(
        "{path} has its values in \"{unit}\", and a velocity model has them in m/s, km/s, cm/s, ft/s, s/km, s/m or s2/km2; {}",
        remedies(self)
    )]
    Unit { path: String, unit: String },
    #[error(
        "\"{unit}\" is no unit of a model; give m, km or ft for its axes and its velocities per second, or m/s, km/s, cm/s, ft/s, s/km, s/m or s2/km2 for its values alone"
    )]
    GivenUnit { unit: String },
    #[error("{path} has the shape {shape:?}: {}", ModelError::OnePlane)]
    OnePlane { path: String, shape: Vec<usize> },
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl Refusal for ModelFileError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            ModelFileError::Npy(error) => error.remedies(),
            ModelFileError::Npz(error) => error.remedies(),
            ModelFileError::Hdf5(error) => error.remedies(),
            ModelFileError::OnlyWritten { .. } => {
                vec!["give the model that it was made of".into()]
            }
            ModelFileError::Packed { .. } => vec!["unpack it with gunzip first".into()],
            ModelFileError::Rsf(error) => error.remedies(),
            ModelFileError::Raw(error) => error.remedies(),
            ModelFileError::Traces { error, .. } => error.remedies(),
            ModelFileError::Model(error) => error.remedies(),
            ModelFileError::TraceAxes { .. } => vec!["leave axes out".into()],
            ModelFileError::Interval { .. } => vec![Remedy::SampleInterval, Remedy::ModelSpacing],
            ModelFileError::SegyFields => vec!["leave segy out".into()],
            ModelFileError::SampleInterval => vec!["leave it out, and give the spacing".into()],
            ModelFileError::NoAxes { .. } => vec![Remedy::ModelAxes],
            ModelFileError::NoSpacing { .. } => vec![Remedy::ModelSpacing],
            ModelFileError::Stretched { .. } => {
                vec!["leave spacing out".into(), Remedy::Resampled, Remedy::FileSpacing]
            }
            ModelFileError::NoNodes => vec![Remedy::Nodes],
            ModelFileError::NodesAxes { .. } => vec!["give y in both or in neither".into()],
            ModelFileError::Nodes => vec!["leave them out".into()],
            ModelFileError::Array => vec!["leave it out".into()],
            ModelFileError::AxisUnit { .. } => {
                vec!["correct unit".into(), "give the spacing in metres".into(), Remedy::Unit]
            }
            ModelFileError::Unit { .. } => {
                vec!["correct unit".into(), Remedy::Converted { units: &[] }]
            }
            _ => Vec::new(),
        }
    }
}
