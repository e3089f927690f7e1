//! What slabs need of each other after every step.

use super::{device::Device, pipeline, shader, slab::Slab};
use crate::engine::{EngineError, Layout};

/// Brings the pieces at the ends of slabs to their neighbours' ghosts, wherever those are.
pub trait Exchange {
    /// Of p at a step, once every slab has stepped to it.
    fn encode(&self, step: usize, pass: &mut wgpu::ComputePass<'_>);
}

/// Slabs on one device.
pub struct OnDevice(Vec<Seam>);

/// Where two slabs meet.
struct Seam {
    pipeline: wgpu::ComputePipeline,
    /// On p at even steps and at odd ones.
    groups: [wgpu::BindGroup; 2],
    dispatch: [u32; 3],
}

/// shaders/ghosts.wgsl.
pub static GHOSTS: shader::Source = shader::Source {
    name: "ghosts",
    text: include_str!("../../../shaders/ghosts.wgsl"),
    library: &[],
};

/// Invocations of a workgroup.
const WORKGROUP: usize = 256;

/// Values of the ghosts at an end.
fn values(layout: &Layout) -> usize {
    layout.radius * layout.slowest().1
}

/// What specialises it for two layouts that meet.
pub fn constants(low: &Layout, high: &Layout) -> shader::Constants {
    let end = low.pieces().end;
    shader::Constants::default()
        .int("WG", WORKGROUP)
        .int("FOURS", values(low) / 4)
        .int("LOW_FIELD", low.len() / 4)
        .int("HIGH_FIELD", high.len() / 4)
        .int("LOW_LAST", (end - values(low)) / 4)
        .int("LOW_GHOSTS", end / 4)
        .int("HIGH_FIRST", high.lead / 4)
        .int("HIGH_GHOSTS", (high.lead - values(high)) / 4)
}

impl OnDevice {
    pub fn new(
        device: &Device,
        slabs: &[&Slab],
        shots: usize,
        checked: bool,
    ) -> Result<Self, EngineError> {
        let seam = |two: &[&Slab]| {
            let [low, high] = two else { unreachable!("windows of two") };
            let constants = constants(&low.part.layout, &high.part.layout);
            let module = GHOSTS.module(device, &constants, checked)?;
            let (pipeline, groups) = device.guarded(|| {
                let layout = pipeline::bindings(device, &[Some(true), Some(true)]);
                let bind =
                    |step| pipeline::bind(device, &layout, &[low.field(step), high.field(step)]);
                (pipeline::pipeline(device, &module, "exchange", &[&layout], 0), [bind(0), bind(1)])
            })?;
            let [x, y] = pipeline::rows((values(&low.part.layout) / 4).div_ceil(WORKGROUP));
            Ok(Seam { pipeline, groups, dispatch: [x, y, shots as u32] })
        };
        Ok(OnDevice(slabs.windows(2).map(seam).collect::<Result<_, EngineError>>()?))
    }
}

impl Exchange for OnDevice {
    fn encode(&self, step: usize, pass: &mut wgpu::ComputePass<'_>) {
        for Seam { pipeline, groups, dispatch: [x, y, z] } in &self.0 {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &groups[step % 2], &[]);
            pass.dispatch_workgroups(*x, *y, *z);
        }
    }
}
