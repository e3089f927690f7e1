//! The wavelets of the sources, streamed: each block of samples is uploaded before its steps.

use super::device::Device;
use crate::{EngineError, plan::Plan};
use rayon::prelude::*;

/// The most bytes of wavelets on the device; shorter ones are there as a whole. A block of this size is prepared
/// while the device takes the steps of the block before.
const BUFFER: usize = 4 << 20;

/// Samples of each wavelet that are on the device at once.
pub(crate) fn samples(plan: &Plan) -> usize {
    let all = 4 * plan.wavelets.len();
    (BUFFER / all.max(1)).clamp(1, plan.time.steps.max(1))
}

/// The wavelets on the device.
pub(crate) struct Wavelets {
    pub(crate) buffer: wgpu::Buffer,
    samples: usize,
    /// Index of the block on the device.
    block: Option<usize>,
}

impl Wavelets {
    /// For a Plan; uploads the first block.
    pub(crate) fn new(device: &Device, plan: &Plan) -> Result<Self, EngineError> {
        let samples = samples(plan);
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let buffer = device.upload("wavelets", &block(plan, 0, samples), usage)?;
        Ok(Wavelets { buffer, samples, block: Some(0) })
    }

    /// The wavelets of another batch are uploaded before they are read.
    pub(crate) fn restart(&mut self) {
        self.block = None;
    }

    /// Steps from `step` on whose samples fit in one block.
    pub(crate) fn horizon(&self, step: usize) -> usize {
        self.samples - step % self.samples
    }

    /// Uploads the samples for a submit from `step` on, after the previous submits.
    pub(crate) fn bring(
        &mut self,
        device: &Device,
        plan: &Plan,
        step: usize,
    ) -> Result<(), EngineError> {
        let wanted = step / self.samples;
        if self.block == Some(wanted) || plan.wavelets.is_empty() {
            return Ok(());
        }
        let values = block(plan, wanted, self.samples);
        let bytes = bytemuck::cast_slice(&values);
        device.guarded(|| device.queue.write_buffer(&self.buffer, 0, bytes))?;
        self.block = Some(wanted);
        Ok(())
    }
}

/// A block of samples, `[wavelet][sample]`; zeros past the last step.
fn block(plan: &Plan, number: usize, samples: usize) -> Vec<f32> {
    let (first, end) = (number * samples, plan.time.steps.min((number + 1) * samples));
    let mut values = vec![0.0; plan.wavelets.len() * samples];
    let rows = values.par_chunks_mut(samples).zip(&plan.wavelets);
    rows.for_each(|(to, row)| {
        to.iter_mut().zip(&row[first.min(end)..end]).for_each(|(to, s)| *to = *s as f32);
    });
    values
}
