//! The results of a focus tap: a map for each set of shots, or its summary.

use crate::plan::Mask;
use ndarray::Array3;
use rayon::prelude::*;

/// The largest value of the field, or of the product of a set of shots' fields, at each node of the
/// model, as [`crate::plan::Focus`] defines it.
#[derive(Clone, Debug, PartialEq)]
pub struct FocusMap {
    /// Index of the set of shots in the batch; of the shot, if sets are single shots.
    pub set: usize,
    /// |p|, or its square summed over a window; shape `[y][x][z]`, without absorbing layers.
    pub largest: Array3<f32>,
    /// The step of the largest value, the middle of its window.
    pub step: Array3<u32>,
}

/// A map, weighted by a mask where the mask admits nodes, reduced to its summit and measures of its
/// sharpness.
#[derive(Clone, Debug, PartialEq)]
pub struct FocusSummary {
    /// Index of the set of shots in the batch.
    pub set: usize,
    /// The largest value.
    pub largest: f32,
    /// The mean of (value / largest)^2; 0 for a map of zeros.
    pub square: f64,
    /// The mean of (value / largest)^4; 0 for a map of zeros.
    pub fourth: f64,
    /// The highest summit, if the map has one.
    pub summit: Option<Summit>,
}

/// A node that no neighbour exceeds, with at least one lower neighbour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summit {
    /// Index in `[y][x][z]`.
    pub node: (usize, usize, usize),
    /// Its value, above 0.
    pub value: f32,
    /// The step of the largest value there.
    pub step: u32,
    /// The values before and after it along z, x and y; `None` beyond the model.
    pub beside: [[Option<f32>; 2]; 3],
}

impl FocusMap {
    /// Multiplies the map by the weights of a mask, admitted or not.
    #[must_use]
    pub fn weighed(mut self, mask: &Mask) -> Self {
        for (node, value) in self.largest.indexed_iter_mut() {
            *value *= mask.weight(node);
        }
        self
    }

    /// The summary of the map.
    pub fn summary(&self, mask: &Mask) -> FocusSummary {
        let (planes, columns, _) = self.largest.dim();
        // Collected before merging, so that sums are the same in every run.
        let parts: Vec<Part> = (0..planes * columns)
            .into_par_iter()
            .map(|column| self.of_column(column / columns, column % columns, mask))
            .collect();
        Part::all(parts).summary(self.set, mask.nodes_left())
    }

    /// The summary of a column. The twin of `shaders/summary.wgsl`, whose parts are blocks.
    fn of_column(&self, y: usize, x: usize, mask: &Mask) -> Part {
        let nz = self.largest.dim().2;
        let left = |z: &usize| !mask.leaves_out((y, x, *z));
        let value = |z: usize| self.largest[[y, x, z]] * mask.weight((y, x, z));
        let largest = (0..nz).filter(left).map(value).fold(0.0, f32::max);
        let most = f64::from(largest).max(f64::MIN_POSITIVE);
        let scaled = |z: usize| (f64::from(value(z)) / most).powi(2);
        let squares = (0..nz).filter(left).map(scaled);
        let (square, fourth) = squares.fold((0.0, 0.0), |(s, f), v| (s + v, f + v * v));
        let mut summit: Option<usize> = None;
        for z in (0..nz).filter(left) {
            let higher = summit.map_or(0.0, value) < value(z);
            if higher && self.is_summit((y, x, z), mask) {
                summit = Some(z);
            }
        }
        Part { largest, square, fourth, summit: summit.map(|z| self.summit((y, x, z), mask)) }
    }

    /// True if no neighbour is larger and at least one is smaller.
    pub fn is_summit(&self, (y, x, z): (usize, usize, usize), mask: &Mask) -> bool {
        let (ny, nx, nz) = self.largest.dim();
        let near = |i: usize, n: usize| i.saturating_sub(1)..(i + 2).min(n);
        let of = |node: (usize, usize, usize)| self.largest[node] * mask.weight(node);
        let value = of((y, x, z));
        let neighbours = near(y, ny)
            .flat_map(|y| near(x, nx).map(move |x| (y, x)))
            .flat_map(|(y, x)| near(z, nz).map(move |z| (y, x, z)))
            .map(of);
        neighbours.clone().all(|v| v <= value) && neighbours.clone().any(|v| v < value)
    }

    /// A node as a summit.
    pub fn summit(&self, node: (usize, usize, usize), mask: &Mask) -> Summit {
        let of = |node: (usize, usize, usize)| {
            self.largest.get(node).map(|value| value * mask.weight(node))
        };
        let (y, x, z) = node;
        let at = |axis: usize, shift: isize| {
            let mut node = [y, x, z];
            node[axis] = node[axis].checked_add_signed(shift)?;
            of((node[0], node[1], node[2]))
        };
        let beside = [2, 1, 0].map(|axis| [at(axis, -1), at(axis, 1)]);
        let value = self.largest[node] * mask.weight(node);
        Summit { node, value, step: self.step[node], beside }
    }
}

/// The summary of some nodes of a map; of no nodes by default.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Part {
    /// The largest value.
    pub(crate) largest: f32,
    /// Sums of (value / largest)^2 and of its square.
    pub(crate) square: f64,
    pub(crate) fourth: f64,
    /// The highest summit, the first among equals.
    pub(crate) summit: Option<Summit>,
}

impl Part {
    /// Merges all parts of a map.
    pub(crate) fn all(parts: impl IntoIterator<Item = Part>) -> Part {
        parts.into_iter().fold(Part::default(), Part::joined)
    }

    fn joined(self, other: Part) -> Part {
        let largest = self.largest.max(other.largest);
        let scale = |part: &Part| match largest > 0.0 {
            true => (f64::from(part.largest) / f64::from(largest)).powi(2),
            false => 0.0,
        };
        let (a, b) = (scale(&self), scale(&other));
        let summit = match (self.summit, other.summit) {
            (Some(a), Some(b)) => {
                let first = (b.value, a.node) <= (a.value, b.node);
                Some(if first { a } else { b })
            }
            (a, b) => a.or(b),
        };
        Part {
            largest,
            square: a * self.square + b * other.square,
            fourth: a * a * self.fourth + b * b * other.fourth,
            summit,
        }
    }

    /// The summary of a map with `nodes` admitted nodes.
    pub(crate) fn summary(self, set: usize, nodes: usize) -> FocusSummary {
        let mean = |sum: f64| if nodes > 0 { sum / nodes as f64 } else { 0.0 };
        let Part { largest, square, fourth, summit } = self;
        FocusSummary { set, largest, square: mean(square), fourth: mean(fourth), summit }
    }
}
