//! p on the model's nodes at chosen steps: a copy of the field between two submits.

use super::{Demand, GpuTap, Span, arrays};
use crate::engine::{
    EngineError, Observer, Snapshot,
    gpu::{
        device::Device,
        part::Part,
        staging::{IN_FLIGHT, Staging},
        wavefield::Wavefield,
    },
};
use ndarray::Array3;

pub struct Snapshots {
    steps: Vec<usize>,
    /// Of each slab.
    staging: Vec<Staging>,
}

/// What it takes for so many shots.
pub fn demand(part: &Part, shots: usize) -> Demand {
    let field = shots * part.layout.len();
    let staged = vec![arrays("snapshots on their way out", IN_FLIGHT, field)];
    Demand { staged, ..Demand::default() }
}

impl Snapshots {
    pub fn new(
        device: &Device,
        wavefield: &Wavefield,
        steps: &[usize],
    ) -> Result<Self, EngineError> {
        let of = |field: &wgpu::Buffer| Staging::new(device, "snapshot", field.size() as usize / 4);
        let staging = wavefield.slabs.iter().map(|slab| of(slab.field(0)));
        Ok(Snapshots { steps: steps.to_vec(), staging: staging.collect::<Result<_, _>>()? })
    }

    /// Whether a submit ends at a snapshot; the one that a run begins at belongs to its first submit, of no steps.
    fn due(&self, span: &Span) -> bool {
        let ends = span.end > span.first || !span.last;
        ends && self.steps.binary_search(&span.end).is_ok()
    }
}

impl GpuTap for Snapshots {
    fn horizon(&self, step: usize) -> usize {
        let next = self.steps.iter().find(|at| **at > step);
        next.map_or(usize::MAX, |next| next - step)
    }

    fn encode_after(
        &mut self,
        wavefield: &Wavefield,
        span: &Span,
        encoder: &mut wgpu::CommandEncoder,
    ) {
        if self.due(span) {
            for (staging, slab) in self.staging.iter().zip(&wavefield.slabs) {
                staging.copy(span.slot, encoder, slab.field(span.end), 0, staging.values());
            }
        }
    }

    fn map(&self, span: &Span) {
        if self.due(span) {
            self.staging.iter().for_each(|staging| staging.map(span.slot, staging.values()));
        }
    }

    fn collect(
        &mut self,
        device: &Device,
        Wavefield { own, slabs, .. }: &Wavefield,
        span: &Span,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        if !self.due(span) {
            return Ok(());
        }
        let mut fields = vec![Array3::zeros(own.plan.model_grid.shape()); own.plan.shots.len()];
        for (staging, slab) in self.staging.iter().zip(slabs) {
            let (part, layout) = (&slab.part, &slab.part.layout);
            staging.read(device, span.slot, staging.values(), |p: &[f32]| {
                for (field, p) in fields.iter_mut().zip(p.chunks_exact(layout.len())) {
                    layout.copy_window(p, part.plan.origin, part.of_model(own, field));
                }
            })?;
        }
        for (shot, field) in fields.into_iter().enumerate() {
            observer.snapshot(Snapshot { shot, step: span.end, field });
        }
        Ok(())
    }
}
