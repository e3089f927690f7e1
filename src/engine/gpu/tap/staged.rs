//! Transfers of imaging steps to the host's memory and back, while runs go on.

use super::store::Slots;
use crate::engine::{
    EngineError,
    gpu::device::Device,
    source_wavefield::{OnHost, Staged},
};
use rayon::prelude::*;
use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};
use wgpu::BufferUsages as Usage;

/// Values per copying task.
const AT_ONCE: usize = 1 << 18;

/// The buffers that the host reads: one for each step and slab of a transfer.
#[derive(Default)]
pub struct Stage(Mutex<Vec<wgpu::Buffer>>);

impl Slots {
    /// The buffers of some slots, slab by slab.
    fn of_slots(&self, slots: Range<usize>) -> impl Iterator<Item = &wgpu::Buffer> {
        slots.flat_map(|slot| self.0.iter().map(move |slab| &slab[slot]))
    }

    fn device(&self) -> &Device {
        &self.1
    }
}

impl Staged for Slots {
    fn bring(&self, slots: Range<usize>, mut to: Vec<&mut OnHost>) -> Result<(), EngineError> {
        let (device, Stage(stage)) = (self.device(), &self.2);
        let mut stage = stage.lock().unwrap_or_else(PoisonError::into_inner);
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
            step.slabs.resize_with(self.0.len(), Vec::new);
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
            self.device().write(buffer, 0, values)?;
        }
        Ok(())
    }
}
