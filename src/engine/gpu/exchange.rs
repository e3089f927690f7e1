//! What slabs need of each other after every step.

use super::{device::Device, pipeline, shader, slab::Slab};
use crate::engine::{EngineError, Layout};
use std::ops::Range;
use wgpu::BufferUsages as Usage;

/// Brings the pieces at the ends of slabs to their neighbours' ghosts, wherever those are.
pub trait Exchange {
    /// Of p at a step, once every slab has stepped to it.
    fn encode(&self, step: usize, pass: &mut wgpu::ComputePass<'_>);
}

/// Slabs on one device.
pub struct OnDevice(Vec<Seams>);

/// Where some slabs in a row meet.
struct Seams {
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

/// Slabs that a dispatch takes. Each dispatch waits for the one before, and small ones cost little but that.
const TOGETHER: usize = 4;
/// Invocations of a workgroup.
const WORKGROUP: usize = 256;

/// Values of the ghosts at an end.
fn values(layout: &Layout) -> usize {
    layout.radius * layout.slowest().1
}

/// Where slabs meet, in the longest row of so many.
pub fn seams(slabs: usize) -> usize {
    (TOGETHER - 1).min(slabs.saturating_sub(1))
}

/// So many slabs by rows of those that a dispatch takes; where a row ends, the next begins with the same slab.
pub fn rows(slabs: usize) -> impl Iterator<Item = Range<usize>> {
    (0..slabs.saturating_sub(1)).step_by(TOGETHER - 1).map(move |at| at..(at + TOGETHER).min(slabs))
}

/// What specialises it for the layouts of a row.
pub fn constants(row: &[&Layout]) -> shader::Constants {
    let (fours, lead) = (values(row[0]) / 4, row[0].lead / 4);
    let all = shader::Constants::default().int("WG", WORKGROUP).int("SEAMS", row.len() - 1);
    let parts = ["0", "1", "2", "3"].into_iter().enumerate();
    parts.fold(all.int("FOURS", fours).int("LEAD", lead), |all, (i, name)| {
        let [field, end] = row.get(i).map_or([0; 2], |part| [part.len(), part.pieces().end]);
        all.int(format!("FIELD_{name}"), field / 4).int(format!("END_{name}"), end / 4)
    })
}

impl OnDevice {
    pub fn new(
        device: &Device,
        slabs: &[&Slab],
        shots: usize,
        checked: bool,
    ) -> Result<Self, EngineError> {
        let seams = |row: Range<usize>| {
            let slabs = &slabs[row];
            let layouts: Vec<_> = slabs.iter().map(|slab| &slab.part.layout).collect();
            let module = GHOSTS.module(device, &constants(&layouts), checked)?;
            // In the places of slabs that a shorter row lacks.
            let none = (slabs.len()..TOGETHER).map(|_| device.zeros("none", 0, Usage::STORAGE));
            let none = none.collect::<Result<Vec<_>, _>>()?;
            let (pipeline, groups) = device.guarded(|| {
                let layout = pipeline::bindings(device, &[Some(true); TOGETHER]);
                let bind = |step| {
                    let fields = slabs.iter().map(|slab| slab.field(step)).chain(&none);
                    pipeline::bind(device, &layout, &fields.collect::<Vec<_>>())
                };
                (pipeline::pipeline(device, &module, "exchange", &[&layout], 0), [bind(0), bind(1)])
            })?;
            let [x, y] = pipeline::rows((values(layouts[0]) / 4).div_ceil(WORKGROUP));
            Ok(Seams { pipeline, groups, dispatch: [x, y, ((slabs.len() - 1) * shots) as u32] })
        };
        Ok(OnDevice(rows(slabs.len()).map(seams).collect::<Result<_, EngineError>>()?))
    }
}

impl Exchange for OnDevice {
    fn encode(&self, step: usize, pass: &mut wgpu::ComputePass<'_>) {
        // Every other row: two that follow each other have a slab in common.
        let (even, odd) = (self.0.iter().step_by(2), self.0.iter().skip(1).step_by(2));
        for Seams { pipeline, groups, dispatch: [x, y, z] } in even.chain(odd) {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &groups[step % 2], &[]);
            pass.dispatch_workgroups(*x, *y, *z);
        }
    }
}
