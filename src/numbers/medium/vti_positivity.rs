//! Whether the jumps of VTI coefficients let waves grow, line by line, as [`super::positivity`] tests densities.
//!
//! Along a line the energy is `sum c_m (u_(i+m) - u_i)' S (u_(i+m) - u_i)` over all pairs of nodes, with u = (p, m) and
//! S the mean of their matrices. Some c_m are negative.
//!
//! - Sufficient, by neighbours alone: with r such that `A_j <= r A_(j+1)` and the reverse at all neighbours,
//!   `S_(i, i+m) <= r^(m-1) S_(j, j+1)`, so that [`harmless_ratio`] holds for matrices too.
//! - Sufficient, in O(N): for each pair of neighbours (j, j + 1), `c_1 S_(j, j+1)` less the sum over the m with c_m < 0 of
//!   m |c_m| times the sum of S over the pairs (i, i + m) around (j, j + 1) has no negative eigenvalue.
//! - Necessary and sufficient, for the lines that fail it: the operator of the line has a Cholesky factorisation.

use super::{
    positivity::{Beside, Lines, harmless_ratio},
    vti::{Pair, Vti},
};
use crate::{
    grid::{Axes, Axis},
    model::cell,
};
use rayon::prelude::*;

/// Two neighbouring nodes of a model between which the coefficients of VTI jump too much for the operator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VtiJump {
    /// The nodes, from the model's first one.
    pub nodes: [Axes<usize>; 2],
    /// Whether the model is 3-D.
    pub volume: bool,
}

impl VtiJump {
    /// The nodes as users write them: "x = 3, z = 7 and x = 4, z = 7".
    pub(crate) fn places(&self) -> String {
        let [one, other] = self.nodes.map(|node| cell(node, self.volume));
        format!("{one} and {other}")
    }
}

/// A line with the matrices beyond its ends that the operator reads.
struct Line<'a> {
    /// `c_1 ..= c_L`.
    weights: &'a [f64],
    /// From L nodes before the first to L nodes after the last.
    matrices: Vec<Pair>,
}

/// Room for rounding, relative to the largest matrix.
const ROUNDING: f64 = 1e-12;

impl Line<'_> {
    fn mean(&self, i: usize, j: usize) -> Pair {
        Pair::default().plus(0.5, self.matrices[i]).plus(0.5, self.matrices[j])
    }

    fn is_surely_positive(&self) -> bool {
        let count = self.matrices.len();
        let least = |j: usize| {
            let mut sum = Pair::default().plus(self.weights[0], self.mean(j, j + 1));
            let room = ROUNDING * sum.largest();
            for (m, c) in (1..).zip(self.weights).filter(|(_, c)| **c < 0.0) {
                // The pairs (i, i + m) with i <= j < i + m.
                for i in (j + 1usize).saturating_sub(m)..=j.min(count - 1 - m) {
                    sum = sum.plus(m as f64 * c, self.mean(i, i + m));
                }
            }
            sum.smallest() + room
        };
        (0..count - 1).all(|j| least(j) >= 0.0)
    }

    /// An element of the operator of the line's own nodes; its rows are p and m of each node in turn.
    fn element(&self, row: usize, column: usize) -> f64 {
        let reach = self.weights.len();
        let (i, j) = (row / 2 + reach, column / 2 + reach);
        let block = match i - j {
            0 => (1..).zip(self.weights).fold(Pair::default(), |sum, (m, c)| {
                sum.plus(*c, self.mean(i, i + m)).plus(*c, self.mean(i, i - m))
            }),
            m if m <= reach => Pair::default().plus(-self.weights[m - 1], self.mean(i, j)),
            _ => Pair::default(),
        };
        match (row % 2, column % 2) {
            (0, 0) => block.p,
            (1, 1) => block.m,
            _ => block.cross,
        }
    }

    /// True if the operator of the line is positive definite: banded Cholesky factorisation.
    fn is_positive(&self) -> bool {
        let reach = self.weights.len();
        let (n, band) = (2 * (self.matrices.len() - 2 * reach), 2 * reach + 1);
        let scale = self.matrices.iter().fold(0.0, |most, of| of.largest().max(most));
        // factor[i][d] = F_(i, i - d).
        let mut factor = vec![vec![0.0; band + 1]; n];
        for i in 0..n {
            for d in (0..=band.min(i)).rev() {
                let k = i - d;
                let mut value = self.element(i, k);
                for j in i.saturating_sub(band).max(k.saturating_sub(band))..k {
                    value -= factor[i][i - j] * factor[k][k - j];
                }
                if d > 0 {
                    factor[i][d] = value / factor[k][0];
                } else if value > 1e-14 * scale * self.weights[0] {
                    factor[i][0] = value.sqrt();
                } else {
                    return false;
                }
            }
        }
        true
    }

    /// How much the matrices of a node and the next differ.
    fn jump(&self, i: usize) -> f64 {
        let [one, other] = [self.matrices[i], self.matrices[i + 1]];
        let apart = one.plus(-1.0, other);
        apart.largest().max(-apart.smallest()) / one.smallest().min(other.smallest())
    }
}

