//! Kernels that read p node by node, and the maps that some of them write.

use crate::{
    EngineError, Layout,
    gpu::{device::Device, pipeline::Bound, shader, slab::Slab},
    grid::Axes,
    plan::Plan,
};
use ndarray::ArrayViewMut3;

/// Invocations per workgroup along z and x, each for a quad of nodes along z.
pub const WORKGROUP: [usize; 2] = [16, 16];

/// Workgroups along each axis of a dispatch over `fields` fields or maps.
pub fn groups(n: Axes<usize>, fields: usize) -> [usize; 3] {
    [n.z.div_ceil(4 * WORKGROUP[0]), n.x.div_ceil(WORKGROUP[1]), n.y * fields]
}

/// The constants of all these kernels.
pub fn constants(layout: &Layout) -> shader::Constants {
    let constants = shader::Constants::default().layout(layout);
    constants.int("WG_Z", WORKGROUP[0]).int("WG_X", WORKGROUP[1])
}

/// An entry point that reads p of a slab, at even and at odd steps, and writes `buffers`, over
/// several fields or maps, with this many bytes of immediates.
pub fn bound(
    device: &Device,
    slab: &Slab,
    source: (&shader::Source, &str, shader::Constants),
    buffers: &[&wgpu::Buffer],
    (fields, immediates): (usize, u32),
    checked: bool,
) -> Result<Bound, EngineError> {
    let written = [&[false][..], &vec![true; buffers.len()]].concat();
    let bind = |step| [&[slab.field(step)], buffers].concat();
    let groups = groups(slab.part.layout.n, fields).map(|groups| groups as u32);
    let bound = (&written[..], &[bind(0), bind(1)][..]);
    Bound::new(device, source, bound, (groups, immediates), checked)
}

/// Length of `maps` maps of a part, `[map][y][x][z]`, columns padded to a multiple of four.
pub fn map_len(part: &Plan, maps: usize) -> usize {
    let n = part.grid.n;
    maps * n.y * n.x * n.z.next_multiple_of(4)
}

/// Copies the model's nodes of a map.
pub fn copy_map<T: Copy>(part: &Plan, map: usize, maps: &[T], mut to: ArrayViewMut3<'_, T>) {
    let (n, origin) = (part.grid.n, part.origin);
    for ((y, x, z), value) in to.indexed_iter_mut() {
        let column = (map * n.y + origin.y + y) * n.x + origin.x + x;
        *value = maps[column * n.z.next_multiple_of(4) + origin.z + z];
    }
}
