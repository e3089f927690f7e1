//! The medium of a [`Plan`](crate::plan::Plan): what the wave equation has beside the velocity.
//!
//! To add a medium: a file here with its coefficients and its limits; a variant of [`Medium`], and an
//! arm in each of its methods; its term in `engine/cpu/reference.rs`, in a file of `engine/cpu/` and, behind
//! a constant, in a file of `shaders/lib/`; its arrays in `engine/gpu/model.rs`. Engines read media through
//! the methods of a Plan in `plan/medium.rs`.

mod density;
mod density_gradient;
mod positivity;
#[cfg(test)]
mod tests;
mod vti;
mod vti_positivity;
#[cfg(test)]
mod vti_tests;

pub use density::{REFERENCE, VariableDensity};
pub use positivity::Jump;
pub(crate) use vti::Placed;
pub use vti::{Pair, Vti, VtiTerm};
pub use vti_positivity::VtiJump;

use crate::{grid::Axes, plan::ModelValues};
use ndarray::Array3;
use std::ops::Range;

/// The medium of a Plan, beside its velocities.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Medium {
    /// `(1/v^2) p_tt = lap p + s(t) delta(x - xs)`.
    #[default]
    Velocity,
    /// `(1/(rho v^2)) p_tt = div((1/rho) grad p) + s(t) delta(x - xs) / rho(xs)`.
    Density(VariableDensity),
    /// A vertical axis of symmetry, with or without density: two fields, p and m ([`Vti`]).
    Vti(Box<Vti>),
}

impl Medium {
    /// The variable density, if it has one.
    pub fn density(&self) -> Option<&VariableDensity> {
        match self {
            Medium::Density(density) => Some(density),
            Medium::Velocity | Medium::Vti(_) => None,
        }
    }

    /// The coefficients of VTI, if it is that.
    pub fn vti(&self) -> Option<&Vti> {
        match self {
            Medium::Vti(vti) => Some(vti),
            Medium::Velocity | Medium::Density(_) => None,
        }
    }

    /// Fields that a shot steps: p, and with VTI m.
    pub fn fields(&self) -> usize {
        if self.vti().is_some() { 2 } else { 1 }
    }

    /// What it adds to the velocity, as messages and records name it; `None` for velocity alone.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            Medium::Velocity => None,
            Medium::Density(_) => Some("variable density"),
            Medium::Vti(vti) if vti.has_density() => Some("VTI with variable density"),
            Medium::Vti(_) => Some("VTI"),
        }
    }

    /// Densities on the computational grid, shape `[y][x][z]`, kg/m3; `None` for velocity alone.
    pub fn densities(&self) -> Option<Array3<f32>> {
        let roots = self.density()?.roots().to_array();
        Some(roots.mapv(|root| (REFERENCE / f64::from(root).powi(2)) as f32))
    }

    /// True if both are the same values of the same model.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Medium::Velocity, Medium::Velocity) => true,
            (Medium::Density(one), Medium::Density(other)) => one.is_same(other),
            (Medium::Vti(one), Medium::Vti(other)) => one.is_same(other),
            _ => false,
        }
    }

    /// Some pieces of the slowest axis.
    pub(crate) fn cut(&self, pieces: Range<usize>) -> Self {
        match self {
            Medium::Velocity => Medium::Velocity,
            Medium::Density(density) => Medium::Density(density.cut(pieces)),
            Medium::Vti(vti) => Medium::Vti(Box::new(vti.cut(pieces))),
        }
    }

    /// The values of each node that determine it, besides the velocities.
    pub(crate) fn values(&self) -> impl Iterator<Item = &ModelValues> {
        let vti = self.vti().into_iter().flat_map(Vti::values);
        self.density().map(VariableDensity::roots).into_iter().chain(vti)
    }

    /// Its numbers that hold for all nodes.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = f64> {
        self.vti().map(Vti::f).into_iter()
    }

    /// The factor on the term `s(t) delta(x - xs)` at a node, of a source at the node `nearest`.
    pub(crate) fn source_factor(&self, nearest: Axes<usize>, node: Axes<usize>) -> f64 {
        match self {
            Medium::Velocity => 1.0,
            Medium::Density(density) => density.root(nearest).powi(2) / density.root(node),
            Medium::Vti(vti) => vti.buoyancy(nearest) / vti.buoyancy(node),
        }
    }

    /// The pressure at a node per unit of the field that engines step.
    #[inline]
    pub(crate) fn pressure_factor(&self, node: Axes<usize>) -> f64 {
        match self {
            Medium::Density(density) => 1.0 / density.root(node),
            Medium::Velocity | Medium::Vti(_) => 1.0,
        }
    }
}
