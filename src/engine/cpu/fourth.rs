//! The diagonal terms of explicit time evolution, which are added to the Laplacian, times (v dt)^2.
//! They lie in the coordinate planes; the star is added with the Laplacian's in [`super::columns`].
//! The twin of `shaders/lib/fourth.wgsl`.

use super::{
    coefficients::{Fourth, Operator},
    vectors::{Block, blocks},
};
use crate::{Layout, grid::Axes, stencil::ete};
use pulp::Simd;

impl Fourth {
    /// The centre weights of a plane, then those that a volume adds: their sum would be rounded.
    pub fn centres(&self, volume: bool) -> impl Iterator<Item = f32> {
        let Axes { z, x, y } = &self.star;
        let [zx, xy, yz] = self.diagonal.each_ref().map(|plane| plane[0]);
        let beside = volume.then_some([y[0], xy, yz]);
        [z[0], x[0], zx].into_iter().chain(beside.into_iter().flatten())
    }

    /// Adds the diagonal terms to a block.
    #[inline(always)]
    pub fn add_diagonals<S: Simd, const L: usize>(
        &self,
        simd: S,
        layout: &Layout,
        p: &[f32],
        at: usize,
        sum: &mut Block<S, L>,
    ) {
        let (column, plane) = (layout.column, layout.plane);
        let volume = layout.is_volume();
        for j in 1..=self.reach {
            let mut add = |weight: f32, across: usize, along: usize| {
                let weight = simd.splat_f32s(weight);
                let four = [at + across + along, at + across - along, at - across + along]
                    .map(|at| &blocks::<S, L>(p, at, 1)[0]);
                let last = &blocks::<S, L>(p, at - across - along, 1)[0];
                for l in 0..L {
                    let beyond = simd.add_f32s(four[0][l], four[1][l]);
                    let before = simd.add_f32s(four[2][l], last[l]);
                    sum[l] = simd.mul_add_e_f32s(weight, simd.add_f32s(beyond, before), sum[l]);
                }
            };
            add(self.diagonal[0][j], j * column, j);
            if volume {
                add(self.diagonal[1][j], j * plane, j * column);
                add(self.diagonal[2][j], j * plane, j);
            }
        }
    }

    /// The contribution of the images above a free surface, p(-z) = -p(z), to row z of a column
    /// whose row 0 is at a given offset.
    pub fn images(&self, layout: &Layout, p: &[f32], at: usize, z: usize) -> f32 {
        let star = &self.star.z;
        let straight: f32 =
            (1..=ete::RADIUS.saturating_sub(z)).map(|j| star[z + j] * p[at + j]).sum();
        let tilted = |weights: &Operator, across: usize| -> f32 {
            let pair = |j: usize| p[at + j * across + j - z] + p[at - j * across + j - z];
            (z + 1..=self.reach).map(|j| weights[j] * pair(j)).sum()
        };
        let mut sum = straight + tilted(&self.diagonal[0], layout.column);
        if layout.is_volume() {
            sum += tilted(&self.diagonal[2], layout.plane);
        }
        -sum
    }
}
