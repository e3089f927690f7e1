//! Steps of explicit time evolution with plain loops, the twin of `shaders/ladder_ete/`: by a
//! table's rows, and by two terms.
//!
//! ```text
//! p_next = 2 sum_j c_j(v) p(x + dx_j) - p_prev
//! p_next = 2 p - p_prev + m (L p + m B p),   m = (v dt)^2
//! ```
//!
//! Arrays are `[y][x][z]`, and zero outside.

use crate::{
    grid::Axes,
    stencil::ete::{Evolution, Points, RADIUS},
};
use ndarray::Array3;
use num_traits::{AsPrimitive, Float};

/// The value at an offset in cells; 0 outside.
fn at<T: Float>(p: &Array3<T>, node: Axes<usize>, [z, x, y]: [isize; 3]) -> T {
    let moved = |i: usize, by: isize| i.checked_add_signed(by);
    let place = (moved(node.y, y), moved(node.x, x), moved(node.z, z));
    let (Some(y), Some(x), Some(z)) = place else { return T::zero() };
    p.get((y, x, z)).copied().unwrap_or(T::zero())
}

/// Sums over the points at distance j: along z, x and y, and on the diagonals of zx, xy and yz.
fn sums<T: Float>(p: &Array3<T>, node: Axes<usize>, j: usize) -> [T; 6] {
    let j = j as isize;
    let axis = |one: [isize; 3]| {
        let back = one.map(|by| -by);
        at(p, node, one) + at(p, node, back)
    };
    let plane = |one: [isize; 3], other: [isize; 3]| axis(one) + axis(other);
    [
        axis([j, 0, 0]),
        axis([0, j, 0]),
        axis([0, 0, j]),
        plane([j, j, 0], [j, -j, 0]),
        plane([0, j, j], [0, j, -j]),
        plane([j, 0, j], [j, 0, -j]),
    ]
}

/// Replaces p_prev by p_next, which `next` computes from a node and its p.
fn stepped<T: Float>(p: &Array3<T>, before: &mut Array3<T>, next: impl Fn(Axes<usize>, T) -> T) {
    for ((y, x, z), value) in before.indexed_iter_mut() {
        let node = Axes { z, x, y };
        *value = next(node, p[[y, x, z]]) - *value;
    }
}

/// A step by each node's row of a table ([`crate::stencil::ete::Table::row`]).
pub fn by_rows<'r, T>(
    p: &Array3<T>,
    before: &mut Array3<T>,
    points: Points,
    row: impl Fn(Axes<usize>) -> &'r [f64],
) where
    T: Float + 'static,
    f64: AsPrimitive<T>,
{
    let far = points.diagonal();
    stepped(p, before, |node, centre| {
        let row = row(node);
        let c = |j: usize| -> T { row[j].as_() };
        let mut sum = c(0) * centre;
        for j in 1..=RADIUS {
            let [z, x, y, zx, xy, yz] = sums(p, node, j);
            sum = sum + c(j) * z + c(RADIUS + j) * (x + y);
            if j <= far {
                sum = sum + c(2 * RADIUS + j) * (zx + yz) + c(2 * RADIUS + far + j) * xy;
            }
        }
        sum + sum
    });
}

/// A step by the two terms, with m of each node in m^2.
pub fn by_terms<T>(
    p: &Array3<T>,
    before: &mut Array3<T>,
    evolution: &Evolution,
    m: impl Fn(Axes<usize>) -> f64,
) where
    T: Float + 'static,
    f64: AsPrimitive<T>,
{
    let Evolution { axes, fourth } = evolution;
    let (star, diagonal) = (&fourth.star, &fourth.diagonal);
    let all = [&diagonal.zx, &diagonal.xy, &diagonal.yz];
    let total = |of: Axes<f64>| of.z + of.x + of.y;
    let second = total(axes.each().map(|axis| axis.second[0]));
    let middle = total(star.each().map(|b| b[0])) + all.iter().map(|d| d[0]).sum::<f64>();
    stepped(p, before, |node, centre| {
        // f64 up to the weight of each point, which an f32 field then uses rounded.
        let m = m(node);
        let weight = |second: f64, fourth: f64| -> T { (m * (second + m * fourth)).as_() };
        let mut sum = weight(second, middle) * centre;
        for j in 1..=RADIUS {
            let [z, x, y, zx, xy, yz] = sums(p, node, j);
            sum = sum + weight(axes.z.second[j], star.z[j]) * z;
            sum = sum + weight(axes.x.second[j], star.x[j]) * x;
            sum = sum + weight(axes.y.second[j], star.y[j]) * y;
            for (d, p) in all.iter().zip([zx, xy, yz]) {
                sum = sum + weight(0.0, d.get(j).copied().unwrap_or(0.0)) * p;
            }
        }
        centre + centre + sum
    });
}
