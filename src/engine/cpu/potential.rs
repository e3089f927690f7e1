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
pub fn subtract(fields: Fields<'_>, node: Axes<usize>, p_next: &mut [f32]) {
    let Fields { layout, coefficients, p, potential, .. } = fields;
    let (at, len) = (layout.index(node), layout.n.z);
    let (p, potential) = (p.part(at, len), &potential[at..][..len]);
    let column = p_next[..len].iter_mut().zip(p.iter().zip(potential));
    match damping(coefficients, node, layout.is_volume()) {
        None => column.for_each(|(next, (p, potential))| *next -= potential * p),
        Some((along_x, along_z)) => column.zip(along_z).for_each(|((next, (p, v)), along_z)| {
            *next -= along_x * along_z * v * p;
        }),
    }
}
