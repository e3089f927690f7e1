//! The edges of the model, as profiles along each axis.
//!
//! The field is zero outside the computational grid, except above a free surface ([`Top::Free`]),
//! where it is the negative image. An absorbing layer adds cells outside the model and describes
//! itself by numbers per node ([`Profile`]), so engines do not depend on its kind: `damping`
//! (sponge) multiplies; `loss`, `share` and `slope` (CPML) drive memory variables.
//!
//! To add a layer: a file here with the coefficients of a node by its depth; a variant of
//! [`Absorber`], which is also the job's key, and arms in its methods, in `engine/tune/class.rs`
//! and in `cli/command/check/text.rs`; lines in `assets/templates/` and `docs/job.md`.

mod cpml;
mod sponge;

pub use cpml::Cpml;
pub use sponge::Sponge;

use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// The widest layer, cells.
const WIDEST: usize = 1000;

// Comments of the types that a job holds are what an editor shows of it, too.
/// The edges at the model's sides and below (and above, if requested).
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Layer", description = "")
)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
#[non_exhaustive]
pub enum Absorber {
    /// A convolutional perfectly matched layer.
    Cpml(Cpml),
    // Cerjan et al. (1985), the thesis' boundary.
    /// A layer that multiplies the field by a little less than 1 at every step.
    Sponge(Sponge),
    // Every wave is reflected.
    /// No layer: the field is zero outside the model.
    Zero,
}

impl Default for Absorber {
    fn default() -> Self {
        Absorber::Cpml(Cpml::default())
    }
}

/// The top edge of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(description = ""))]
#[serde(rename_all = "kebab-case")]
pub enum Top {
    /// The layer of the sides.
    #[default]
    Absorb,
    /// The field is zero above row 0, which moves itself: the thesis' top.
    Zero,
    // Above it is the negative image of the field below, p(-z) = -p(z), so a plane surface
    // reflects with -1, to the order of the stencil (Levander 1988; Robertsson 1996).
    /// A free surface: p = 0 on row 0.
    Free,
}

/// The four (six) edges of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(description = ""))]
#[serde(deny_unknown_fields, default)]
pub struct Boundary {
    /// Condition at the top of the model.
    pub top: Top,
    /// Condition at the other sides, outside the model.
    pub sides: Absorber,
}

/// Reasons why a boundary was rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum BoundaryError {
    #[error(
        "an absorbing layer of {cells} cells is not available; choose {} to {}, or kind = \"zero\"",
        .range.start(), .range.end()
    )]
    Cells { cells: usize, range: RangeInclusive<usize> },
    #[error(
        "a target reflection of {} is not available; choose a number from {:e} to {}, usually {:e}",
        .0, Cpml::REFLECTIONS.start(), Cpml::REFLECTIONS.end(), Cpml::REFLECTION
    )]
    Reflection(f64),
    #[error("a CPML of power {} is not available; choose 1 to 3, usually 3", .0)]
    Power(u32),
    #[error("a sponge strength of {} is not available; choose a number from 0 to 10", .0)]
    Strength(f64),
}

/// The coefficients of a layer at one node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients {
    /// g: the field is multiplied by it at every step.
    pub damping: f64,
    /// e, the part of the memory variables that is lost in a step.
    pub loss: f64,
    /// f, the part of the loss that damps; the rest is the shift.
    pub share: f64,
    /// g, the part of dp/dx that a step adds to the memory variables, 1/m; its sign is that of the
    /// direction outward.
    pub slope: f64,
}

impl Coefficients {
    pub(crate) const INTERIOR: Self =
        Coefficients { damping: 1.0, loss: 0.0, share: 0.0, slope: 0.0 };
}

/// The scheme that a layer is made for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// Distance between nodes across the layer, m.
    pub(crate) h: f64,
    /// Fastest velocity of the models, m/s.
    pub(crate) fastest: f64,
    /// Time step, s.
    pub(crate) dt: f64,
}

/// Layer coefficients at every node along one axis of the computational grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// One per node.
    pub nodes: Vec<Coefficients>,
    /// Nodes with memory variables at the low and the high end; only a CPML has them.
    pub memory: [usize; 2],
}

impl Profile {
    /// True if a node has memory variables.
    pub fn has_memory(&self, node: usize) -> bool {
        node < self.memory[0] || node >= self.nodes.len() - self.memory[1]
    }

    /// Removes the layers, whose nodes stay.
    pub(crate) fn clear(&mut self) {
        self.nodes.fill(Coefficients::INTERIOR);
        self.memory = [0, 0];
    }

    /// The profile of an axis of `n` nodes with the same layers, `cells` wide at either end.
    pub(crate) fn resized(&self, n: usize, cells: [usize; 2]) -> Self {
        let [low, high] = cells;
        let mut nodes = self.nodes[..low].to_vec();
        nodes.resize(n - high, Coefficients::INTERIOR);
        nodes.extend_from_slice(&self.nodes[self.nodes.len() - high..]);
        Profile { nodes, memory: self.memory }
    }
}

impl Absorber {
    /// Cells that the layer adds outside the model.
    pub fn cells(&self) -> usize {
        match self {
            Absorber::Zero => 0,
            Absorber::Sponge(layer) => layer.cells,
            Absorber::Cpml(layer) => layer.cells,
        }
    }

    /// Returns an error for invalid parameters.
    pub fn check(&self) -> Result<(), BoundaryError> {
        let range = match self {
            Absorber::Zero => return Ok(()),
            Absorber::Sponge(layer) => {
                layer.check()?;
                1..=WIDEST
            }
            Absorber::Cpml(layer) => {
                layer.check()?;
                Cpml::THINNEST..=WIDEST
            }
        };
        let cells = self.cells();
        if range.contains(&cells) { Ok(()) } else { Err(BoundaryError::Cells { cells, range }) }
    }

    /// The profile of an axis of `n` nodes with the layer at the low or the high end or both.
    pub(crate) fn profile(&self, n: usize, ends: [bool; 2], scale: &Scale) -> Profile {
        let [low, high] = ends;
        let cells = self.cells();
        let mut nodes = vec![Coefficients::INTERIOR; n];
        for depth in 1..=cells {
            let layer = match self {
                Absorber::Zero => Coefficients::INTERIOR,
                Absorber::Sponge(layer) => layer.at(depth),
                Absorber::Cpml(layer) => layer.at(depth, scale),
            };
            if low {
                // Outward is towards smaller coordinates here.
                nodes[cells - depth] = Coefficients { slope: -layer.slope, ..layer };
            }
            if high {
                nodes[n - 1 - (cells - depth)] = layer;
            }
        }
        let memory = if matches!(self, Absorber::Cpml(_)) { cells } else { 0 };
        Profile { nodes, memory: ends.map(|end| if end { memory } else { 0 }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYER: Absorber = Absorber::Cpml(Cpml::new(5));
    const SCALE: Scale = Scale { h: 10.0, fastest: 2000.0, dt: 1e-3 };

    #[test]
    fn layers_have_memory_and_the_model_has_none() {
        let profile = LAYER.profile(20, [true, true], &SCALE);
        let with: Vec<_> = (0..20).filter(|node| profile.has_memory(*node)).collect();
        assert_eq!(with, [0, 1, 2, 3, 4, 15, 16, 17, 18, 19]);
    }

    #[test]
    fn a_resized_profile_keeps_each_end() {
        let resized = LAYER.profile(20, [false, true], &SCALE).resized(30, [0, 5]);
        assert_eq!(resized, LAYER.profile(30, [false, true], &SCALE));
    }
}
