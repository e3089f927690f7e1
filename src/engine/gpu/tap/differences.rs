//! Kernels over the model's nodes that read p - p_prev (shaders/lib/differences.wgsl).

use crate::engine::{
    EngineError,
    gpu::{device::Device, immediates::Immediates, part::Part, pipeline, shader, slab::Slab},
};

const WORKGROUP: [usize; 2] = [32, 8];

/// Values of an array with one value per node and shot.
pub fn values(part: &Part, shots: usize) -> usize {
    shots * part.plan.model_grid.cells()
}

/// The constants of all these kernels.
pub fn constants(part: &Part) -> shader::Constants {
    let (n, origin) = (part.plan.model_grid.n, part.plan.origin);
    shader::Constants::default()
        .layout(&part.layout)
        .flag("INCREMENTS", part.plan.by_increments)
        .int("MODEL_X", n.x)
        .int("MODEL_Y", n.y)
        .int("MODEL_Z", n.z)
        .int("ORIGIN_X", origin.x)
        .int("ORIGIN_Y", origin.y)
        .int("ORIGIN_Z", origin.z)
        .int("WG_Z", WORKGROUP[0])
        .int("WG_X", WORKGROUP[1])
}

/// Planes of a dispatch for `shots` shots.
pub fn planes(part: &Part, shots: usize) -> usize {
    part.plan.model_grid.n.y * shots
}

/// A kernel bound to a slab and, slot by slot, to the stored wave.
pub struct Differences {
    pipeline: wgpu::ComputePipeline,
    /// For each slot, at even and at odd steps.
    slots: Vec<[wgpu::BindGroup; 2]>,
    groups: [u32; 3],
}

impl Differences {
    /// An entry point over `planes` planes with this many bytes of immediates, bound to p, the
    /// array kept beside it, a slot and `others`, of which it writes those marked.
    pub fn new(
        device: &Device,
        (slab, planes, immediates): (&Slab, usize, u32),
        (source, entry, constants): (&shader::Source, &str, shader::Constants),
        slots: &[wgpu::Buffer],
        (others, written): (&[&wgpu::Buffer], [bool; 5]),
        checked: bool,
    ) -> Result<Self, EngineError> {
        let written = &written.map(Some)[..3 + others.len()];
        let module = source.module(device, &constants, checked)?;
        let (pipeline, slots) = device.guarded(|| {
            let layout = pipeline::bindings(device, written);
            let bind = |slot: &wgpu::Buffer, step| {
                let [now, second, _] = slab.state(step);
                pipeline::bind(device, &layout, &[&[now, second, slot], others].concat())
            };
            let slots: Vec<_> = slots.iter().map(|slot| [bind(slot, 0), bind(slot, 1)]).collect();
            (pipeline::pipeline(device, &module, entry, &[&layout], immediates), slots)
        })?;
        let (n, [z, x]) = (slab.part.plan.model_grid.n, WORKGROUP);
        let groups = [n.z.div_ceil(z), n.x.div_ceil(x), planes].map(|groups| groups as u32);
        Ok(Differences { pipeline, slots, groups })
    }

    /// Runs at a step, with a slot.
    pub fn encode(&self, pass: &mut wgpu::ComputePass<'_>, step: usize, slot: usize) {
        self.begin(pass, step, slot);
        self.dispatch(pass);
    }

    /// [`Self::encode`], for a shader with immediates.
    pub fn encode_with(
        &self,
        immediates: &Immediates,
        pass: &mut wgpu::ComputePass<'_>,
        (step, slot): (usize, usize),
        values: &[u32],
    ) {
        self.begin(pass, step, slot);
        immediates.give(pass, bytemuck::cast_slice(values));
        self.dispatch(pass);
    }

    fn begin(&self, pass: &mut wgpu::ComputePass<'_>, step: usize, slot: usize) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.slots[slot][step % 2], &[]);
    }

    fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        let [z, x, y] = self.groups;
        pass.dispatch_workgroups(z, x, y);
    }
}
