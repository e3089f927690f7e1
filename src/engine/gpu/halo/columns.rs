//! Pieces of a padded field as a message has them: the nodes of one column after the other. Twin of shaders/halo.wgsl.

use crate::engine::Layout;
use rayon::prelude::*;

/// Columns that are copied at once, where that takes longer than to begin it on other cores.
const TOGETHER: usize = 256;

/// The pieces without what lies between their columns.
pub fn pack(layout: &Layout, padded: &[f32], message: &mut [f32]) {
    let (columns, column, n) = (layout.columns(), layout.column, layout.n.z);
    let one = |(to, from): (&mut [f32], &[f32])| to.copy_from_slice(&from[..n]);
    let pieces = padded.chunks_exact(layout.slowest().1);
    for (to, from) in message.chunks_exact_mut(columns * n).zip(pieces) {
        let to = to.par_chunks_exact_mut(n).with_min_len(TOGETHER);
        to.zip(from.par_chunks_exact(column)).for_each(one);
    }
}

/// And back.
pub fn unpack(layout: &Layout, message: &[f32], padded: &mut [f32]) {
    let (columns, column, n) = (layout.columns(), layout.column, layout.n.z);
    let one = |(to, from): (&mut [f32], &[f32])| to[..n].copy_from_slice(from);
    let pieces = padded.chunks_exact_mut(layout.slowest().1);
    for (from, to) in message.chunks_exact(columns * n).zip(pieces) {
        let to = to.par_chunks_exact_mut(column).with_min_len(TOGETHER);
        to.zip(from.par_chunks_exact(n)).for_each(one);
    }
}
