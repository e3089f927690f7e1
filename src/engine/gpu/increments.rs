//! Adds the increments of a step to p; see `Plan::by_increments`.

use super::{device::Device, pipeline, shader};
use crate::engine::EngineError;

/// Invocations per workgroup, each for a quad of nodes.
const WORKGROUP: usize = 256;

/// shaders/increments.wgsl, bound to a slab's two fields.
pub struct Increments {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    groups: [u32; 2],
}

/// The constants for a number of values.
pub fn constants(values: usize) -> shader::Constants {
    shader::Constants::default().int("FOURS", values / 4).int("WG", WORKGROUP)
}

impl Increments {
    /// For p, and the increments that are added to it.
    pub fn new(
        device: &Device,
        [p, increments]: &[wgpu::Buffer; 2],
        checked: bool,
    ) -> Result<Self, EngineError> {
        let values = p.size() as usize / 4;
        let module = shader::INCREMENTS.module(device, &constants(values), checked)?;
        let (pipeline, group) = device.guarded(|| {
            let layout = pipeline::bindings(device, &[Some(true), Some(false)]);
            let pipeline = pipeline::pipeline(device, &module, "add", &[&layout], 0);
            (pipeline, pipeline::bind(device, &layout, &[p, increments]))
        })?;
        let groups = pipeline::rows((values / 4).div_ceil(WORKGROUP));
        Ok(Increments { pipeline, group, groups })
    }

    /// p <- p + increments.
    pub fn add(&self, pass: &mut wgpu::ComputePass<'_>) {
        let [x, y] = self.groups;
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(x, y, 1);
    }
}
