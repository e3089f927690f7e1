//! The gradient keys of a job.

use super::{FileNames, Mute};
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