impl Vti {
    /// The jump of the coefficients that may let a wave grow, if there is one.
    pub fn jump(&self) -> Option<VtiJump> {
        [Axis::Z, Axis::X, Axis::Y].into_iter().find_map(|axis| self.jump_along(axis))
    }

    fn jump_along(&self, axis: Axis) -> Option<VtiJump> {
        let values = self.values().next()?;
        let weights = axis.of(self.operator());
        // Order 2: every term of the energy is positive, whatever the coefficients.
        if weights.iter().all(|c| *c > 0.0) {
            return None;
        }
        let inside = values.inside();
        let lines = Lines::new(values, axis);
        // A margin for f32.
        let harmless = (1.0 - 1e-6) * harmless_ratio(weights);
        let first = |n: usize| {
            let suspects = self.suspects(axis, &Beside::nth(axis, inside, n), harmless);
            suspects
                .into_iter()
                .find_map(|first| self.jump_of_line(axis, &lines, lines.from(first)))
        };
        (0..Beside::number(axis, inside)).into_par_iter().find_map_first(first)
    }

    /// The first nodes of the lines where the matrices of two neighbours have a larger ratio, from the model's first node.
    fn suspects(&self, axis: Axis, lines: &Beside, ratio: f64) -> Vec<Axes<usize>> {
        if axis == Axis::Z {
            let Axes { x, y, .. } = lines.first();
            let column = self.column_along(x, y);
            let is_larger = |pair: &[Pair]| {
                !(pair[0].is_within(ratio, pair[1]) && pair[1].is_within(ratio, pair[0]))
            };
            let any = column.windows(2).any(is_larger);
            return any.then(|| lines.first()).into_iter().collect();
        }
        let across = [Some(self.values_across()), self.buoyancies()];
        let mut suspects: Vec<_> = across
            .into_iter()
            .flatten()
            .flat_map(|values| lines.with_larger_ratio(values, ratio as f32))
            .collect();
        suspects.sort_by_key(|node| node.z);
        suspects.dedup();
        suspects
    }

    fn jump_of_line(&self, axis: Axis, lines: &Lines, line: usize) -> Option<VtiJump> {
        let weights = axis.of(self.operator());
        let (len, reach) = (lines.len(), weights.len());
        let is_free = axis == Axis::Z && self.free_surface();
        let mirrored = if is_free { len - 1 } else { 0 };
        // The fields above a free surface are the negative images of those below.
        let at = |i: usize| {
            let i = i as isize - reach as isize - mirrored as isize;
            let mut node = lines.node(line, 0).map(|i| i as isize);
            *axis.of_mut(&mut node) = if is_free { i.abs() } else { i };
            self.matrix(axis, node)
        };
        let all = len + mirrored + 2 * reach;
        let tested = Line { weights, matrices: (0..all).map(at).collect() };
        if tested.is_surely_positive() || tested.is_positive() {
            return None;
        }
        // The strongest jump of the line is the likely culprit.
        let pairs = reach + mirrored..all - reach - 1;
        let worst = pairs.max_by(|a, b| tested.jump(*a).total_cmp(&tested.jump(*b)))?;
        let at = worst - reach - mirrored;
        let nodes = [at, at + 1].map(|at| lines.in_model(line, at));
        Some(VtiJump { nodes, volume: lines.n.y > 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Matrices of random directions whose neighbours have a harmless ratio make a line that is surely positive; a larger
    /// ratio need not.
    #[test]
    fn lines_of_harmless_ratios_are_surely_positive() {
        let weights = [8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0];
        let ratio = harmless_ratio(&weights);
        let mut random = fastrand::Rng::with_seed(7);
        let mut line = |ratio: f64| {
            let mut matrices = Vec::<Pair>::new();
            while matrices.len() < 60 {
                // b (I - f n n'), as along the axis.
                let (b, f, angle) = (1.0 + random.f64(), 0.9 * random.f64(), 3.2 * random.f64());
                let (sin, cos) = angle.sin_cos();
                let next = Pair {
                    p: b * (1.0 - f * sin * sin),
                    cross: b * f * sin * cos,
                    m: b * (1.0 - f * cos * cos),
                };
                let fits =
                    |last: &Pair| next.is_within(ratio, *last) && last.is_within(ratio, next);
                if matrices.last().is_none_or(fits) {
                    matrices.push(next);
                }
            }
            Line { weights: &weights, matrices }.is_surely_positive()
        };
        assert!((0..50).all(|_| line(ratio)));
        assert!(!(0..50).all(|_| line(3.0 * ratio)));
    }
}
