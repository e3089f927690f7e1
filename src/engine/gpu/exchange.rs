//! The exchange of ghosts between slabs after every step.

use super::{
    device::Device,
    pipeline::{self, Bound, Entry},
    shader,
    slab::Slab,
};
use crate::{EngineError, Layout};
use std::ops::Range;
use wgpu::BufferUsages as Usage;

/// Copies the pieces at the ends of slabs to their neighbours' ghosts, the seams of a row of slabs
/// at a time.
pub(crate) struct Exchange(Vec<Bound>);

/// shaders/ghosts.wgsl.
pub(crate) static GHOSTS: shader::Source = shader::source!("ghosts");

/// Slabs per dispatch. Each dispatch waits for the previous one, which is almost the whole cost of
/// small ones.
const TOGETHER: usize = 4;
const WORKGROUP: usize = 256;

/// Values of the ghosts at an end.
fn values(layout: &Layout) -> usize {
    layout.radius * layout.slowest().1
}

/// Seams in the longest row of `slabs` slabs.
pub(crate) fn seams(slabs: usize) -> usize {
    (TOGETHER - 1).min(slabs.saturating_sub(1))
}

/// Splits slabs into rows, one per dispatch; each begins with the last slab of the previous row.
pub(crate) fn rows(slabs: usize) -> impl Iterator<Item = Range<usize>> {
    (0..slabs.saturating_sub(1)).step_by(TOGETHER - 1).map(move |at| at..(at + TOGETHER).min(slabs))
}

/// The constants for the layouts of a row.
pub(crate) fn constants(row: &[&Layout]) -> shader::Constants {
    let (fours, lead) = (values(row[0]) / 4, row[0].lead / 4);
    let all = shader::Constants::default().int("WG", WORKGROUP).int("SEAMS", row.len() - 1);
    let parts = ["0", "1", "2", "3"].into_iter().enumerate();
    parts.fold(all.int("FOURS", fours).int("LEAD", lead), |all, (i, name)| {
        let [field, end] = row.get(i).map_or([0; 2], |part| [part.len(), part.pieces().end]);
        all.int(format!("FIELD_{name}"), field / 4).int(format!("END_{name}"), end / 4)
    })
}

impl Exchange {
    pub(crate) fn new(device: &Device, slabs: &[&Slab], shots: usize) -> Result<Self, EngineError> {
        let seams = |row: Range<usize>| {
            let slabs = &slabs[row];
            let layouts: Vec<_> = slabs.iter().map(|slab| &slab.part.layout).collect();
            // Placeholders for the slabs that a shorter row lacks.
            let none = (slabs.len()..TOGETHER).map(|_| device.zeros("none", 0, Usage::STORAGE));
            let none = none.collect::<Result<Vec<_>, _>>()?;
            let fields = |step| -> Vec<_> {
                slabs.iter().map(|slab| slab.field(step)).chain(&none).collect()
            };
            let [x, y] = pipeline::rows((values(layouts[0]) / 4).div_ceil(WORKGROUP));
            let entry = Entry {
                source: &GHOSTS,
                name: "exchange",
                constants: constants(&layouts),
                workgroups: [x, y, ((slabs.len() - 1) * shots) as u32],
                immediates: 0,
            };
            entry.bind(device, &[true; TOGETHER], &[fields(0), fields(1)])
        };
        Ok(Exchange(rows(slabs.len()).map(seams).collect::<Result<_, EngineError>>()?))
    }

    /// Copies p at a step, once every slab has reached it.
    pub(crate) fn encode(&self, step: usize, pass: &mut wgpu::ComputePass<'_>) {
        // Every other row: consecutive rows share a slab.
        let (even, odd) = (self.0.iter().step_by(2), self.0.iter().skip(1).step_by(2));
        even.chain(odd).for_each(|seams| seams.encode(pass, step % 2));
    }
}
