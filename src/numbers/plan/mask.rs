//! The nodes that are admitted as a focus, and their weights. Nodes near a receiver are excluded,
//! where the field that is sent back is strongest.

use crate::grid::{Axes, Grid, Position};
use ndarray::Array3;

/// Excluded nodes of the model, and the weight of each node.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    /// The factors of a map, above 0; negative for excluded nodes. Shape `[y][x][z]`.
    weight: Array3<f32>,
}

impl Mask {
    /// Excludes nodes within `radius` metres of a receiver; none if it is 0. All weights are 1.
    pub fn new(grid: &Grid, receivers: &[Position], radius: f64) -> Self {
        let mut weight = Array3::from_elem(grid.shape(), 1.0);
        for receiver in receivers.iter().filter(|_| radius > 0.0) {
            // A radius may exceed the range of indices.
            let near = |at: f64, h: f64, n: usize| {
                let first = ((at - radius) / h).ceil().clamp(0.0, n as f64);
                let last = ((at + radius) / h).floor().clamp(-1.0, n as f64 - 1.0);
                first as usize..(last + 1.0) as usize
            };
            let Axes { z: hz, x: hx, y: hy } = grid.h;
            let planes = if grid.is_volume() { near(receiver.y, hy, grid.n.y) } else { 0..1 };
            for y in planes {
                let dy = if grid.is_volume() { y as f64 * hy - receiver.y } else { 0.0 };
                for x in near(receiver.x, hx, grid.n.x) {
                    let dx = x as f64 * hx - receiver.x;
                    for z in near(receiver.z, hz, grid.n.z) {
                        let dz = z as f64 * hz - receiver.z;
                        if dx.hypot(dy).hypot(dz) < radius {
                            weight[[y, x, z]] = -1.0;
                        }
                    }
                }
            }
        }
        Mask { weight }
    }

    /// Sets the weights, shape `[y][x][z]`, above 0.
    #[must_use]
    pub fn weighed(mut self, weight: &Array3<f32>) -> Self {
        self.weight.zip_mut_with(weight, |weight, given| *weight = weight.signum() * given);
        self
    }

    /// True if a node is excluded.
    pub fn leaves_out(&self, node: (usize, usize, usize)) -> bool {
        self.weight[node] < 0.0
    }

    /// The weight of a node, excluded or not.
    pub fn weight(&self, node: (usize, usize, usize)) -> f32 {
        self.weight[node].abs()
    }

    /// Its shape `[y][x][z]`, that of the model.
    pub(crate) fn shape(&self) -> (usize, usize, usize) {
        self.weight.dim()
    }

    /// Number of admitted nodes.
    pub fn nodes_left(&self) -> usize {
        self.weight.iter().filter(|weight| **weight > 0.0).count()
    }

    /// The weights in the order `[y][x][z]`, negative for excluded nodes.
    pub fn weights(&self) -> Vec<f32> {
        self.weight.iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_near_a_receiver_are_left_out_and_no_others() {
        let grid = Grid::plane(30, 20, 10.0, 5.0).expect("a grid");
        let receivers = [Axes::xz(103.0, 0.0), Axes::xz(250.0, 40.0)];
        let mask = Mask::new(&grid, &receivers, 22.0);
        for node in grid.nodes() {
            let at = Axes::xz(10.0 * node.x as f64, 5.0 * node.z as f64);
            let near = receivers.iter().any(|receiver| receiver.distance(&at) < 22.0);
            assert_eq!(mask.leaves_out((node.y, node.x, node.z)), near, "{node:?}");
        }
        assert_eq!(Mask::new(&grid, &receivers, 0.0).nodes_left(), 600);
        // No model is as large.
        for radius in [1e4, 1e19, 1e150, 1e200, f64::MAX] {
            assert_eq!(Mask::new(&grid, &receivers, radius).nodes_left(), 0, "{radius}");
        }
        let half = mask.clone().weighed(&Array3::from_elem(grid.shape(), 0.5));
        assert_eq!(half.nodes_left(), mask.nodes_left());
        assert!(half.weights().iter().zip(mask.weights()).all(|(half, all)| *half == 0.5 * all));
    }

    #[test]
    fn a_node_at_the_radius_is_admitted() {
        let grid = Grid::plane(30, 20, 10.0, 10.0).expect("a grid");
        let mask = Mask::new(&grid, &[Axes::xz(100.0, 0.0)], 20.0);
        let excluded = (0..30).filter(|x| mask.leaves_out((0, *x, 0)));
        assert_eq!(excluded.collect::<Vec<_>>(), [9, 10, 11]);
    }
}
