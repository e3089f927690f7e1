//! The memory of a stored wave, and transfers of its imaging steps to the host's memory and back,
//! while runs go on.

use crate::{
    EngineError, SourceWavefield,
    gpu::{device::Device, wavefield::Wavefield},
    locked,
    plan::Imaging,
    source_wavefield::{OnHost, Staged},
};
use rayon::prelude::*;
use std::{
    ops::Range,
    sync::{Arc, Mutex},
};
use wgpu::BufferUsages as Usage;

/// Values per copying task.
const AT_ONCE: usize = 1 << 18;

/// One buffer per slot, for each slab.
pub(crate) struct Slots {
    pub(crate) slabs: Vec<Vec<wgpu::Buffer>>,
    device: Device,
    /// The buffers that the host reads: one for each step and slab of a transfer.
    stage: Mutex<Vec<wgpu::Buffer>>,
}

impl Slots {
    pub(crate) fn new(slabs: Vec<Vec<wgpu::Buffer>>, device: &Device) -> Self {
        Slots { slabs, device: device.clone(), stage: Mutex::default() }
    }

    /// The slots for a wavefield, which must be cut alike.
    pub(crate) fn of(
        given: Option<&SourceWavefield>,
        wavefield: &Wavefield,
        imaging: Imaging,
    ) -> Result<Arc<Self>, EngineError> {
        let slots: Arc<Self> = SourceWavefield::of(given, &wavefield.plan, imaging)?;
        match slots.slabs.len() == wavefield.slabs.len() {
            true => Ok(slots),
            false => Err(EngineError::NoSourceWavefield),
        }
    }

    /// The buffers of some slots, slab by slab.
    fn of_slots(&self, slots: Range<usize>) -> impl Iterator<Item = &wgpu::Buffer> {
        slots.flat_map(|slot| self.slabs.iter().map(move |slab| &slab[slot]))
    }
}

impl Staged for Slots {
    fn bring(&self, slots: Range<usize>, mut to: Vec<&mut OnHost>) -> Result<(), EngineError> {
        let device = &self.device;
        let mut stage = locked(&self.stage);
        let from: Vec<_> = self.of_slots(slots).collect();
        for buffer in from.iter().skip(stage.len()) {
            let usage = Usage::COPY_DST | Usage::MAP_READ;
            let values = buffer.size() as usize / 4;
            stage.push(device.zeros("source wavefield out", values, usage)?);
        }
        let mut encoder = device.wgpu.create_command_encoder(&Default::default());
        for (from, to) in from.iter().zip(stage.iter()) {
            encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size());
        }
        let index = device.guarded(|| device.queue.submit([encoder.finish()]))?;
        let brought = &stage[..from.len()];
        brought.iter().for_each(|buffer| {
            // A failure shows when the range is read.
            buffer.slice(..).map_async(wgpu::MapMode::Read, |_| ());
        });
        device.wait(index)?;
        for step in &mut to {
            step.slabs.resize_with(self.slabs.len(), Vec::new);
        }
        let to = to.into_iter().flat_map(|step| &mut step.slabs);
        for (buffer, to) in brought.iter().zip(to) {
            let view = buffer.slice(..).get_mapped_range().map_err(|error| device.error(error))?;
            let values: &[f32] = bytemuck::cast_slice(&view);
            to.resize(values.len(), 0.0);
            let parts = to.par_chunks_mut(AT_ONCE).zip(values.par_chunks(AT_ONCE));
            parts.for_each(|(to, values)| to.copy_from_slice(values));
            drop(view);
            buffer.unmap();
        }
        Ok(())
    }

    fn send(&self, slots: Range<usize>, from: Vec<&OnHost>) -> Result<(), EngineError> {
        let from = from.into_iter().flat_map(|step| &step.slabs);
        for (buffer, values) in self.of_slots(slots).zip(from) {
            self.device.write(buffer, 0, values)?;
        }
        Ok(())
    }
}
