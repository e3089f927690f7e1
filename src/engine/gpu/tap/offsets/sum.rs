//! Sums the offset gathers of shots on the device: shaders/offsets/sum.wgsl, a dispatch per pair.

use crate::{
    engine::{
        EngineError,
        gpu::{device::Device, immediates::Immediates, pipeline, shader},
    },
    plan::Summed,
};

static SUM: shader::Source = shader::source!("offsets/" "sum");

const WORKGROUP: usize = 256;

fn constants(values: usize) -> shader::Constants {
    shader::Constants::default().int("VALUES", values).int("WG", WORKGROUP)
}

pub fn shader(values: usize) -> (&'static str, String) {
    (SUM.name, SUM.specialised(&constants(values)))
}

pub struct Sum {
    pipeline: wgpu::ComputePipeline,
    bound: wgpu::BindGroup,
    groups: [u32; 2],
}

#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Pair {
    shots: [u32; 2],
    units: [f32; 2],
}

impl Sum {
    /// For gathers with this many values per shot.
    pub fn new(
        device: &Device,
        gathers: &wgpu::Buffer,
        values: usize,
        checked: bool,
    ) -> Result<Self, EngineError> {
        let module = SUM.module(device, &constants(values), checked)?;
        let bytes = size_of::<Pair>() as u32;
        let (pipeline, bound) = device.guarded(|| {
            let layout = pipeline::bindings(device, &[Some(true)]);
            let bound = pipeline::bind(device, &layout, &[gathers]);
            (pipeline::pipeline(device, &module, "sum", &[&layout], bytes), bound)
        })?;
        Ok(Sum { pipeline, bound, groups: pipeline::rows(values.div_ceil(WORKGROUP)) })
    }

    /// Adds the pairs.
    pub fn encode(
        &self,
        immediates: &Immediates,
        pass: &mut wgpu::ComputePass<'_>,
        summed: &Summed,
    ) {
        if summed.pairs.is_empty() {
            return;
        }
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bound, &[]);
        let [x, y] = self.groups;
        for (shots, units) in summed.with_units() {
            let pair = Pair { shots: shots.map(|shot| shot as u32), units };
            immediates.give(pass, bytemuck::bytes_of(&pair));
            pass.dispatch_workgroups(x, y, 1);
        }
    }
}
