//! The inversion keys of a job.

use super::ImageFormat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

/// Full waveform inversion: the model is changed until its traces are those of gradient.observed, compared as [gradient]
/// says.
#[skip_serializing_none]
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Invert {
    /// The upper limits of bands of frequencies, hertz, which are inverted one after another; default one, of all frequencies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) bands: Vec<f64>,
    /// Iterations of each band.
    pub(crate) iterations: usize,
    /// Lower bound of the velocity, m/s; default 0.9 of the slowest of the model.
    pub(crate) least: Option<f64>,
    /// Upper bound of the velocity, m/s; default 1.2 of the fastest of the model. The time step is stable up to it.
    pub(crate) most: Option<f64>,
    /// Metres over which changes of the model are smoothed, the standard deviation of a Gaussian; default an eighth of the shortest
    /// wavelength of a band at the model's slowest velocity. 0 smooths nothing.
    pub(crate) smooth: Option<f64>,
    /// Depth above which the model is kept, metres: the water of a marine survey.
    pub(crate) water: f64,
    /// The cost of a model beside the misfit of its traces.
    pub(crate) prior: Option<Prior>,
    /// Formats of the last model, as rtm.formats; default ["npy"].
    pub(crate) formats: Option<Vec<ImageFormat>>,
    /// Whether observed traces, those of the first and the last model, and their differences are written too, as the last band
    /// compares them. They cost two modellings of all shots.
    pub(crate) traces: bool,
}

impl Invert {
    /// The formats of the last model.
    pub(crate) fn formats(&self) -> &[ImageFormat] {
        self.formats.as_deref().unwrap_or(&[ImageFormat::Npy])
    }
}

/// What a model costs where traces do not decide.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Prior {
    /// "total-variation" leaves edges sharp; "smooth" smooths them.
    pub(crate) kind: PriorKind,
    /// The cost of a model whose neighbouring nodes differ by 1 %, over the first misfit of a band.
    pub(crate) weight: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PriorKind {
    Smooth,
    TotalVariation,
}

impl Default for Invert {
    fn default() -> Self {
        Invert {
            bands: Vec::new(),
            iterations: 10,
            least: None,
            most: None,
            smooth: None,
            water: 0.0,
            prior: None,
            formats: None,
            traces: false,
        }
    }
}
