//! Whether a density lets waves grow.
//!
//! In p the operator of [`super::density`] is `sum c_m w_i w_(i+m) (p_(i+m) - p_i)^2` over all pairs of
//! nodes of all lines of the grid. Some c_m are negative, and where w jumps strongly their terms can
//! win: then a field grows at any time step. Each line is tested alone, as a sum of positive
//! operators is positive.
//!
//! - Sufficient, by neighbours alone: [`harmless_ratio`]. Few lines of few models fail it.
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

/// The largest ratio r of w at neighbouring nodes that lets no wave grow, whatever the line:
/// `w_i w_(i+m) <= r^(m-1) w_j w_(j+1)` for i <= j < i + m, and there are m such i, so that
/// `sum m^2 |c_m| r^(m-1) <= c_1` over the m with c_m < 0 implies the condition of
/// [`Line::is_surely_positive`]. Below 1 if no ratio does, infinite if all do.
pub(super) fn harmless_ratio(weights: &[f64]) -> f64 {
    let against = |r: f64| -> f64 {
        let negative = (1..).zip(weights).filter(|(_, c)| **c < 0.0);
        negative.map(|(m, c)| f64::from(m * m) * -c * r.powi(m - 1)).sum()
    };
    if against(1.0) == 0.0 {
        return f64::INFINITY;
    }
    // Wide enough for order 4, which has the largest.
    let (mut below, mut above) = (0.0, 16.0);
    for _ in 0..50 {
        let middle = 0.5 * (below + above);
        if against(middle) <= weights[0] {
            below = middle;
        } else {
            above = middle;
        }
    }
    below
}

/// Lines of the grid along an axis that lie beside each other in memory.
pub(super) struct Beside {
    axis: Axis,
    /// The first node of the first line, from the model's first node.
    first: Axes<usize>,
    /// Lines, along z.
    count: usize,
}

impl Beside {
    /// Rows whose lines are read together: wide enough for whole cache lines, few enough for the caches.
    const ROWS: usize = 64;

    /// All lines along an axis, in the order in which their jumps are reported.
    pub(super) fn number(axis: Axis, inside: Axes<usize>) -> usize {
        let across = inside.z.div_ceil(Self::ROWS);
        match axis {
            Axis::Z => inside.x * inside.y,
            Axis::X => across * inside.y,
            Axis::Y => across * inside.x,
        }
    }

    pub(super) fn nth(axis: Axis, inside: Axes<usize>, n: usize) -> Self {
        let across = inside.z.div_ceil(Self::ROWS);
        let (z, other) = (n % across * Self::ROWS, n / across);
        let first = match axis {
            Axis::Z => Axes { z: 0, x: n % inside.x, y: n / inside.x },
            Axis::X => Axes { z, x: 0, y: other },
            Axis::Y => Axes { z, x: other, y: 0 },
        };
        let count = if axis == Axis::Z { 1 } else { Self::ROWS.min(inside.z - z) };
        Beside { axis, first, count }
    }

    /// The first node of the first line, from the model's first node.
    pub(super) fn first(&self) -> Axes<usize> {
        self.first
    }

