//! The layers of an adjoint on the device: shaders/transposed.wgsl or shaders/transposed_vti.wgsl after each step.

use super::{device::Device, model, part::Part, pipeline, shader};
use crate::{
    EngineError,
    plan::Plan,
    transposed::{self, Strip},
};
use wgpu::BufferUsages as Usage;

const WORKGROUP: [usize; 2] = [32, 8];
/// Workgroups in a row of a dispatch: fewer than any device's limit.
const ROW: usize = 1 << 15;

/// Nodes near the low end of a strip's axis, and near both.
fn near(strip: &Strip) -> [usize; 2] {
    let [low, high] = strip.ends(strip.radius).map(|end| end.nodes);
    [low.len(), low.len() + strip.n - high.start.max(low.end)]
}

/// Tiles of a shot.
fn tiles(plan: &Plan) -> usize {
    let (n, [z, x]) = (plan.grid.n, WORKGROUP);
    let strips = transposed::strips(plan);
    let [near_z, near_x, near_y] = [strips.z, strips.x, strips.y].map(|strip| near(&strip)[1]);
    let wide = (n.x - near_x).div_ceil(x);
    let columns = n.z.div_ceil(z) * near_x.div_ceil(x) * n.y;
    columns + near_z.div_ceil(z) * wide * n.y + (n.z - near_z).div_ceil(z) * wide * near_y
}

/// -e, f and -g at the places along x, y and z.
fn tables(plan: &Plan) -> Vec<f32> {
    let (strips, profile) = (transposed::strips(plan), &plan.profile);
    let axes = [(strips.x, &profile.x), (strips.y, &profile.y), (strips.z, &profile.z)];
    axes.iter().flat_map(|(strip, profile)| transposed::gains(strip, profile)).flatten().collect()
}

/// The shader for the fields of a Plan.
pub(crate) fn source(plan: &Plan) -> &'static shader::Source {
    match plan.medium.vti() {
        Some(_) => &shader::TRANSPOSED_VTI,
        None => &shader::TRANSPOSED,
    }
}

pub(crate) fn constants(plan: &Plan, part: &Part) -> shader::Constants {
    let (strips, [x, y, z]) = (transposed::strips(plan), transposed::lens(plan));
    let (places, near) = (strips.map(|strip| strip.len()), strips.map(|strip| near(&strip)));
    // The part has the windows of its shots.
    model::constants(shader::Constants::default(), &part.plan, &part.layout)
        .flag("ETE", plan.fourth.is_some())
        .flag("INCREMENTS", plan.by_increments)
        .int("RADIUS", plan.radius())
        .int("SHOTS", part.plan.shots.len())
        .layout(&part.layout)
        .int("WG_Z", WORKGROUP[0])
        .int("WG_X", WORKGROUP[1])
        .ends(strips.map(|strip| [strip.low, strip.high]))
        .axes("PLACES", places)
        .axes("NEAR_LOW", near.map(|[low, _]| low))
        .axes("NEAR", near.map(|[_, both]| both))
        .int("MEMORY", x + y + z)
        .int("MEMORY_Y", x)
        .int("MEMORY_Z", x + y)
        .int("GAINS_Y", 3 * places.x)
        .int("GAINS_Z", 3 * (places.x + places.y))
}

/// The layers of a batch.
pub(crate) struct Transposed {
    /// chi and zeta of even steps, and of odd ones.
    memory: [wgpu::Buffer; 2],
    begin: wgpu::ComputePipeline,
    layers: wgpu::ComputePipeline,
    /// Of even steps and of odd ones.
    bound: [wgpu::BindGroup; 2],
    groups: [u32; 3],
}

impl Transposed {
    /// For a Plan with its layers, whose fields lie as those of `part`; `None` unless it is an
    /// adjoint through a CPML.
    pub(crate) fn new(
        device: &Device,
        plan: &Plan,
        part: &Part,
        [operators, v2dt2]: [&wgpu::Buffer; 2],
        fields: &[wgpu::Buffer; 2],
    ) -> Result<Option<Self>, EngineError> {
        let places: usize = transposed::lens(plan).iter().sum();
        if places == 0 {
            return Ok(None);
        }
        let shots = plan.shots.len();
        // The field that holds p at a step.
        let place = |step: usize| if plan.by_increments { 0 } else { step };
        let usage = Usage::STORAGE | Usage::COPY_DST;
        let values = 2 * shots * plan.medium.fields() * places;
        let pairs = || device.zeros("layers of the adjoint", values, usage);
        let memory = [pairs()?, pairs()?];
        let tables = device.upload("layers of the adjoint", &tables(plan), Usage::STORAGE)?;
        let module = source(plan).module(device, &constants(plan, part))?;
        let (begin, layers, bound) = device.guarded(|| {
            let written = [false, false, true, false, false, true].map(Some);
            let written = [&[None], &written[..]].concat();
            let layout = pipeline::bindings(device, &written);
            let bind = |step: usize| {
                let now = place(step);
                let fields = [&fields[now], &fields[1 - now]];
                let [this, next] = [&memory[step], &memory[1 - step]];
                let all = [operators, v2dt2, fields[0], fields[1], this, &tables, next];
                pipeline::bind(device, &layout, &all)
            };
            let entry = |name| pipeline::pipeline(device, &module, name, &[&layout], 0);
            (entry("begin"), entry("layers"), [bind(0), bind(1)])
        })?;
        let tiles = tiles(plan);
        let groups = [tiles.min(ROW), tiles.div_ceil(ROW), shots].map(|groups| groups as u32);
        Ok(Some(Transposed { memory, begin, layers, bound, groups }))
    }

    /// Zeroes the memory.
    pub(crate) fn restart(&self, encoder: &mut wgpu::CommandEncoder) {
        self.memory.iter().for_each(|memory| encoder.clear_buffer(memory, 0, None));
    }

    /// Runs before step 0.
    pub(crate) fn begin(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.encode(pass, &self.begin, 1);
    }

    /// Runs after a step.
    pub(crate) fn step(&self, pass: &mut wgpu::ComputePass<'_>, step: usize) {
        self.encode(pass, &self.layers, step % 2);
    }

    fn encode(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        entry: &wgpu::ComputePipeline,
        bound: usize,
    ) {
        let [tiles, rows, shots] = self.groups;
        pass.set_pipeline(entry);
        pass.set_bind_group(0, &self.bound[bound], &[]);
        pass.dispatch_workgroups(tiles, rows, shots);
    }
}
