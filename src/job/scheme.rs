//! What a job says of the scheme: the operator and what surrounds the model.

use super::OneOrEach;
use crate::{
    boundary::{Cpml, Sponge, Top},
    stencil::{Family, Window, ete::Points},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Operator {
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

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Boundary {
    /// What is above the model.
    #[serde(default)]
    pub top: Top,
    /// What is on every other side, outside the model.
    #[serde(default)]
    pub sides: Layer,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Layer {
    /// A convolutional perfectly matched layer.
    Cpml {
        /// Its width, nodes.
        #[serde(default = "cpml_cells")]
        cells: usize,
        /// Amplitude of 1 that its damping alone sends back of high frequencies at normal incidence, 1e-12 to 0.5.
        #[serde(default = "reflection")]
        reflection: f64,
        /// Of its profile of damping by depth.
        #[serde(default = "power")]
        power: u32,
    },
    /// A layer that multiplies the field by a little less than 1 at every step.
    Sponge {
        /// Its width, nodes.
        #[serde(default = "sponge_cells")]
        cells: usize,
        /// How much it damps: by exp(-strength^2) a step at its outer edge, 0 to 10.
        #[serde(default = "strength")]
        strength: f64,
    },
    /// No layer: the field is zero outside the model.
    Zero {},
}

impl Default for Layer {
    fn default() -> Self {
        Layer::Cpml { cells: cpml_cells(), reflection: reflection(), power: power() }
    }
}

fn cpml_cells() -> usize {
    Cpml::CELLS
}

fn reflection() -> f64 {
    Cpml::REFLECTION
}

fn sponge_cells() -> usize {
    Sponge::CELLS
}

fn power() -> u32 {
    Cpml::POWER
}

fn strength() -> f64 {
    Sponge::STRENGTH
}
