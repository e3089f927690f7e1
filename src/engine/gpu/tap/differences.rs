//! Kernels over the model's nodes that read p - p_prev (shaders/lib/differences.wgsl).

use crate::{
    EngineError,
    gpu::{
        device::Device, immediates::Immediates, part::Part, pipeline::Bound, shader, slab::Slab,
    },
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
        // A slab of layers alone has none, and no plane of it is dispatched.
        .int("MODEL_Y", n.y.max(1))
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

/// A kernel bound to a slab and, slot by slot, to the stored wave at even and at odd steps.
pub struct Differences(Bound);

impl Differences {
    /// An entry point over `planes` planes with this many bytes of immediates, bound to p, the
    /// array kept beside it, a slot and `others`, of which it writes those marked.
    pub fn new(
        device: &Device,
        (slab, planes, immediates): (&Slab, usize, u32),
        source: (&shader::Source, &str, shader::Constants),
        slots: &[wgpu::Buffer],
        (others, written): (&[&wgpu::Buffer], [bool; 5]),
        checked: bool,
    ) -> Result<Self, EngineError> {
        let bind = |slot, step| {
            let [now, second, _] = slab.state(step);
            [&[now, second, slot], others].concat()
        };
        let groups: Vec<_> = slots.iter().flat_map(|slot| [bind(slot, 0), bind(slot, 1)]).collect();
        let (n, [z, x]) = (slab.part.plan.model_grid.n, WORKGROUP);
        let workgroups = [n.z.div_ceil(z), n.x.div_ceil(x), planes].map(|groups| groups as u32);
        let (bound, dispatch) =
            ((&written[..3 + others.len()], &groups[..]), (workgroups, immediates));
        Ok(Differences(Bound::new(device, source, bound, dispatch, checked)?))
    }

    /// Runs at a step, with a slot.
    pub fn encode(&self, pass: &mut wgpu::ComputePass<'_>, step: usize, slot: usize) {
        self.0.encode(pass, 2 * slot + step % 2);
    }

    /// [`Self::encode`], for a shader with immediates.
    pub fn encode_with(
        &self,
        immediates: &Immediates,
        pass: &mut wgpu::ComputePass<'_>,
        (step, slot): (usize, usize),
        values: &[u32],
    ) {
        self.0.encode_with(immediates, pass, 2 * slot + step % 2, bytemuck::cast_slice(values));
    }
}
