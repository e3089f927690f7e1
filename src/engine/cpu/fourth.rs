//! The diagonal terms of explicit time evolution, which are added to the Laplacian, times (v dt)^2.
//! They lie in the coordinate planes; the star is added with the Laplacian's in [`super::columns`].
//! The twin of `shaders/lib/fourth.wgsl`.

use super::{
    coefficients::{Fourth, Operator},
    shared::Reader,
    vectors::{Block, blocks},
};
use crate::{Layout, grid::Axes, stencil::ete};
use pulp::Simd;

/// The neighbours of K columns along diagonals of up to D cells, as slices as long as the loop over
/// a column, which then needs no bounds checks. A column is read from D values before its first.
pub(crate) struct Diagonals<'a, S: Simd, const D: usize, const K: usize, const L: usize> {
    /// For each column and distance, the columns after and before along x.
    beside: [[[&'a [f32]; 2]; D]; K],
    /// The same along y; empty in 2-D.
    beyond: [[[&'a [f32]; 2]; D]; K],
    /// And those after and before along y, each after and before along x.
    across: [[[&'a [Block<S, L>]; 4]; D]; K],
    volume: bool,
}

impl<'a, S: Simd, const D: usize, const K: usize, const L: usize> Diagonals<'a, S, D, K, L> {
    /// Of the columns of neighbouring pieces, the first of which starts at `at`.
    #[inline(always)]
    pub(crate) fn new(layout: &Layout, p: Reader<'a>, at: usize, count: usize) -> Self {
        let (column, plane, volume) = (layout.column, layout.plane, layout.is_volume());
        let (_, piece) = layout.slowest();
        let len = count * L * S::F32_LANES;
        let mut all = Diagonals {
            beside: [[[&[]; 2]; D]; K],
            beyond: [[[&[]; 2]; D]; K],
            across: [[[&[]; 4]; D]; K],
            volume,
        };
        for k in 0..K {
            for i in 0..D {
                let (at, j) = (at + k * piece, i + 1);
                let (x, y) = (j * column, j * plane);
                let tilted = |at: usize| p.part(at - D, len + 2 * D);
                all.beside[k][i] = [tilted(at + x), tilted(at - x)];
                if volume {
                    all.beyond[k][i] = [tilted(at + y), tilted(at - y)];
                    let of = |at| p.blocks::<S, L>(at, count);
                    all.across[k][i] =
                        [of(at + y + x), of(at + y - x), of(at - y + x), of(at - y - x)];
                }
            }
        }
        all
    }

    /// Adds the diagonal terms to block `b` of column `k`.
    #[inline(always)]
    pub(crate) fn add(&self, simd: S, fourth: &Fourth, k: usize, b: usize, sum: &mut Block<S, L>) {
        for i in 0..D {
            let weights = &fourth.diagonal;
            let four = tilted::<S, D, L>(&self.beside[k][i], b, i + 1);
            add_four(simd, weights[0][i + 1], four, sum);
            if self.volume {
                let across = &self.across[k][i];
                let across = [&across[0][b], &across[1][b], &across[2][b], &across[3][b]];
                add_four(simd, weights[1][i + 1], across, sum);
                let four = tilted::<S, D, L>(&self.beyond[k][i], b, i + 1);
                add_four(simd, weights[2][i + 1], four, sum);
            }
        }
    }
}

impl Fourth {
    /// The centre weights of a plane, then those that a volume adds: their sum would be rounded.
    pub(crate) fn centres(&self, volume: bool) -> [f32; 6] {
        let Axes { z, x, y } = &self.star;
        let [zx, xy, yz] = self.diagonal.each_ref().map(|plane| plane[0]);
        let beside = if volume { [y[0], xy, yz] } else { [0.0; 3] };
        [z[0], x[0], zx, beside[0], beside[1], beside[2]]
    }

    /// The contribution of the images above a free surface, p(-z) = -p(z), to row z of a column
    /// whose row 0 is at a given offset.
    pub(crate) fn images(&self, layout: &Layout, p: Reader<'_>, at: usize, z: usize) -> f32 {
        let p = |at| p.part(at, 1)[0];
        let star = &self.star.z;
        let straight: f32 =
            (1..=ete::RADIUS.saturating_sub(z)).map(|j| star[z + j] * p(at + j)).sum();
        let tilted = |weights: &Operator, across: usize| -> f32 {
            let pair = |j: usize| p(at + j * across + j - z) + p(at - j * across + j - z);
            (z + 1..=self.reach).map(|j| weights[j] * pair(j)).sum()
        };
        let mut sum = straight + tilted(&self.diagonal[0], layout.column);
        if layout.is_volume() {
            sum += tilted(&self.diagonal[2], layout.plane);
        }
        -sum
    }
}

/// The four neighbours of block `b` that lie `j` cells along z in two columns.
#[inline(always)]
fn tilted<'a, S: Simd, const D: usize, const L: usize>(
    [after, before]: &[&'a [f32]; 2],
    b: usize,
    j: usize,
) -> [&'a Block<S, L>; 4] {
    let size = L * S::F32_LANES;
    let after = &after[b * size..][..size + 2 * D];
    let before = &before[b * size..][..size + 2 * D];
    let later = |column| &blocks::<S, L>(column, D + j, 1)[0];
    let earlier = |column| &blocks::<S, L>(column, D - j, 1)[0];
    [later(after), earlier(after), later(before), earlier(before)]
}

/// Adds the sum of four blocks, in pairs, times a weight.
#[inline(always)]
fn add_four<S: Simd, const L: usize>(
    simd: S,
    weight: f32,
    four: [&Block<S, L>; 4],
    sum: &mut Block<S, L>,
) {
    let weight = simd.splat_f32s(weight);
    for l in 0..L {
        let beyond = simd.add_f32s(four[0][l], four[1][l]);
        let before = simd.add_f32s(four[2][l], four[3][l]);
        sum[l] = simd.mul_add_e_f32s(weight, simd.add_f32s(beyond, before), sum[l]);
    }
}