    /// The first nodes of the lines where the values at two neighbours have a larger ratio, from the model's first node.
    pub(super) fn with_larger_ratio(&self, roots: &ModelValues, ratio: f32) -> Vec<Axes<usize>> {
        let Beside { axis, first, count } = *self;
        let is_larger = |one: f32, other: f32| one > ratio * other || other > ratio * one;
        let (before, inside) = (roots.before(), roots.inside());
        let column = |node: Axes<usize>| {
            let Axes { x, y, .. } = node.zip(before).map(|(i, before)| (i + before) as isize);
            &roots.nearest_column(x, y)[node.z..]
        };
        let mut found = vec![false; count];
        if axis == Axis::Z {
            found[0] = column(first).windows(2).any(|pair| is_larger(pair[0], pair[1]));
        } else {
            let at = |i: usize| {
                let mut node = first;
                *axis.of_mut(&mut node) = i;
                column(node)
            };
            for i in 1..*axis.of(&inside) {
                for ((found, one), other) in found.iter_mut().zip(at(i - 1)).zip(at(i)) {
                    *found |= is_larger(*one, *other);
                }
            }
        }
        let start = |(row, _)| Axes { z: first.z + row, ..first };
        found.into_iter().enumerate().filter(|(_, found)| *found).map(start).collect()
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

    /// Nodes of a line.
    pub(super) fn len(&self) -> usize {
        *self.axis.of(&self.n)
    }

    /// The line from a node of the model on.
    pub(super) fn from(&self, Axes { z, x, y }: Axes<usize>) -> usize {
        match self.axis {
            Axis::Z => y * self.inside.x + x,
            Axis::X => y * self.inside.z + z,
            Axis::Y => x * self.inside.z + z,
        }
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
        let inside = self.roots().inside();
        let weights = axis.of(self.operator());
        // A margin for f32.
        let harmless = (1.0 - 1e-6) * harmless_ratio(weights);
        let first = |n: usize| {
            let lines = Beside::nth(axis, inside, n);
            let mut lines = lines.with_larger_ratio(self.roots(), harmless as f32).into_iter();
            lines.find_map(|first| self.jump_of_line(axis, first))
        };
        (0..Beside::number(axis, inside)).into_par_iter().find_map_first(first)
    }

    /// The jump of a line from a node of the model on.
    fn jump_of_line(&self, axis: Axis, first: Axes<usize>) -> Option<Jump> {
        let roots = self.roots();
        let (inside, before, n) = (roots.inside(), roots.before(), roots.n());
        let weights = axis.of(self.operator());
        let node = |at: usize| {
            let mut node = first.zip(before).map(|(i, before)| i + before);
            *axis.of_mut(&mut node) = at;
            node
        };
        let (len, reach) = (*axis.of(&n), weights.len());
        let is_free = axis == Axis::Z && self.free_surface();
        let mirrored = if is_free { len - 1 } else { 0 };
        // The field above a free surface is the negative image of that below.
        let at = |i: usize| {
            let i = i as isize - reach as isize - mirrored as isize;
            let i = if is_free { i.unsigned_abs() } else { i.max(0) as usize };
            self.root(node(i.min(len - 1)))
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
        let in_model = |at: usize| {
            let within = |((i, before), inside): ((usize, usize), usize)| {
                i.saturating_sub(before).min(inside - 1)
            };
            node(at).zip(before).zip(inside).map(within)
        };
        let density = |i: usize| super::REFERENCE / tested.roots[i].powi(2);
        let densities = [density(worst), density(worst + 1)];
        Some(Jump { nodes: [in_model(at), in_model(at + 1)], densities, volume: n.y > 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At order 4 neighbours of w may differ by 4, which is 16 in density: `4 |c_2| r = c_1`. No line of
    /// smaller ratios fails the condition that this one stands for, and a valley of larger ones does.
    #[test]
    fn lines_of_harmless_ratios_are_surely_positive() {
        let of_order_4 = [4.0 / 3.0, -1.0 / 12.0];
        let of_order_8 = [8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0];
        assert_eq!(harmless_ratio(&[1.0]), f64::INFINITY);
        assert!((harmless_ratio(&of_order_4) - 4.0).abs() < 1e-6);
        let mut random = fastrand::Rng::with_seed(4);
        for weights in [&of_order_4[..], &of_order_8] {
            let ratio = harmless_ratio(weights);
            let is_sure = |steps: Vec<f64>| {
                let next = |w: &mut f64, step: f64| Some(std::mem::replace(w, *w * step));
                let roots = steps.into_iter().scan(1.0, next).collect();
                Line { weights, roots }.is_surely_positive()
            };
            let mut line = || -> Vec<f64> {
                (0..60)
                    .map(|_| if random.bool() { 0.999 * ratio } else { 1.0 / (0.999 * ratio) })
                    .collect()
            };
            assert!((0..50).all(|_| is_sure(line())), "{ratio}");
            let valley = |ratio: f64| (-20..20).map(|i| ratio.powi(i32::signum(i))).collect();
            assert!(is_sure(valley(0.999 * ratio)), "{ratio}");
            assert!(!is_sure(valley(1.001 * ratio)), "{ratio}");
        }
    }
}
