//! Variable density by one more term.
//!
//! With b = 1/rho, w = sqrt(b) and p = q / w the equation
//!
//! ```text
//! (b/v^2) p_tt = div(b grad p) + b(xs) s(t) delta(x - xs)
//! (1/v^2) q_tt = lap q - V q + w(xs) s(t) delta(x - xs),    V = (lap w) / w
//! ```
//!
//! is that of constant density for q, and the potential V. V is made with the discrete Laplacian L of the
//! step, V = (L w) / w: row i of L - V is then `sum_j c_ij w_j (p_j - p_i)`, so that a constant p is an
//! exact solution, and in p the operator is symmetric, with the geometric means of b as weights.
//!
//! Densities are relative to [`REFERENCE`], so that w is near 1. w is even about a free surface, where
//! p is odd, and constant beyond every other edge.
//!
//! A layer stretches the derivatives of q along its normal, but not V. If w varies along the normal, the
//! two do not match, and waves grow slowly in the layer. So at an edge with a layer w is constant along
//! the normal, as far as the operator reaches from the layer's first node into the model.

use super::Placed;
use crate::{
    grid::{Axes, Axis},
    model::Density,
    plan::ModelValues,
};
use rayon::prelude::*;
use std::{
    ops::{Range, RangeInclusive},
    sync::Arc,
};

/// The density at which w = 1, kg/m3: that of water.
pub const REFERENCE: f64 = 1000.0;

/// A density that varies, on the computational grid.
#[derive(Clone, Debug)]
pub struct VariableDensity {
    /// w.
    roots: ModelValues,
    /// The second derivative along each axis of the grid, `c_1 ..= c_L`, 1/m^2.
    operator: Arc<Axes<Vec<f64>>>,
    /// Whether w is even about row 0.
    free_surface: bool,
}

impl Placed<'_> {
    /// The nodes along each axis that keep their own density: beside a layer those that its first node
    /// does not reach.
    pub(super) fn inner_nodes(&self) -> Axes<RangeInclusive<usize>> {
        let along = |axis: Axis| {
            let [inside, before, n] =
                [&self.inside, &self.before, &self.n].map(|all| *axis.of(all));
            let reached = axis.of(self.operator).radius().saturating_sub(1);
            let beside = |cells: usize| if cells > 0 { reached.min((inside - 1) / 2) } else { 0 };
            beside(before)..=inside - 1 - beside(n - before - inside)
        };
        Axes { z: along(Axis::Z), x: along(Axis::X), y: along(Axis::Y) }
    }
}

impl VariableDensity {
    /// `None` for a constant density.
    pub(crate) fn new(density: &Density, placed: &Placed<'_>) -> Option<Self> {
        let values = density.shared().filter(|_| !density.is_constant())?;
        let root = |rho: f32| (REFERENCE / f64::from(rho)).sqrt() as f32;
        let (nodes, inner) = (placed.inside, placed.inner_nodes());
        let mut roots = vec![0.0; values.len()];
        roots.par_chunks_mut(nodes.z).enumerate().for_each(|(column, to)| {
            let x = (column % nodes.x).clamp(*inner.x.start(), *inner.x.end());
            let y = (column / nodes.x).clamp(*inner.y.start(), *inner.y.end());
            let of_column = &values[(y * nodes.x + x) * nodes.z..][..nodes.z];
            for (z, to) in to.iter_mut().enumerate() {
                *to = root(of_column[z.clamp(*inner.z.start(), *inner.z.end())]);
            }
        });
        let roots = placed.values(roots);
        let (operator, free_surface) = (placed.wings(), placed.free_surface);
        Some(VariableDensity { roots, operator, free_surface })
    }

    /// w at a node.
    pub fn root(&self, node: Axes<usize>) -> f64 {
        f64::from(self.roots.at(node))
    }

    /// w.
    pub(crate) fn roots(&self) -> &ModelValues {
        &self.roots
    }

    pub(super) fn operator(&self) -> &Axes<Vec<f64>> {
        &self.operator
    }

    pub(super) fn free_surface(&self) -> bool {
        self.free_surface
    }

    /// V at a node, 1/m^2.
    pub fn potential(&self, node: Axes<usize>) -> f64 {
        let mut value = 0.0;
        self.potentials(node, 1, |_, potential| value = potential);
        value
    }

    /// V at the nodes of a column from a node on, 1/m^2.
    pub fn potential_of_column(&self, from: Axes<usize>, to: &mut [f32]) {
        self.potentials(from, to.len(), |row, potential| to[row] = potential as f32);
    }

    /// Calls back with V at so many nodes of a column. Differences are summed, so that V is exactly 0
    /// where the density is constant.
    fn potentials(&self, from: Axes<usize>, count: usize, mut to: impl FnMut(usize, f64)) {
        let VariableDensity { roots, operator, free_surface } = self;
        let (x, y) = (from.x as isize, from.y as isize);
        let here = roots.nearest_column(x, y);
        let along_x = operator.x.iter().zip(1..).map(|(c, j)| (c, [(x + j, y), (x - j, y)]));
        let along_y = operator.y.iter().zip(1..).map(|(c, j)| (c, [(x, y + j), (x, y - j)]));
        let beside = |(c, [one, other]): (&f64, [(isize, isize); 2])| {
            (*c, roots.nearest_column(one.0, one.1), roots.nearest_column(other.0, other.1))
        };
        let beside: Vec<_> = along_x.chain(along_y).map(beside).collect();
        for row in 0..count {
            let z = (from.z + row) as isize;
            let at = roots.nearest_row(z);
            let w = f64::from(here[at]);
            let pair =
                |c: f64, one: f32, other: f32| c * ((f64::from(one) - w) + (f64::from(other) - w));
            let across = beside.iter().map(|(c, one, other)| pair(*c, one[at], other[at]));
            let mut sum: f64 = across.sum();
            for (c, j) in operator.z.iter().zip(1..) {
                let up = if *free_surface { (z - j).abs() } else { z - j };
                sum += pair(*c, here[roots.nearest_row(z + j)], here[roots.nearest_row(up)]);
            }
            to(row, sum / w);
        }
    }

    /// The largest of `v^2 (s + V)` over the nodes of a grid, with s in 1/m^2: a bound of the
    /// eigenvalues of `v^2 (-L + V)` if s is one of those of -L (Gershgorin).
    pub(crate) fn largest(&self, velocities: &ModelValues, s: f64) -> f64 {
        let n = velocities.n();
        let column = |index: usize| {
            let from = Axes { z: 0, x: index % n.x, y: index / n.x };
            let mut largest = 0.0f64;
            self.potentials(from, n.z, |z, potential| {
                let v = f64::from(velocities.at(Axes { z, ..from }));
                largest = largest.max(v * v * (s + potential));
            });
            largest
        };
        (0..n.x * n.y).into_par_iter().map(column).reduce(|| 0.0, f64::max)
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.roots.is_same(&other.roots) && self.operator == other.operator
    }

    pub(super) fn cut(&self, pieces: Range<usize>) -> Self {
        VariableDensity { roots: self.roots.cut(pieces), ..self.clone() }
    }
}
