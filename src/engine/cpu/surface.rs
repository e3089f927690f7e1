//! The free surface in a stepped column. The twin of `shaders/lib/surface.wgsl`.
//!
//! [`super::columns`] reads zeros above row 0. The images p(-z) = -p(z) add to the Laplacian of row
//! z
//!
//! ```text
//! - sum_{j = 1}^{R - z} c_{z + j} p(j)
//! ```

use super::coefficients::{Fields, damping};
use crate::grid::Axes;

/// Adds the contribution of the images to a stepped column. On row 0 (v dt)^2 is 0.
#[inline(always)]
pub(crate) fn add_images<const R: usize>(
    fields: Fields<'_>,
    node: Axes<usize>,
    p_next: &mut [f32],
) {
    let Fields { layout, coefficients, p, v2dt2, .. } = fields;
    let (c, at) = (&coefficients.second.z, layout.index(node));
    let damping = damping(coefficients, node, layout.is_volume());
    // A Plan has more than R rows.
    for z in 1..R {
        let mut images: f32 = (1..=R - z).map(|j| c[z + j] * p.part(at + j, 1)[0]).sum();
        if coefficients.fourth.reach > 0 {
            images -= v2dt2[at + z] * coefficients.fourth.images(layout, p, at, z);
        }
        let g = damping.map_or(1.0, |(along_x, along_z)| along_x * along_z[z]);
        p_next[z] -= g * v2dt2[at + z] * images;
    }
}
