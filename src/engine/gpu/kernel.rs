//! The step kernel: its constants and its pipelines.

use super::{
    device::Device,
    shader,
    tiles::{Tiles, WORKGROUP},
};
use crate::{
    engine::{EngineError, Layout},
    plan::Plan,
};

/// Bytes of immediates: the step and the row of the traces.
pub const IMMEDIATES: u32 = 8;

/// Fours of nodes along z with memory variables, at the low and the high end. Where the two then meet,
/// the whole axis counts as its low end.
fn memory_z(plan: &Plan) -> [usize; 2] {
    let (nz, [low, high]) = (plan.grid.n.z, plan.profile.z.memory);
    let (all, low, before) = (nz.div_ceil(4), low.div_ceil(4), (nz - high) / 4);
    match high {
        0 => [low, 0],
        _ if low > before => [all, 0],
        _ => [low, all - before],
    }
}

/// Values of memory variables a shot; see shaders/lib/layers.wgsl.
pub fn memory_len(plan: &Plan) -> usize {
    if !plan.has_cpml() {
        return 0;
    }
    let (n, radius) = (plan.grid.n, plan.radius());
    let (along_z, strip) = (n.z.div_ceil(4), |memory: [usize; 2]| memory.iter().sum::<usize>());
    let x = n.y * (strip(plan.profile.x.memory) + 3 * radius) * along_z;
    let z = n.y * (strip(memory_z(plan)) + 3 * radius.div_ceil(4)) * n.x;
    let y = match plan.grid.is_volume() {
        true => (strip(plan.profile.y.memory) + 3 * radius) * n.x * along_z,
        false => 0,
    };
    4 * 2 * (x + y + z)
}

/// Whether any node is damped by a sponge.
fn has_sponge(plan: &Plan) -> bool {
    let profile = &plan.profile;
    let nodes = profile.x.nodes.iter().chain(&profile.z.nodes).chain(&profile.y.nodes);
    nodes.into_iter().any(|node| node.damping != 1.0)
}

/// What specialises shaders/step.wgsl for a Plan.
pub fn constants(plan: &Plan, layout: &Layout, tiles: &Tiles) -> shader::Constants {
    let (x, y, z) = (plan.profile.x.memory, plan.profile.y.memory, memory_z(plan));
    shader::Constants::default()
        .int("RADIUS", layout.radius)
        .flag("VOLUME", layout.is_volume())
        .int("NX", layout.n.x)
        .int("NY", layout.n.y)
        .int("NZ", layout.n.z)
        .int("STRIDE", layout.column)
        .int("PLANE", layout.plane)
        .int("LEAD", layout.lead)
        .int("FIELD", layout.len())
        .int("WG_Z", WORKGROUP.z)
        .int("WG_X", WORKGROUP.x)
        .int("TILES_Z", tiles.z)
        .int("TILES_X", tiles.x)
        .int("TILES", tiles.count())
        .int("SHOTS", plan.shots.len())
        .int("STEPS", plan.time.steps)
        .int("RECEIVERS", tiles.receivers)
        .flag("SPONGE", has_sponge(plan))
        .flag("CPML", plan.has_cpml())
        .int("LOW_X", x[0])
        .int("HIGH_X", x[1])
        .int("LOW_Y", y[0])
        .int("HIGH_Y", y[1])
        .int("LOW_Z", z[0])
        .int("HIGH_Z", z[1])
        .int("MEMORY", memory_len(plan) / 4)
}

/// The step kernel's two entry points over one pipeline layout.
pub struct Kernel {
    pub step: wgpu::ComputePipeline,
    pub record: wgpu::ComputePipeline,
    /// Group 0, which never changes, and group 1, the fields.
    pub groups: [wgpu::BindGroupLayout; 2],
}

/// `true`: written by the shader.
const GROUP_0: [Option<bool>; 8] = [
    None, // the operators, a uniform
    Some(false),
    Some(false),
    Some(false),
    Some(false),
    Some(false),
    Some(false),
    Some(true),
];
const GROUP_1: [Option<bool>; 4] = [Some(false), Some(true), Some(false), Some(true)];

impl Kernel {
    pub fn new(
        device: &Device,
        constants: &shader::Constants,
        checked: bool,
    ) -> Result<Self, EngineError> {
        let module = shader::STEP.module(device, constants, checked)?;
        device.guarded(|| {
            let groups = [bindings(device, &GROUP_0), bindings(device, &GROUP_1)];
            let [step, record] = ["step", "record_only"].map(|entry| {
                pipeline(device, &module, entry, &[&groups[0], &groups[1]], IMMEDIATES)
            });
            Kernel { step, record, groups }
        })
    }
}

/// A bind group layout: a uniform where there is `None`, else a storage buffer, writable or not.
pub fn bindings(device: &Device, writable: &[Option<bool>]) -> wgpu::BindGroupLayout {
    let entry = |(binding, writable): (usize, &Option<bool>)| wgpu::BindGroupLayoutEntry {
        binding: binding as u32,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: match writable {
                None => wgpu::BufferBindingType::Uniform,
                Some(writable) => wgpu::BufferBindingType::Storage { read_only: !writable },
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let entries: Vec<_> = writable.iter().enumerate().map(entry).collect();
    let descriptor = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
    device.wgpu.create_bind_group_layout(&descriptor)
}

/// A bind group of whole buffers, in the order of their bindings.
pub fn bind(
    device: &Device,
    layout: &wgpu::BindGroupLayout,
    buffers: &[&wgpu::Buffer],
) -> wgpu::BindGroup {
    let entries: Vec<_> = (0u32..)
        .zip(buffers)
        .map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.as_entire_binding(),
        })
        .collect();
    let descriptor = wgpu::BindGroupDescriptor { label: None, layout, entries: &entries };
    device.wgpu.create_bind_group(&descriptor)
}

/// A compute pipeline.
pub fn pipeline(
    device: &Device,
    module: &wgpu::ShaderModule,
    entry: &str,
    groups: &[&wgpu::BindGroupLayout],
    immediate_size: u32,
) -> wgpu::ComputePipeline {
    let groups: Vec<_> = groups.iter().map(|group| Some(*group)).collect();
    let layout = device.wgpu.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(entry),
        bind_group_layouts: &groups,
        immediate_size,
    });
    device.wgpu.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(entry),
        layout: Some(&layout),
        module,
        entry_point: Some(entry),
        compilation_options: wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: false,
            ..Default::default()
        },
        cache: None,
    })
}
