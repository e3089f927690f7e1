//! Kernels that read p node by node, and the maps that some of them write.

use crate::{
    EngineError, Layout,
    gpu::{
        device::Device,
        pipeline::{Bound, Entry},
        shader,
        slab::Slab,
    },
    grid::Axes,
    plan::Plan,
};
use ndarray::ArrayViewMut3;

/// Invocations per workgroup along z and x, each for a quad of nodes along z.
pub(crate) const WORKGROUP: [usize; 2] = [16, 16];

/// Workgroups along each axis of a dispatch over `fields` fields or maps.
pub(crate) fn groups(n: Axes<usize>, fields: usize) -> [u32; 3] {
    let groups = [n.z.div_ceil(4 * WORKGROUP[0]), n.x.div_ceil(WORKGROUP[1]), n.y * fields];
    groups.map(|groups| groups as u32)
}

/// The constants of all these kernels.
pub(crate) fn constants(layout: &Layout) -> shader::Constants {
    let constants = shader::Constants::default().layout(layout);
    constants.int("WG_Z", WORKGROUP[0]).int("WG_X", WORKGROUP[1])
}

/// Binds an entry point that reads p of a slab, at even and at odd steps, and writes `buffers`.
pub(crate) fn bind(
    device: &Device,
    slab: &Slab,
    entry: Entry,
    buffers: &[&wgpu::Buffer],
) -> Result<Bound, EngineError> {
    let written = [&[false][..], &vec![true; buffers.len()]].concat();
    let group = |step| [&[slab.field(step)], buffers].concat();
    entry.bind(device, &written, &[group(0), group(1)])
}

/// Length of `maps` maps of a part, `[map][y][x][z]`, columns padded to a multiple of four.
pub(crate) fn map_len(part: &Plan, maps: usize) -> usize {
    let n = part.grid.n;
    maps * n.y * n.x * n.z.next_multiple_of(4)
}

/// Copies the model's nodes of a map.
pub(crate) fn copy_map<T: Copy>(part: &Plan, map: usize, maps: &[T], mut to: ArrayViewMut3<'_, T>) {
    let (n, origin) = (part.grid.n, part.origin);
    for ((y, x, z), value) in to.indexed_iter_mut() {
        let column = (map * n.y + origin.y + y) * n.x + origin.x + x;
        *value = maps[column * n.z.next_multiple_of(4) + origin.z + z];
    }
}
