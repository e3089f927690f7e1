//! Whether a density lets waves grow.
//!
//! In p the operator of [`super::density`] is `sum c_m w_i w_(i+m) (p_(i+m) - p_i)^2` over all pairs of
//! nodes of all lines of the grid. Some c_m are negative, and where w jumps strongly their terms can
//! win: then a field grows at any time step. Each line is tested alone, as a sum of positive
//! operators is positive.
//!
//! - Sufficient, in O(N): by Cauchy and Schwarz `(p_(i+m) - p_i)^2 <= m sum (p_(k+1) - p_k)^2`, so no
//!   wave grows if for each pair of neighbours (j, j + 1) the sum over the m with c_m < 0 of m |c_m|
//!   times the sum over the pairs (i, i + m) around (j, j + 1) of w_i w_(i+m) is at most
//!   c_1 w_j w_(j+1).
//! - Necessary and sufficient, for the lines that fail it: -L + V of the line has a Cholesky
//!   factorisation.

use super::VariableDensity;
use crate::{
    grid::{Axes, Axis},
    model::cell,
    plan::ModelValues,
};
use rayon::prelude::*;

/// Two neighbouring nodes of a model whose densities differ too much for the operator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    /// The nodes, from the model's first one.
    pub nodes: [Axes<usize>; 2],
    /// Their densities, kg/m3.
    pub densities: [f64; 2],
    /// Whether the model is 3-D.
    pub volume: bool,
}

impl Jump {
    /// The nodes as users write them: "x = 3, z = 7 and x = 4, z = 7".
    pub(crate) fn places(&self) -> String {
        let [one, other] = self.nodes.map(|node| cell(node, self.volume));
        format!("{one} and {other}")
    }
}

/// The lines of a computational grid along an axis, through each node of the model.
pub(super) struct Lines {
    inside: Axes<usize>,
    before: Axes<usize>,
    pub(super) n: Axes<usize>,
    axis: Axis,
}

impl Lines {
    pub(super) fn new(values: &ModelValues, axis: Axis) -> Self {
        Lines { inside: values.inside(), before: values.before(), n: values.n(), axis }
    }

    pub(super) fn count(&self) -> usize {
        let Axes { z, x, y } = self.inside;
        *self.axis.of(&Axes { z: x * y, x: z * y, y: z * x })
    }

    /// Nodes of a line.
    pub(super) fn len(&self) -> usize {
        *self.axis.of(&self.n)
    }

    /// A node of a line.
    pub(super) fn node(&self, line: usize, at: usize) -> Axes<usize> {
        let Lines { inside, before, axis, .. } = *self;
        let mut node = match axis {
            Axis::Z => Axes { z: 0, x: line % inside.x, y: line / inside.x },
            Axis::X => Axes { z: line % inside.z, x: 0, y: line / inside.z },
            Axis::Y => Axes { z: line % inside.z, x: line / inside.z, y: 0 },
        };
        node = node.zip(before).map(|(i, before)| i + before);
        *axis.of_mut(&mut node) = at;
        node
    }

    /// The model's node nearest to a node of a line.
    pub(super) fn in_model(&self, line: usize, at: usize) -> Axes<usize> {
        let node = self.node(line, at).zip(self.before).zip(self.inside);
        node.map(|((i, before), inside)| i.saturating_sub(before).min(inside - 1))
    }
}

/// A line of the grid with the values of w beyond its ends that the operator reads.
struct Line<'a> {
    /// `c_1 ..= c_L`.
    weights: &'a [f64],
    /// w, from L nodes before the first to L nodes after the last.
    roots: Vec<f64>,
}

impl Line<'_> {
    /// True if the sufficient condition holds for every pair of neighbours.
    fn is_surely_positive(&self) -> bool {
        let w = &self.roots;
        let against = |j: usize| {
            let of = |(m, c): (usize, &f64)| {
                // The pairs (i, i + m) with i <= j < i + m.
                let around = (j + 1).saturating_sub(m)..=j.min(w.len() - 1 - m);
                m as f64 * -c * around.map(|i| w[i] * w[i + m]).sum::<f64>()
            };
            (1..).zip(self.weights).filter(|(_, c)| **c < 0.0).map(of).sum::<f64>()
        };
        (0..w.len() - 1).all(|j| against(j) <= self.weights[0] * w[j] * w[j + 1])
    }

    /// True if -L + V of the line is positive definite: banded Cholesky factorisation.
    fn is_positive(&self) -> bool {
        let reach = self.weights.len();
        let n = self.roots.len() - 2 * reach;
        let w = |i: usize| self.roots[i + reach];
        // factor[i][d] = F_(i, i - d).
        let mut factor = vec![vec![0.0; reach + 1]; n];
        for i in 0..n {
            for d in (0..=reach.min(i)).rev() {
                let k = i - d;
                let mut value = match d {
                    0 => self.diagonal(i + reach, w(i)),
                    _ => -self.weights[d - 1],
                };
                for j in i.saturating_sub(reach)..k {
                    value -= factor[i][i - j] * factor[k][k - j];
                }
                if d > 0 {
                    factor[i][d] = value / factor[k][0];
                } else if value > 1e-14 * self.weights[0] {
                    factor[i][0] = value.sqrt();
                } else {
                    return false;
                }
            }
        }
        true
    }

    /// `-c_0 + V = sum_j c_j (w_(i+j) + w_(i-j)) / w_i`.
    fn diagonal(&self, i: usize, w: f64) -> f64 {
        let pair = |(j, c): (usize, &f64)| c * (self.roots[i + j] + self.roots[i - j]);
        (1..).zip(self.weights).map(pair).sum::<f64>() / w
    }
}

impl VariableDensity {
    /// The jump of density that may let a wave grow, if there is one.
    pub fn jump(&self) -> Option<Jump> {
        let volume = self.roots().n().y > 1;
        let mut axes = [Axis::Z, Axis::X].into_iter().chain(volume.then_some(Axis::Y));
        axes.find_map(|axis| self.jump_along(axis))
    }

    fn jump_along(&self, axis: Axis) -> Option<Jump> {
        let lines = Lines::new(self.roots(), axis);
        let (weights, node) = (axis.of(self.operator()), |line, at| lines.node(line, at));
        let (len, reach) = (lines.len(), weights.len());
        let is_free = axis == Axis::Z && self.free_surface();
        let mirrored = if is_free { len - 1 } else { 0 };
        let test = |line: usize| {
            // The field above a free surface is the negative image of that below.
            let at = |i: usize| {
                let i = i as isize - reach as isize - mirrored as isize;
                let i = if is_free { i.unsigned_abs() } else { i.max(0) as usize };
                self.root(node(line, i.min(len - 1)))
            };
            let all = len + mirrored + 2 * reach;
            let tested = Line { weights, roots: (0..all).map(at).collect() };
            if tested.is_surely_positive() || tested.is_positive() {
                return None;
            }
            // The strongest jump of the line is the likely culprit.
            let ratio = |i: &usize| (tested.roots[*i] / tested.roots[i + 1]).ln().abs();
            let pairs = reach + mirrored..all - reach - 1;
            let worst = pairs.max_by(|a, b| ratio(a).total_cmp(&ratio(b)))?;
            let at = worst - reach - mirrored;
            let in_model = |at: usize| lines.in_model(line, at);
            let density = |i: usize| super::REFERENCE / tested.roots[i].powi(2);
            let densities = [density(worst), density(worst + 1)];
            Some(Jump { nodes: [in_model(at), in_model(at + 1)], densities, volume: lines.n.y > 1 })
        };
        (0..lines.count()).into_par_iter().find_map_first(test)
    }
}
