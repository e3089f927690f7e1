//! The derivative by the density of what depends on the potential V ([`super::density`]).
//!
//! At node i `V_i = sum_j c_ij (w_j - w_i) / w_i`. So J has, with `u_i = (dJ/dV_i) / w_i`,
//!
//! ```text
//! dJ/dw_j = sum_i c_ij u_i - sum_i c_ji u_j w_i / w_j,    dJ/d(ln rho) = -w/2 dJ/dw
//! ```
//!
//! A scale of w changes no V. Where nodes have the density of another, beside layers, theirs is added to its.

use super::Placed;
use crate::{
    grid::{Axes, Axis},
    plan::Plan,
};
use ndarray::Array3;

impl Plan {
    /// `dJ/d(ln rho)` at each node of the model, `[y][x][z]`, from dJ/dV there, m^2. V of the layers and the
    /// densities at sources and receivers are not varied. `None` with VTI or explicit time evolution,
    /// which have no V.
    pub fn by_log_density(&self, by_potential: &Array3<f64>) -> Option<Array3<f64>> {
        if self.medium.vti().is_some() || self.fourth.is_some() {
            return None;
        }
        let placed = Placed {
            inside: self.survey_grid().n,
            before: self.origin,
            n: self.whole_nodes(),
            operator: &self.operator,
            free_surface: self.free_surface,
        };
        let density = self.medium.density();
        let root = |node: Axes<usize>| density.map_or(1.0, |of| of.root(self.on_grid(node)));
        let index = |node: Axes<usize>| [node.y, node.x, node.z];
        let wings = placed.wings();
        let mut by_root = Array3::<f64>::zeros(by_potential.dim());
        for ((y, x, z), by_potential) in by_potential.indexed_iter() {
            let node = Axes { z, x, y };
            let own = root(node);
            let u = by_potential / own;
            for axis in [Axis::Z, Axis::X, Axis::Y] {
                for (c, away) in axis.of(&wings).iter().zip(1..) {
                    for neighbour in placed.neighbours(node, axis, away) {
                        by_root[index(neighbour)] += c * u;
                        by_root[index(node)] -= c * u * root(neighbour) / own;
                    }
                }
            }
        }
        let mut by_log = Array3::<f64>::zeros(by_potential.dim());
        let inner = placed.inner_nodes();
        for ((y, x, z), by_root) in by_root.indexed_iter() {
            let node = Axes { z, x, y };
            let of = Axes {
                z: z.clamp(*inner.z.start(), *inner.z.end()),
                x: x.clamp(*inner.x.start(), *inner.x.end()),
                y: y.clamp(*inner.y.start(), *inner.y.end()),
            };
            by_log[index(of)] -= 0.5 * root(node) * by_root;
        }
        Some(by_log)
    }
}

impl Placed<'_> {
    /// The nodes of the model with the w that a node's V has `away` nodes on either side: w is even about a
    /// free surface, and constant beyond every other edge.
    fn neighbours(&self, node: Axes<usize>, axis: Axis, away: usize) -> [Axes<usize>; 2] {
        let (at, last) = (*axis.of(&node), axis.of(&self.inside) - 1);
        let is_mirror = self.free_surface && axis == Axis::Z;
        let before = if is_mirror { at.abs_diff(away) } else { at.saturating_sub(away) };
        [before, at + away].map(|to| {
            let mut neighbour = node;
            *axis.of_mut(&mut neighbour) = to.min(last);
            neighbour
        })
    }
}
