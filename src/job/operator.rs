//! The operator of a job.

use super::OneOrEach;
use crate::stencil::{Family, Window, ete::Points};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Operator {
    /// The stencil of highest order at small wavenumbers.
    Taylor {
        /// Order in space, even, 2 to 16.
        #[serde(default = "order")]
        order: usize,
    },
    /// A sinc under a window, better at large wavenumbers.
    WindowedSinc {
        /// Cells on either side, 1 to 16: a number for every axis, or one for each.
        wing: OneOrEach<usize>,
        /// Of its window, 0.5 (Hann) to 1 (none): a number for every axis, or one for each.
        #[serde(default = "alpha")]
        alpha: OneOrEach<f64>,
        /// Of its window, twice the exponent, 0 to 8: a number for every axis, or one for each.
        #[serde(default = "beta")]
        beta: OneOrEach<f64>,
    },
    /// Explicit time evolution: fitted to what a step does to a wave, for long steps.
    Ete {
        /// Of the stencil in a volume: 37, or 73, which is more accurate.
        #[serde(default = "points")]
        points: usize,
    },
}

impl Default for Operator {
    fn default() -> Self {
        Operator::Taylor { order: order() }
    }
}

fn order() -> usize {
    Family::ORDER
}

fn points() -> usize {
    Points::default().count()
}

fn alpha() -> OneOrEach<f64> {
    OneOrEach::One(Window::ALPHA)
}

fn beta() -> OneOrEach<f64> {
    OneOrEach::One(Window::BETA)
}
