//! The layers of an adjoint on the device: shaders/transposed.wgsl before and after each step.

use super::{device::Device, model::ModelStorage, part::Part, pipeline, shader};
use crate::{
    engine::{EngineError, transposed},
    plan::Plan,
};
use wgpu::BufferUsages as Usage;

const WORKGROUP: [usize; 2] = [32, 8];

/// -e in a model.
fn losses(plan: &Plan, model: usize) -> Vec<f32> {
    transposed::losses(plan, model).concat()
}

/// f and df/dx at the places along x, y and z, then -e for each copy of a model.
fn tables(plan: &Plan) -> Vec<f32> {
    let (strips, profile) = (transposed::strips(plan), &plan.profile);
    let axes = [(strips.x, &profile.x), (strips.y, &profile.y), (strips.z, &profile.z)];
    let shares = axes.iter().flat_map(|(strip, profile)| transposed::shares(strip, profile));
    let lost = plan.copies().into_iter().flat_map(|model| losses(plan, model));
    shares.flatten().chain(lost).collect()
}

pub fn constants(plan: &Plan, part: &Part, storage: ModelStorage) -> shader::Constants {
    let (strips, [x, y, z]) = (transposed::strips(plan), transposed::lens(plan));
    let [places_x, places_y, places_z] = [strips.x, strips.y, strips.z].map(|strip| strip.len());
    let first = 2 * (places_x + places_y + places_z);
    let [lost_x, lost_y, lost_z] = transposed::losses(plan, 0).map(|lost| lost.len());
    let single = plan.velocities.len() == 1;
    shader::Constants::default()
        .flag("ETE", plan.fourth.is_some())
        .int("RADIUS", plan.radius())
        .layout(&part.layout)
        .int("MODEL", if single { 0 } else { part.layout.len() / 4 })
        .int("WG_Z", WORKGROUP[0])
        .int("WG_X", WORKGROUP[1])
        .int("LOW_X", strips.x.low)
        .int("HIGH_X", strips.x.high)
        .int("PLACES_X", places_x)
        .int("LOW_Y", strips.y.low)
        .int("HIGH_Y", strips.y.high)
        .int("LOW_Z", strips.z.low)
        .int("HIGH_Z", strips.z.high)
        .int("PLACES_Z", places_z)
        .int("MEMORY", x + y + z)
        .int("MEMORY_Y", x)
        .int("MEMORY_Z", x + y)
        .int("SHARES_Y", 2 * places_x)
        .int("SHARES_Z", 2 * (places_x + places_y))
        .int("LOST_X", first)
        .int("LOST_Y", first + lost_x)
        .int("LOST_Z", first + lost_x + lost_y)
        .int("LOSSES", if single { 0 } else { lost_x + lost_y + lost_z })
        .library(storage.library())
}

/// The layers of a batch.
pub struct Transposed {
    /// chi and zeta, and the terms of the derivatives.
    memory: [wgpu::Buffer; 2],
    give: wgpu::ComputePipeline,
    take: wgpu::ComputePipeline,
    bound: [wgpu::BindGroup; 2],
    groups: [u32; 3],
}

impl Transposed {
    /// For a Plan with its layers, whose fields lie as those of `part`; `None` unless it is an
    /// adjoint through a CPML.
    pub fn new(
        device: &Device,
        (plan, part): (&Plan, &Part),
        [operators, v2dt2]: [&wgpu::Buffer; 2],
        fields: &[wgpu::Buffer; 2],
        (storage, checked): (ModelStorage, bool),
    ) -> Result<Option<Self>, EngineError> {
        let places: usize = transposed::lens(plan).iter().sum();
        if places == 0 {
            return Ok(None);
        }
        let shots = plan.shots.len();
        let usage = Usage::STORAGE | Usage::COPY_DST;
        let pairs = || device.zeros("layers of the adjoint", 2 * shots * places, usage);
        let memory = [pairs()?, pairs()?];
        let tables = device.upload("layers of the adjoint", &tables(plan), Usage::STORAGE)?;
        let source = &shader::TRANSPOSED;
        let module = source.module(device, &constants(plan, part, storage), checked)?;
        let (give, take, bound) = device.guarded(|| {
            let written = [false, false, true, true, false, true].map(Some);
            let written = [&[None], &written[..]].concat();
            let layout = pipeline::bindings(device, &written);
            let entry = |name| pipeline::pipeline(device, &module, name, &[&layout], 0);
            let bind = |now: usize| {
                let [memory, taken] = &memory;
                let fields = [&fields[now], &fields[1 - now]];
                let all = [operators, v2dt2, fields[0], fields[1], memory, &tables, taken];
                pipeline::bind(device, &layout, &all)
            };
            (entry("give"), entry("take"), [bind(0), bind(1)])
        })?;
        let (n, [z, x]) = (part.layout.n, WORKGROUP);
        let groups = [n.z.div_ceil(z), n.x.div_ceil(x), n.y * shots].map(|groups| groups as u32);
        Ok(Some(Transposed { memory, give, take, bound, groups }))
    }

    /// Zeroes the memory.
    pub fn restart(&self, encoder: &mut wgpu::CommandEncoder) {
        self.memory.iter().for_each(|memory| encoder.clear_buffer(memory, 0, None));
    }

    /// Runs before a step from the field at `place`.
    pub fn give(&self, pass: &mut wgpu::ComputePass<'_>, place: usize) {
        self.encode(pass, &self.give, place);
    }

    /// Runs after it.
    pub fn take(&self, pass: &mut wgpu::ComputePass<'_>, place: usize) {
        self.encode(pass, &self.take, place);
    }

    fn encode(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        entry: &wgpu::ComputePipeline,
        place: usize,
    ) {
        let [z, x, y] = self.groups;
        pass.set_pipeline(entry);
        pass.set_bind_group(0, &self.bound[place], &[]);
        pass.dispatch_workgroups(z, x, y);
    }
}
