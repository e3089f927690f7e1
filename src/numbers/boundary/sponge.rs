//! The sponge of Cerjan, Kosloff, Kosloff and Reshef (1985): the field is multiplied at every step
//! by `g = exp(-(s i / N)^2)`, i cells into a layer of N. Their 20 cells with 0.015 per cell are
//! s = 0.3.

use super::{BoundaryError, Coefficients};
use serde::{Deserialize, Serialize};

/// A layer of plain attenuation.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Sponge {
    /// Its width, nodes.
    pub cells: usize,
    // s, the square root of the attenuation exponent there.
    /// Damping, 0 to 10: the factor of a step at the outer edge is exp(-strength^2).
    pub strength: f64,
}

impl Default for Sponge {
    fn default() -> Self {
        Sponge { cells: Sponge::CELLS, strength: Sponge::STRENGTH }
    }
}

impl Sponge {
    /// Cerjan's strength for any width.
    pub const STRENGTH: f64 = 0.3;
    /// Default width, cells.
    pub(crate) const CELLS: usize = 50;

    pub(super) fn check(&self) -> Result<(), BoundaryError> {
        if (0.0..=10.0).contains(&self.strength) {
            Ok(())
        } else {
            Err(BoundaryError::Strength(self.strength))
        }
    }

    pub(super) fn at(&self, depth: usize) -> Coefficients {
        let exponent = self.strength * depth as f64 / self.cells as f64;
        Coefficients { damping: (-exponent * exponent).exp(), ..Coefficients::INTERIOR }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factors_are_cerjans() {
        let sponge = Sponge { cells: 20, strength: Sponge::STRENGTH };
        for depth in 1..=20 {
            let known = (-(0.015 * depth as f64).powi(2)).exp();
            assert!((sponge.at(depth).damping - known).abs() < 1e-15, "{depth}");
        }
    }
}
