//! Kernels over the model's nodes that read p - p_prev (shaders/lib/differences.wgsl).

use crate::{
    EngineError,
    gpu::{
        device::Device,
        immediates::Immediates,
        part::Part,
        pipeline::{Bound, Entry},
        shader,
        slab::Slab,
    },
    grid::Axes,
};

const WORKGROUP: [usize; 2] = [32, 8];

/// Values of an array with one value per node and shot, or with VTI per node and field.
pub(crate) fn values(part: &Part, shots: usize) -> usize {
    shots * part.plan.model_grid.cells()
}

/// The constants of all these kernels.
pub(crate) fn constants(part: &Part) -> shader::Constants {
    let n = part.plan.model_grid.n;
    shader::Constants::default()
        .layout(&part.layout)
        .flag("INCREMENTS", part.plan.by_increments)
        // A slab of layers alone has no plane of the model, and none is dispatched.
        .axes("MODEL", Axes { y: n.y.max(1), ..n })
        .axes("ORIGIN", part.plan.origin)
        .int("WG_Z", WORKGROUP[0])
        .int("WG_X", WORKGROUP[1])
}

/// An entry point for all planes of the model and all shots, or their fields.
pub(crate) fn entry(
    slab: &Slab,
    shots: usize,
    source: &'static shader::Source,
    name: &'static str,
) -> Entry {
    let n = slab.part.plan.model_grid.n;
    let constants = constants(&slab.part);
    Entry { source, name, constants, workgroups: workgroups(n, n.y * shots), immediates: 0 }
}

/// The dispatch over `planes` planes.
pub(crate) fn workgroups(n: Axes<usize>, planes: usize) -> [u32; 3] {
    let [z, x] = WORKGROUP;
    [n.z.div_ceil(z), n.x.div_ceil(x), planes].map(|groups| groups as u32)
}

/// A kernel bound to a slab and, slot by slot, to the stored wave at even and at odd steps.
pub(crate) struct Differences(Bound);

impl Differences {
    /// An entry point, bound to p, the array kept beside it, a slot and `others`. It writes those
    /// marked of all these.
    pub(crate) fn new(
        device: &Device,
        slab: &Slab,
        slots: &[wgpu::Buffer],
        entry: Entry,
        others: &[&wgpu::Buffer],
        written: &[bool],
    ) -> Result<Self, EngineError> {
        let bind = |slot, step| {
            let [now, second, _] = slab.state(step);
            [&[now, second, slot], others].concat()
        };
        let groups: Vec<_> = slots.iter().flat_map(|slot| [bind(slot, 0), bind(slot, 1)]).collect();
        Ok(Differences(entry.bind(device, written, &groups)?))
    }

    /// Runs at a step, with a slot.
    pub(crate) fn encode(&self, pass: &mut wgpu::ComputePass<'_>, step: usize, slot: usize) {
        self.0.encode(pass, 2 * slot + step % 2);
    }

    /// [`Self::encode`], for a shader with immediates.
    pub(crate) fn encode_with(
        &self,
        immediates: &Immediates,
        pass: &mut wgpu::ComputePass<'_>,
        step: usize,
        slot: usize,
        values: &[u32],
    ) {
        self.0.encode_with(immediates, pass, 2 * slot + step % 2, bytemuck::cast_slice(values));
    }
}
