//! The gradient keys of a job.

use super::{FileNames, ImageFormat, Mute};
use crate::misfit::Misfit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

/// The misfit of a job's modelled to its observed traces, and its gradient by the model.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Gradient {
    /// What was recorded of the job's shots, in their order, relative to the job's folder: .sgy, .su, .npz or .h5, whose positions must
    /// fit the job, or .npy of shape [shot][receiver][time], of one shot [receiver][time].
    pub(crate) observed: Option<FileNames>,
    /// How traces are compared.
    pub misfit: Misfit,
    /// The quantity that is varied.
    pub of: Varied,
    /// Seconds from one product of both waves to the next; default the most that the highest frequency allows.
    pub interval: Option<f64>,
    /// GB that may be kept of the source wavefields; default 4.3 on a GPU, on a CPU half of the host's
    /// memory. Less if the rest of the run leaves less.
    pub memory: Option<f64>,
    /// Mutes samples before distance / velocity + delay, as in rtm.
    pub(crate) mute: Option<Mute>,
    /// Seconds over which traces fade at their end.
    pub(crate) taper: f64,
    /// Metres around sources within which the gradient is faded out.
    pub(crate) around_sources: Option<f64>,
    /// Whether the gradient is divided by the illumination by the sources.
    pub illumination: bool,
    /// Whether the gradient of each shot is written too.
    pub per_shot: bool,
    /// Formats of the gradient and the illumination, as rtm.formats; default ["npy"].
    pub(crate) formats: Option<Vec<ImageFormat>>,
    /// Whether observed traces, modelled ones and their difference are written too, as they are compared. They cost a modelling of
    /// all shots.
    pub(crate) traces: bool,
    /// Wavelet of the sources: "given" by the job, which is the default, "estimated" from the observed traces, or a table that says
    /// how it is estimated.
    pub(crate) wavelet: Option<GradientWavelet>,
}

impl Gradient {
    /// Whether the wavelet of the sources is estimated from the observed traces.
    pub fn estimates_wavelet(&self) -> bool {
        self.wavelet_estimate().is_some()
    }

    /// The formats of the gradient and the illumination.
    pub(crate) fn formats(&self) -> &[ImageFormat] {
        self.formats.as_deref().unwrap_or(&[ImageFormat::Npy])
    }

    /// How the wavelet is estimated; `None` if that of the job is right.
    pub(crate) fn wavelet_estimate(&self) -> Option<WaveletEstimate> {
        match self.wavelet? {
            GradientWavelet::From(WaveletOrigin::Given) => None,
            GradientWavelet::From(WaveletOrigin::Estimated) => Some(WaveletEstimate::default()),
            GradientWavelet::Estimate(estimate) => Some(estimate),
        }
    }
}

/// The wavelet of a gradient.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "\"given\", \"estimated\", or how it is estimated: { per = \"survey\", length = 0.6, amplitude = \"fitted\" }, per may be \
                 \"shot\" and amplitude \"fixed\""
)]
pub(crate) enum GradientWavelet {
    From(WaveletOrigin),
    Estimate(WaveletEstimate),
}

/// Where a wavelet comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WaveletOrigin {
    Given,
    Estimated,
}

/// How a wavelet is estimated from observed traces, by least squares.
#[skip_serializing_none]
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct WaveletEstimate {
    /// One wavelet for the "survey", or one for each "shot".
    pub(crate) per: EstimatedPer,
    /// Seconds after which the estimate is zero; default twice the length of the job's wavelet, at most the record.
    pub(crate) length: Option<f64>,
    /// "fitted" to the observed traces, or "fixed": energy and polarity of the job's wavelet.
    pub(crate) amplitude: EstimatedAmplitude,
}

/// The shots that have a wavelet in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EstimatedPer {
    #[default]
    Survey,
    Shot,
}

/// The amplitude of an estimated wavelet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EstimatedAmplitude {
    #[default]
    Fitted,
    Fixed,
}

/// The quantity by which the misfit is differentiated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Varied {
    /// The velocity, m/s.
    #[default]
    Velocity,
    /// The relative change of the squared slowness.
    Slowness,
}
