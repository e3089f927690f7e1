//! The nodes among which a focus is looked for: not those near a receiver, where the field that is sent back is at
//! its strongest.

use crate::grid::{Axes, Grid, Position};
use ndarray::Array3;

/// Nodes of the model that are left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    /// Shape `[y][x][z]`.
    out: Array3<bool>,
}

impl Mask {
    /// Leaves out what is nearer than `radius` metres to a receiver; nothing where that is 0.
    pub fn new(grid: &Grid, receivers: &[Position], radius: f64) -> Self {
        let mut out = Array3::from_elem(grid.shape(), false);
        for receiver in receivers.iter().filter(|_| radius > 0.0) {
            let near = |at: f64, h: f64, n: usize| {
                let first = ((at - radius) / h).ceil().max(0.0) as usize;
                let last = ((at + radius) / h).floor().max(-1.0) as isize;
                first..(last + 1).clamp(0, n as isize) as usize
            };
            let Axes { z: hz, x: hx, y: hy } = grid.h;
            let planes = if grid.is_volume() { near(receiver.y, hy, grid.n.y) } else { 0..1 };
            for y in planes {
                let dy = if grid.is_volume() { y as f64 * hy - receiver.y } else { 0.0 };
                for x in near(receiver.x, hx, grid.n.x) {
                    let dx = x as f64 * hx - receiver.x;
                    for z in near(receiver.z, hz, grid.n.z) {
                        let dz = z as f64 * hz - receiver.z;
                        out[[y, x, z]] |= dx * dx + dy * dy + dz * dz < radius * radius;
                    }
                }
            }
        }
        Mask { out }
    }

    /// Whether a node is left out.
    pub fn leaves_out(&self, node: (usize, usize, usize)) -> bool {
        self.out[node]
    }

    /// Extents `[y][x][z]` of the model that it is of.
    pub fn shape(&self) -> (usize, usize, usize) {
        self.out.dim()
    }

    /// How many nodes are left.
    pub fn nodes_left(&self) -> usize {
        self.out.iter().filter(|out| !**out).count()
    }

    /// A bit a node in the order `[y][x][z]`, the first the lowest, set where it is left out.
    pub(crate) fn bits(&self) -> Vec<u32> {
        let out: Vec<bool> = self.out.iter().copied().collect();
        let word =
            |bits: &[bool]| bits.iter().rev().fold(0, |word, out| word << 1 | u32::from(*out));
        out.chunks(32).map(word).collect()
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
        for ((y, x, z), _) in Array3::<u8>::zeros(grid.shape()).indexed_iter() {
            let near = receivers
                .iter()
                .any(|r| (10.0 * x as f64 - r.x).hypot(5.0 * z as f64 - r.z) < 22.0);
            assert_eq!(mask.leaves_out((y, x, z)), near, "{x} {z}");
        }
        assert_eq!(Mask::new(&grid, &receivers, 0.0).nodes_left(), 600);
        assert!(mask.nodes_left() < 600);
        let bits = mask.bits();
        assert_eq!(bits.len(), 600usize.div_ceil(32));
        for (i, ((y, x, z), _)) in Array3::<u8>::zeros(grid.shape()).indexed_iter().enumerate() {
            assert_eq!(bits[i / 32] >> (i % 32) & 1 == 1, mask.leaves_out((y, x, z)));
        }
    }
}
