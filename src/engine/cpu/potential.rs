//! The potential of a density that varies ([`crate::medium`]), in a stepped column. The twin of
//! `shaders/lib/density.wgsl`.
//!
//! ```text
//! p_next <- p_next - g (v dt)^2 V p
//! ```

use super::coefficients::{Fields, damping};
use crate::grid::Axes;

/// Subtracts the potential's term from a stepped column, which is still in the cache.
#[inline(always)]
pub(crate) fn subtract(fields: Fields<'_>, node: Axes<usize>, p_next: &mut [f32]) {
    let Fields { layout, coefficients, p, potential, .. } = fields;
    let (at, len) = (layout.index(node), layout.n.z);
    let (p, potential, p_next) = (p.part(at, len), &potential[at..][..len], &mut p_next[..len]);
    match damping(coefficients, node, layout.is_volume()) {
        None => {
            for z in 0..len {
                p_next[z] -= potential[z] * p[z];
            }
        }
        Some((along_x, along_z)) => {
            let along_z = &along_z[..len];
            for z in 0..len {
                p_next[z] -= along_x * along_z[z] * potential[z] * p[z];
            }
        }
    }
}
