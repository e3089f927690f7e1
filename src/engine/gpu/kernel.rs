//! A kernel prepared for a Plan: constants and pipelines of its regions.

use super::{
    acquisition::{has_weights, samples},
    device::Device,
    kernels::StepKernel,
    layers::{memory_len, memory_z},
    model,
    part::Part,
    pipeline::{bindings, pipeline},
    region::{Region, Regions},
    shader,
    sleep::{self, Sleep},
    wavelets,
};
use crate::{EngineError, grid::Axes, plan::Plan, stencil::Fourth};
use rayon::prelude::*;

/// Bytes of immediates: the step and the row of the traces.
const IMMEDIATES: u32 = 8;

/// The constants of shaders/step.wgsl and its variants for a region of a part of a Plan.
pub(crate) fn constants(
    whole: &Plan,
    part: &Part,
    regions: &Regions,
    region: &Region,
    sleeps: bool,
) -> shader::Constants {
    let Part { plan, layout, .. } = part;
    let (x, y, z) = (plan.profile.x.memory, plan.profile.y.memory, memory_z(plan));
    let (span, shape) = (region.span, &region.shape);
    let cpml = whole.has_cpml();
    let ends = Axes { z: span.z.is_ends(z), x: span.x.is_ends(x), y: span.y.is_ends(y) };
    let shots = plan.shots.len();
    let named = model::constants(shader::Constants::default(), plan, layout);
    sleep::constants(named, layout, shots, sleeps)
        .int("RADIUS", whole.radius())
        .int("DIAGONALS", plan.fourth.as_ref().map_or(0, Fourth::diagonals))
        .flag("VOLUME", layout.is_volume())
        .flag("FREE_SURFACE", plan.free_surface)
        .flag("INCREMENTS", plan.by_increments)
        .layout(layout)
        .axes("WG", shape.workgroup)
        .int("SLICES", shape.slices)
        .spans(span)
        .axes("TILES", region.tiles)
        .int("BLOCK", region.block)
        .int("FIRST_TILE", region.first_tile)
        .int("TILES", regions.tiles())
        .int("SHOTS", shots)
        .int("SAMPLES", wavelets::samples(whole))
        .flag("STREAMED", wavelets::samples(whole) < whole.time.steps)
        .int("RECEIVERS", whole.most_receivers())
        .flag("SPLIT", part.is_split())
        .flag("BETWEEN_NODES", has_weights(whole))
        .axes("SAMPLES", samples(whole))
        .flag("SPONGE", whole.has_sponge() && region.has_layers())
        .axis_flags("CPML", region.layers.map(|layers| cpml && layers))
        .axis_flags("ENDS", ends)
        .ends(Axes { z, x, y })
        .int("MEMORY", memory_len(plan) / 4)
}

/// The pipelines of a kernel's regions, all with one layout.
pub(crate) struct Kernel {
    /// One per region.
    pub(crate) steps: Vec<wgpu::ComputePipeline>,
    /// Records without stepping, with the shape of the first region.
    pub(crate) record: wgpu::ComputePipeline,
    /// Group 0, which never changes, and group 1, the fields.
    pub(crate) groups: [wgpu::BindGroupLayout; 2],
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
    pub(crate) fn new(
        device: &Device,
        whole: &Plan,
        part: &Part,
        regions: &Regions,
        kernel: &StepKernel,
        sleep: Sleep,
    ) -> Result<Self, EngineError> {
        let sleeps = kernel.sleeps(sleep, whole, part);
        let groups = device.guarded(|| [bindings(device, &GROUP_0), bindings(device, &GROUP_1)])?;
        let entry = |module: &wgpu::ShaderModule, name: &str| {
            device.guarded(|| pipeline(device, module, name, &groups.each_ref(), IMMEDIATES))
        };
        let module = |source: &shader::Source, region: &Region| {
            source.module(device, &constants(whole, part, regions, region, sleeps))
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
pub(crate) fn texts(
    whole: &Plan,
    part: &Part,
    kernel: &StepKernel,
    sleep: Sleep,
) -> Vec<(&'static str, String)> {
    let sleeps = kernel.sleeps(sleep, whole, part);
    let regions = kernel.regions(part);
    let text = |region: &Region| {
        let source = kernel.source(region.has_layers());
        source.named(&constants(whole, part, &regions, region, sleeps))
    };
    // Recording alone always uses the step's shader.
    let record = constants(whole, part, &regions, regions.first(), sleeps);
    let record = shader::STEP.named(&record);
    regions.iter().map(text).chain([record]).collect()
}
