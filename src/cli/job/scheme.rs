//! What a job says of the scheme: the operator and what surrounds the model.

use super::OneOrEach;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Operator {
    Taylor {
        #[serde(default = "order")]
        order: usize,
    },
    WindowedSinc {
        wing: OneOrEach<usize>,
        #[serde(default = "alpha")]
        alpha: OneOrEach<f64>,
        #[serde(default = "beta")]
        beta: OneOrEach<f64>,
    },
}

impl Default for Operator {
    fn default() -> Self {
        Operator::Taylor { order: order() }
    }
}

fn order() -> usize {
    8
}

/// With beta = 5, the window of least phase error at wings of 6 to 8 among those tried: below 1e-4 up
/// to 0.7 of the Nyquist wavenumber at a wing of 8.
fn alpha() -> OneOrEach<f64> {
    OneOrEach::One(0.5)
}

fn beta() -> OneOrEach<f64> {
    OneOrEach::One(5.0)
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Boundary {
    #[serde(default)]
    pub top: Top,
    #[serde(default)]
    pub sides: Layer,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Top {
    #[default]
    Absorb,
    Zero,
    Free,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Layer {
    Cpml {
        #[serde(default = "cpml_cells")]
        cells: usize,
        #[serde(default = "reflection")]
        reflection: f64,
        #[serde(default = "power")]
        power: u32,
    },
    Sponge {
        #[serde(default = "sponge_cells")]
        cells: usize,
        #[serde(default = "strength")]
        strength: f64,
    },
    Zero {},
}

impl Default for Layer {
    fn default() -> Self {
        let (cells, reflection, power) = (cpml_cells(), reflection(), power());
        Layer::Cpml { cells, reflection, power }
    }
}

fn cpml_cells() -> usize {
    20
}

fn sponge_cells() -> usize {
    50
}

fn reflection() -> f64 {
    huygens::boundary::Cpml::REFLECTION
}

fn power() -> u32 {
    huygens::boundary::Cpml::POWER
}

fn strength() -> f64 {
    huygens::boundary::Sponge::STRENGTH
}
