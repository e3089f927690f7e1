//! Kernels that read p node by node, and the maps that some of them write.

use crate::{
    engine::{
        EngineError, Layout,
        gpu::{device::Device, immediates::Immediates, pipeline, shader, slab::Slab},
    },
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

/// A kernel bound to the field of a slab.
pub struct Pointwise {
    pipeline: wgpu::ComputePipeline,
    bound: [wgpu::BindGroup; 2],
    groups: [u32; 3],
}

impl Pointwise {
    /// An entry point that reads p and writes `buffers`, over several fields or maps, with this
    /// many bytes of immediates.
    pub fn new(
        device: &Device,
        slab: &Slab,
        (source, entry, constants): (&shader::Source, &str, shader::Constants),
        buffers: &[&wgpu::Buffer],
        (fields, immediates): (usize, u32),
        checked: bool,
    ) -> Result<Self, EngineError> {
        let module = source.module(device, &constants, checked)?;
        let written = buffers.iter().map(|_| Some(true));
        let bindings: Vec<_> = [Some(false)].into_iter().chain(written).collect();
        let (pipeline, bound) = device.guarded(|| {
            let layout = pipeline::bindings(device, &bindings);
            let bind =
                |step| pipeline::bind(device, &layout, &[&[slab.field(step)], buffers].concat());
            let pipeline = pipeline::pipeline(device, &module, entry, &[&layout], immediates);
            (pipeline, [bind(0), bind(1)])
        })?;
        let groups = groups(slab.part.layout.n, fields).map(|groups| groups as u32);
        Ok(Pointwise { pipeline, bound, groups })
    }

    /// Reads p at a step, with these immediates.
    pub fn encode(
        &self,
        immediates: &Immediates,
        pass: &mut wgpu::ComputePass<'_>,
        step: usize,
        values: &[u8],
    ) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bound[step % 2], &[]);
        if !values.is_empty() {
            immediates.give(pass, values);
        }
        let [z, x, y] = self.groups;
        pass.dispatch_workgroups(z, x, y);
    }
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
