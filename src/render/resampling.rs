//! Arrays resampled to the pixels of a panel.
//!
//! Both directions are resampled with precomputed weights: interpolated between nodes where pixels
//! are finer, averaged over all nodes of a pixel where they are coarser, to avoid aliasing. A value
//! that is not finite spreads to every pixel it contributes to, and is visible there.

use ndarray::{Array2, ArrayView2};

/// The resampling kernel.
#[derive(Clone, Copy)]
pub(super) enum Kernel {
    /// Nearest node: each fills its cell, half way to its neighbours.
    Cell,
    /// Linear interpolation.
    Linear,
    /// Catmull-Rom cubic interpolation, which keeps circles round.
    Cubic,
}

/// For each pixel along one direction, its nodes with their weights.
pub(super) struct PixelWeights(Vec<Vec<(usize, f32)>>);

impl PixelWeights {
    /// `pixels` pixels over `nodes` nodes, the first and the last node at the ends of the panel.
    pub(super) fn even(nodes: usize, pixels: usize, kernel: Kernel) -> Self {
        let step = nodes.saturating_sub(1) as f64 / pixels.max(1) as f64;
        let edges: Vec<f64> = (0..=pixels).map(|k| k as f64 * step).collect();
        Self::between(&edges, nodes, kernel)
    }

    /// Pixels between the given edges, as positions in the array (0 at the first node, 1 at the
    /// second).
    pub(super) fn between(edges: &[f64], nodes: usize, kernel: Kernel) -> Self {
        let pixel = |edges: &[f64]| match *edges {
            [a, b] => weights(a.min(b), a.max(b), nodes, kernel),
            _ => Vec::new(),
        };
        Self(edges.windows(2).map(pixel).collect())
    }
}

/// Weights of the nodes in a pixel from `low` to `high`.
fn weights(low: f64, high: f64, nodes: usize, kernel: Kernel) -> Vec<(usize, f32)> {
    let last = nodes.saturating_sub(1);
    let held = |node: f64| (node.max(0.0) as usize).min(last);
    let (centre, width) = ((low + high) / 2.0, (high - low).max(1.0));
    let reach = match kernel {
        Kernel::Cell => (high - low) / 2.0 + 0.5,
        Kernel::Linear => width,
        Kernel::Cubic => 2.0 * width,
    };
    let (first, end) = ((centre - reach).ceil(), (centre + reach).floor());
    let mut taps = Vec::new();
    let mut node = first;
    while node <= end {
        let weight = match kernel {
            Kernel::Cell => (high.min(node + 0.5) - low.max(node - 0.5)).max(0.0),
            Kernel::Linear => 1.0 - ((node - centre) / width).abs(),
            Kernel::Cubic => catmull_rom((node - centre) / width),
        };
        if weight != 0.0 {
            taps.push((held(node), weight));
        }
        node += 1.0;
    }
    let sum: f64 = taps.iter().map(|(_, weight)| weight).sum();
    if sum > 0.0 {
        let part = |(node, weight)| (node, (weight / sum) as f32);
        taps.into_iter().map(part).collect()
    } else {
        vec![(held(centre.round()), 1.0)]
    }
}

/// The Catmull-Rom cubic at a distance from its centre.
fn catmull_rom(distance: f64) -> f64 {
    let d = distance.abs();
    if d < 1.0 {
        (1.5 * d - 2.5) * d * d + 1.0
    } else if d < 2.0 {
        ((2.5 - 0.5 * d) * d - 4.0) * d + 2.0
    } else {
        0.0
    }
}

/// Values [across][down] resampled to pixels [down][across], row by row in memory.
pub(super) fn resample(
    values: ArrayView2<'_, f32>,
    across: &PixelWeights,
    down: &PixelWeights,
) -> Array2<f32> {
    if across_first(values.dim().into(), [across.0.len(), down.0.len()]) {
        let columns = combined(values, across);
        return combined(transposed(&columns).view(), down);
    }
    let lines = combined(values.t().as_standard_layout().view(), down);
    transposed(&combined(transposed(&lines).view(), across))
}

