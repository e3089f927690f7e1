//! Strength of the recording of each place by its distance from the receivers: the reference for a
//! field that runs backward.
//!
//! Time reversal gives the correlation of the recording with the traces of a source at x, p(x) =
//! sum_r int u_r(t) G(x, r, t) dt. Its maximum is not at the best fit of the waveforms but nearer
//! to the receivers, where G is larger. Divided by the norm of G it is the correlation coefficient,
//! which is largest at the true place: G^2 ~ c / |x - r| in a plane and 1 / |x - r|^2 in a volume,
//! as rays spread.

use crate::grid::{Axes, Grid, Position};
use ndarray::Array3;
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Most distances computed; beyond it a coarser grid is interpolated.
const MOST: f64 = 2e8;

/// Weights at each node for the map of a field sent back from `groups` sets of receivers, shape
/// `[y][x][z]`, at most 1: 1 / sqrt(sum_r 1 / |x - r|^(d-1)) in d dimensions, the geometric mean of
/// the groups'; nearer to a receiver than `wavelength` / 2 pi waves spread no more.
pub fn weights(grid: &Grid, receivers: &[Position], groups: usize, wavelength: f64) -> Array3<f32> {
    if receivers.is_empty() {
        return Array3::from_elem(grid.shape(), 1.0);
    }
    let Axes { z: nz, x: nx, y: ny } = grid.n;
    let volume = grid.is_volume();
    let axes = if volume { 3.0 } else { 2.0 };
    let pairs = grid.cells() as f64 * receivers.len() as f64;
    let stride = (pairs / MOST).powf(1.0 / axes).ceil().max(1.0) as usize;
    let near = (wavelength / TAU).powi(2);
    let (count, groups) = (receivers.len(), groups.clamp(1, receivers.len()));
    let spread = |at: Position, receivers: &[Position]| -> f64 {
        let heard = |r: &Position| {
            let dy = if volume { at.y - r.y } else { 0.0 };
            let square = (at.z - r.z).powi(2) + (at.x - r.x).powi(2) + dy * dy + near;
            if volume { 1.0 / square } else { 1.0 / square.sqrt() }
        };
        receivers.iter().map(heard).sum()
    };
    let log = |at: Position| -> f64 {
        let group = |g: usize| &receivers[g * count / groups..(g + 1) * count / groups];
        let sum: f64 = (0..groups).map(|g| spread(at, group(g)).ln()).sum();
        -0.5 * sum / groups as f64
    };
    let log = &log;
    let coarse = |n: usize| if n > 1 { (n - 1).div_ceil(stride) + 1 } else { 1 };
    let (cz, cx, cy) = (coarse(nz), coarse(nx), coarse(ny));
    let place = |i: usize, h: f64| (i * stride) as f64 * h;
    let logs: Vec<f64> = (0..cy * cx)
        .into_par_iter()
        .flat_map_iter(|column| {
            let (x, y) = (place(column % cx, grid.h.x), place(column / cx, grid.h.y));
            (0..cz).map(move |z| log(Axes { z: place(z, grid.h.z), x, y }))
        })
        .collect();
    // Interpolate its logarithm between the nodes of the coarser grid.
    let part = |i: usize, n: usize| {
        let first = (i / stride).min(n.saturating_sub(2));
        let share = (i - first * stride) as f64 / stride as f64;
        [(first, 1.0 - share), ((first + 1).min(n - 1), share)]
    };
    let all = Array3::from_shape_fn(grid.shape(), |(y, x, z)| {
        let mut log = 0.0;
        for (y, a) in part(y, cy) {
            for (x, b) in part(x, cx) {
                for (z, c) in part(z, cz) {
                    log += a * b * c * logs[(y * cx + x) * cz + z];
                }
            }
        }
        log
    });
    let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    all.mapv(|log| (log - most).exp() as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_twice_as_far_from_one_receiver_counts_as_rays_spread() {
        let at = [Axes { z: 0.0, x: 0.0, y: 0.0 }];
        let plane = Grid::plane(101, 3, 10.0, 10.0).expect("a grid");
        let weights = weights(&plane, &at, 1, 1e-3);
        let of = |x: usize| f64::from(weights[[0, x, 0]]);
        assert!((of(80) / of(40) - 2f64.sqrt()).abs() < 1e-5, "{}", of(80) / of(40));
        let n = Axes { z: 3, x: 101, y: 3 };
        let volume = Grid::volume(n, Axes { z: 10.0, x: 10.0, y: 10.0 }).expect("a grid");
        let weights = super::weights(&volume, &at, 1, 1e-3);
        assert!((weights[[0, 80, 0]] / weights[[0, 40, 0]] - 2.0).abs() < 1e-5);
        assert!(weights.iter().all(|weight| *weight > 0.0 && *weight <= 1.0));
    }

    /// The weights are the same if not every distance is computed.
    #[test]
    fn a_coarser_grid_is_filled_in() {
        let grid = Grid::plane(301, 201, 10.0, 10.0).expect("a grid");
        let few: Vec<Position> = (0..30).map(|i| Axes::xz(100.0 * f64::from(i), 0.0)).collect();
        let many: Vec<Position> = few.iter().flat_map(|at| [*at; 1000]).collect();
        let (few, many) = (weights(&grid, &few, 1, 100.0), weights(&grid, &many, 1, 100.0));
        let far = |(_, _, z): (usize, usize, usize)| z >= 20;
        for ((node, few), many) in few.indexed_iter().zip(&many).filter(|((node, _), _)| far(*node))
        {
            assert!((few / many - 1.0).abs() < 0.02, "{node:?}: {few} {many}");
        }
    }
}
