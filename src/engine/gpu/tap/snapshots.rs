//! p on the model's nodes at chosen steps: a copy of the field between two submits.

use super::{GpuTap, Span};
use crate::{
    engine::{
        EngineError, Layout, Observer, Snapshot,
        gpu::{device::Device, slab::Slab, staging::Staging},
    },
    plan::Plan,
};

pub struct Snapshots {
    steps: Vec<usize>,
    layout: Layout,
    values: usize,
    staging: Staging,
}

impl Snapshots {
    pub fn new(device: &Device, slab: &Slab, steps: &[usize]) -> Result<Self, EngineError> {
        let values = slab.field(0).size() as usize / 4;
        let staging = Staging::new(device, "snapshot", values)?;
        Ok(Snapshots { steps: steps.to_vec(), layout: slab.layout, values, staging })
    }

    /// Whether a submit ends at a snapshot; the one at step 0 belongs to a submit of no steps.
    fn due(&self, span: &Span) -> bool {
        (span.end == 0 || span.end > span.first) && self.steps.binary_search(&span.end).is_ok()
    }
}

impl GpuTap for Snapshots {
    fn horizon(&self, step: usize) -> usize {
        let next = self.steps.iter().find(|at| **at > step);
        next.map_or(usize::MAX, |next| next - step)
    }

    fn encode_after(&mut self, slab: &Slab, span: &Span, encoder: &mut wgpu::CommandEncoder) {
        if self.due(span) {
            self.staging.copy(span.slot, encoder, slab.field(span.end), 0, self.values);
        }
    }

    fn map(&self, span: &Span) {
        if self.due(span) {
            self.staging.map(span.slot, self.values);
        }
    }

    fn collect(
        &mut self,
        device: &Device,
        plan: &Plan,
        span: &Span,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        if !self.due(span) {
            return Ok(());
        }
        let layout = &self.layout;
        self.staging.read(device, span.slot, self.values, |p: &[f32]| {
            for (shot, p) in p.chunks_exact(layout.len()).take(plan.shots.len()).enumerate() {
                let field = layout.window(p, plan.origin, plan.model_grid.n);
                observer.snapshot(Snapshot { shot, step: span.end, field });
            }
        })
    }
}
