//! A kernel prepared for a Plan: constants and pipelines of its regions.

use super::{
    acquisition::samples,
    device::Device,
    kernels::StepKernel,
    layers::{memory_len, memory_z},
    part::Part,
    pipeline::{bindings, pipeline},
    region::{Region, Regions},
    shader, wavelets,
};
use crate::{EngineError, plan::Plan, stencil::Fourth};
use rayon::prelude::*;

/// Bytes of immediates: the step and the row of the traces.
const IMMEDIATES: u32 = 8;

/// The kernel and its settings for a slab.
#[derive(Clone, Copy)]
pub struct How<'a> {
    pub kernel: &'a StepKernel,
    pub checked: bool,
}

/// The constants of shaders/step.wgsl and its variants for a region of a part of a Plan.
pub fn constants(
    whole: &Plan,
    part: &Part,
    regions: &Regions,
    region: &Region,
) -> shader::Constants {
    let Part { plan, layout, .. } = part;
    let (x, y, z) = (plan.profile.x.memory, plan.profile.y.memory, memory_z(plan));
    let (span, shape, layers) = (&region.span, &region.shape, &region.layers);
    let (sponge, cpml) = (whole.has_sponge(), whole.has_cpml());
    let samples = samples(whole);
    let single = plan.velocities.len() == 1;
    shader::Constants::default()
        .int("RADIUS", whole.radius())
        .int("DIAGONALS", plan.fourth.as_ref().map_or(0, Fourth::diagonals))
        .flag("VOLUME", layout.is_volume())
        .flag("FREE_SURFACE", plan.free_surface)
        .flag("INCREMENTS", plan.by_increments)
        .layout(layout)
        .int("MODEL", if single { 0 } else { layout.len() / 4 })
        .int("WG_Z", shape.workgroup.z)
        .int("WG_X", shape.workgroup.x)
        .int("WG_Y", shape.workgroup.y)
        .int("SLICES", shape.slices)
        .span('Z', span.z)
        .span('X', span.x)
        .span('Y', span.y)
        .int("TILES_Z", region.tiles.z)
        .int("TILES_X", region.tiles.x)
        .int("TILES_Y", region.tiles.y)
        .int("BLOCK", region.block)
        .int("FIRST_TILE", region.first_tile)
        .int("TILES", regions.tiles())
        .int("SHOTS", plan.shots.len())
        .int("SAMPLES", wavelets::samples(whole))
        .flag("STREAMED", wavelets::samples(whole) < whole.time.steps)
        .int("RECEIVERS", whole.most_receivers())
        .flag("SPLIT", part.is_split())
        .flag("BETWEEN_NODES", whole.samples_between_nodes())
        .int("SAMPLES_Z", samples.z)
        .int("SAMPLES_X", samples.x)
        .int("SAMPLES_Y", samples.y)
        .flag("SPONGE", sponge && region.has_layers())
        .flag("CPML_X", cpml && layers.x)
        .flag("CPML_Y", cpml && layers.y)
        .flag("CPML_Z", cpml && layers.z)
        .flag("ENDS_X", span.x.is_ends(x))
        .flag("ENDS_Y", span.y.is_ends(y))
        .flag("ENDS_Z", span.z.is_ends(z))
        .int("LOW_X", x[0])
        .int("HIGH_X", x[1])
        .int("LOW_Y", y[0])
        .int("HIGH_Y", y[1])
        .int("LOW_Z", z[0])
        .int("HIGH_Z", z[1])
        .int("MEMORY", memory_len(plan) / 4)
}

/// The pipelines of a kernel's regions, all with one layout.
pub struct Kernel {
    /// One per region.
    pub steps: Vec<wgpu::ComputePipeline>,
    /// Records without stepping, with the shape of the first region.
    pub record: wgpu::ComputePipeline,
    /// Group 0, which never changes, and group 1, the fields.
    pub groups: [wgpu::BindGroupLayout; 2],
}

/// `true`: written by the shader.
const GROUP_0: [Option<bool>; 6] = [
    None, // the operators, a uniform
    Some(false),
    Some(false),
    Some(false),
    Some(false),
    Some(true),
];
const GROUP_1: [Option<bool>; 3] = [Some(false), Some(true), Some(true)];

impl Kernel {
    pub fn new(
        device: &Device,
        whole: &Plan,
        part: &Part,
        regions: &Regions,
        How { kernel, checked }: How<'_>,
    ) -> Result<Self, EngineError> {
        let groups = device.guarded(|| [bindings(device, &GROUP_0), bindings(device, &GROUP_1)])?;
        let entry = |module: &wgpu::ShaderModule, name: &str| {
            device.guarded(|| pipeline(device, module, name, &groups.each_ref(), IMMEDIATES))
        };
        let module = |source: &shader::Source, region: &Region| {
            source.module(device, &constants(whole, part, regions, region), checked)
        };
        let step = |region: &Region| {
            let module = module(kernel.source(region.has_layers()), region)?;
            entry(&module, "step")
        };
        let record = || {
            let module = module(&shader::STEP, regions.first())?;
            entry(&module, "record_only")
        };
        // Drivers take up to a third of a second for each, and compile several at once.
        let all: Vec<&Region> = regions.iter().collect();
        let steps = || all.par_iter().map(|region| step(region)).collect::<Result<_, _>>();
        let (steps, record) = rayon::join(steps, record);
        Ok(Kernel { steps: steps?, record: record?, groups })
    }
}

/// Every shader of a kernel as (name, whole text).
pub fn texts(whole: &Plan, part: &Part, kernel: &StepKernel) -> Vec<(&'static str, String)> {
    let regions = kernel.regions(part);
    let text = |region: &Region| {
        let source = kernel.source(region.has_layers());
        (source.name, source.specialised(&constants(whole, part, &regions, region)))
    };
    // Recording alone always uses the step's shader.
    let record = constants(whole, part, &regions, regions.first());
    let record = (shader::STEP.name, shader::STEP.specialised(&record));
    regions.iter().map(text).chain([record]).collect()
}
