//! The keys of a job's least-squares migration.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with_macros::skip_serializing_none;

/// Least-squares migration: the relative change of the velocity, dv/v, whose scattered waves fit the recorded ones best. The
/// recording, its processing, the model and the formats are those of [rtm].
#[skip_serializing_none]
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Lsrtm {
    /// The most iterations of conjugate gradients. They end before if an iteration lowers the misfit by less than 0.1 %.
    pub(crate) iterations: usize,
    /// Weight of the image beside the misfit, as a part of the misfit's curvature along the first direction: 0.01 damps what the
    /// traces hardly see, 0 nothing.
    pub(crate) damping: f64,
    /// Metres over which the image is smoothed, the standard deviation of a Gaussian; 0 smooths nothing.
    pub(crate) smooth: f64,
    /// Depth above which the image is 0, metres: the water of a marine survey.
    pub(crate) water: f64,
    /// Power of the illumination by the sources that the preconditioner divides by: 1 where receivers light all places alike, 2
    /// where they stand on the same ground as the sources, 0 leaves the image as it is.
    pub(crate) illumination: f64,
    /// Whether the image after each iteration is written too.
    pub(crate) images: bool,
    /// Whether the traces that the image explains, and those that it leaves, are written too. They cost two iterations.
    pub(crate) traces: bool,
}

impl Default for Lsrtm {
    fn default() -> Self {
        Lsrtm {
            iterations: 10,
            damping: 0.0,
            smooth: 0.0,
            water: 0.0,
            illumination: 1.0,
            images: false,
            traces: false,
        }
    }
}
