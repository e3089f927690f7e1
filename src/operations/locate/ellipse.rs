//! The size of a focus.

use crate::{
    engine::FocusMap,
    grid::{Axes, Grid},
    plan::Mask,
};
use serde::Serialize;
use std::collections::HashSet;

/// The ellipse, in a volume the ellipsoid, with the second moments M of the nodes around a peak at
/// which the map exceeds half of it: d lies in it if d^T M^-1 d < 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Ellipse {
    /// Half of its extent along each axis, m: the square roots of M's diagonal.
    pub half: Axes<f64>,
    /// Off-diagonal element of M, m^2.
    pub(crate) zx: f64,
    /// Off-diagonal element of M, m^2.
    pub(crate) zy: f64,
    /// Off-diagonal element of M, m^2.
    pub(crate) xy: f64,
}

/// A focus is the region above this fraction of its peak.
const HALF: f32 = 0.5;

impl Ellipse {
    /// The ellipse around a peak at a node, as far as `reach` metres.
    pub(super) fn around(
        map: &FocusMap,
        grid: &Grid,
        mask: &Mask,
        node: (usize, usize, usize),
        reach: f64,
    ) -> (Self, HashSet<(usize, usize, usize)>) {
        let nodes = above_half(map, grid, mask, node, reach);
        let place = |(y, x, z): (usize, usize, usize)| {
            [z as f64 * grid.h.z, x as f64 * grid.h.x, y as f64 * grid.h.y]
        };
        // In a fixed order, so that sums are the same in every run.
        let mut all: Vec<_> = nodes.iter().copied().collect();
        all.sort_unstable();
        let count = all.len() as f64;
        let mut middle = [0.0; 3];
        for node in &all {
            for (sum, at) in middle.iter_mut().zip(place(*node)) {
                *sum += at / count;
            }
        }
        let moment = |a: usize, b: usize| {
            let of = |node| (place(node)[a] - middle[a]) * (place(node)[b] - middle[b]);
            all.iter().map(|node| of(*node)).sum::<f64>() / count
        };
        // An ellipse's second moment along an axis is a quarter of its half axis squared, an
        // ellipsoid's a fifth; a node is a cell.
        let axes = if grid.is_volume() { 5.0 } else { 4.0 };
        let half = |axis: usize, h: f64| (axes * (moment(axis, axis) + h * h / 12.0)).sqrt();
        let y = if grid.is_volume() { half(2, grid.h.y) } else { 0.0 };
        let ellipse = Ellipse {
            half: Axes { z: half(0, grid.h.z), x: half(1, grid.h.x), y },
            zx: axes * moment(0, 1),
            zy: axes * moment(0, 2),
            xy: axes * moment(1, 2),
        };
        (ellipse, nodes)
    }
}

/// The nodes above half of a peak that are connected with it.
fn above_half(
    map: &FocusMap,
    grid: &Grid,
    mask: &Mask,
    node: (usize, usize, usize),
    reach: f64,
) -> HashSet<(usize, usize, usize)> {
    let of = |node: (usize, usize, usize)| map.largest[node] * mask.weight(node);
    let floor = HALF * of(node);
    let (ny, nx, nz) = map.largest.dim();
    let near = |i: usize, n: usize| i.saturating_sub(1)..(i + 2).min(n);
    let far = |(y, x, z): (usize, usize, usize)| {
        let d = |a: usize, b: usize, h: f64| a.abs_diff(b) as f64 * h;
        let (y, x) = (d(y, node.0, grid.h.y), d(x, node.1, grid.h.x));
        y.hypot(x).hypot(d(z, node.2, grid.h.z)) > reach
    };
    let (mut seen, mut next) = (HashSet::from([node]), vec![node]);
    while let Some((y, x, z)) = next.pop() {
        for y in near(y, ny) {
            for x in near(x, nx) {
                for z in near(z, nz) {
                    let node = (y, x, z);
                    if of(node) >= floor
                        && !mask.leaves_out(node)
                        && !far(node)
                        && seen.insert(node)
                    {
                        next.push(node);
                    }
                }
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Position;
    use ndarray::Array3;

    /// d^T M^-1 d at a displacement from its centre, in the plane of z and x: below 1 inside.
    fn within(ellipse: &Ellipse, d: Position) -> f64 {
        let Ellipse { half, zx, .. } = ellipse;
        let (zz, xx) = (half.z.powi(2), half.x.powi(2));
        (d.z * d.z * xx - 2.0 * d.z * d.x * zx + d.x * d.x * zz) / (zz * xx - zx * zx)
    }

    /// The ellipse of a bell that is longer along a slope has the bell's axes at half height.
    #[test]
    fn an_ellipse_has_the_axes_of_the_bell_that_it_is_of() {
        let grid = Grid::plane(81, 81, 5.0, 5.0).expect("a grid");
        let (long, short, turn) = (80.0, 30.0, 0.5f64);
        let value = |(_, x, z): (usize, usize, usize)| {
            let (x, z) = (5.0 * x as f64 - 200.0, 5.0 * z as f64 - 200.0);
            let along = (x * turn.cos() + z * turn.sin()) / long;
            let across = (z * turn.cos() - x * turn.sin()) / short;
            0.5f64.powf(along * along + across * across) as f32
        };
        let map = FocusMap {
            set: 0,
            largest: Array3::from_shape_fn(grid.shape(), value),
            step: Array3::zeros(grid.shape()),
        };
        let mask = Mask::new(&grid, &[], 0.0);
        let (ellipse, nodes) = Ellipse::around(&map, &grid, &mask, (0, 40, 40), 1e3);
        let at = |r: f64, angle: f64| Axes::xz(r * angle.cos(), r * angle.sin());
        assert!((within(&ellipse, at(long, turn)) - 1.0).abs() < 0.05, "{ellipse:?}");
        let across = turn + std::f64::consts::FRAC_PI_2;
        assert!((within(&ellipse, at(short, across)) - 1.0).abs() < 0.05, "{ellipse:?}");
        let area = nodes.len() as f64 * 25.0 / (std::f64::consts::PI * long * short);
        assert!((area - 1.0).abs() < 0.03, "{area}");
        let cut = Ellipse::around(&map, &grid, &mask, (0, 40, 40), 40.0).0;
        assert!(cut.half.x < 45.0, "{cut:?}");
    }
}