/// Values [across][down] resampled to a whole panel, the outermost nodes at its edges.
pub(super) fn fill(
    values: ArrayView2<'_, f32>,
    width: usize,
    height: usize,
    kernel: Kernel,
) -> Array2<f32> {
    let (across, down) = values.dim();
    resample(
        values,
        &PixelWeights::even(across, width, kernel),
        &PixelWeights::even(down, height, kernel),
    )
}

/// True if resampling across first leaves the smaller intermediate array: a few traces of a million
/// samples would become a thousand columns of them.
fn across_first([wide, deep]: [usize; 2], [width, height]: [usize; 2]) -> bool {
    width * deep <= wide * height
}

/// A transposed copy, made in strips that caches hold.
fn transposed(values: &Array2<f32>) -> Array2<f32> {
    const STRIP: usize = 16;
    let (rows, columns) = values.dim();
    let from = values.as_slice().expect("its rows lie one after the other");
    let mut turned = vec![0.0; from.len()];
    for first in (0..rows).step_by(STRIP) {
        let end = (first + STRIP).min(rows);
        for x in 0..columns {
            let column = turned[x * rows + first..x * rows + end].iter_mut();
            column.zip(first..end).for_each(|(to, y)| *to = from[y * columns + x]);
        }
    }
    Array2::from_shape_vec((columns, rows), turned).expect("as many values")
}

/// Rows [node][...] combined to rows [pixel][...].
fn combined(rows: ArrayView2<'_, f32>, taps: &PixelWeights) -> Array2<f32> {
    let mut pixels = Array2::<f32>::zeros((taps.0.len(), rows.ncols()));
    for (mut pixel, taps) in pixels.outer_iter_mut().zip(&taps.0) {
        for &(node, weight) in taps {
            pixel.scaled_add(weight, &rows.row(node));
        }
    }
    pixels
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    const KERNELS: [Kernel; 3] = [Kernel::Cell, Kernel::Linear, Kernel::Cubic];

    #[test]
    fn a_constant_stays_constant_at_any_size() {
        for kernel in KERNELS {
            for (nodes, pixels) in [(1, 7), (2, 9), (9, 2), (1000, 3), (5, 5)] {
                let values = Array2::from_elem((nodes, nodes), 3.0);
                let taps = PixelWeights::even(nodes, pixels, kernel);
                let drawn = resample(values.view(), &taps, &taps);
                assert_eq!(drawn.dim(), (pixels, pixels));
                assert!(drawn.iter().all(|v| (v - 3.0).abs() < 1e-4), "{drawn}");
            }
        }
    }

    #[test]
    fn coarse_pixels_average_what_they_cover() {
        let values = Array2::from_shape_fn((1000, 1), |(i, _)| (i % 2) as f32);
        for kernel in KERNELS {
            let across = PixelWeights::even(1000, 10, kernel);
            let drawn = resample(values.view(), &across, &PixelWeights::even(1, 1, kernel));
            assert!(drawn.iter().all(|v| (v - 0.5).abs() < 0.1), "{drawn}");
        }
    }

    #[test]
    fn what_lies_between_is_small_and_either_order_gives_the_same() {
        for (shape, pixels, first) in [
            ([100_000, 1], [1345, 900], true),
            ([2, 1_000_000], [1345, 880], false),
            ([3, 50], [40, 30], false),
            ([50, 3], [30, 40], true),
        ] {
            assert_eq!(across_first(shape, pixels), first, "{shape:?}");
        }
        let values = Array2::from_shape_fn((3, 50), |(x, z)| (50 * x + z) as f32);
        let across = PixelWeights::even(3, 40, Kernel::Linear);
        let down = PixelWeights::even(50, 30, Kernel::Cubic);
        let drawn = resample(values.view(), &across, &down);
        let turned = resample(values.t(), &down, &across);
        assert_eq!(drawn.dim(), (30, 40));
        assert!(drawn.iter().zip(turned.t()).all(|(a, b)| (a - b).abs() < 1e-3));
    }

    #[test]
    fn x_goes_across_and_z_down() {
        let values = array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
        let (across, down) = ([-0.5, 0.5, 1.5, 2.5], [-0.5, 0.5, 1.5]);
        let across = PixelWeights::between(&across, 3, Kernel::Cell);
        let down = PixelWeights::between(&down, 2, Kernel::Cell);
        let drawn = resample(values.view(), &across, &down);
        assert_eq!(drawn, array![[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]);
    }
}
