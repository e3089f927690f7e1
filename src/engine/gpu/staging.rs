//! Buffers that bring results to the host while the next submit runs: one a submit in flight.

use super::device::Device;
use crate::engine::EngineError;
use wgpu::BufferUsages as Usage;

/// Submits in flight: one runs while the one before is read.
pub const IN_FLIGHT: usize = 2;

/// Brings `values` of 4 bytes of a buffer, from `first` on, to the host and waits for them.
pub fn bring<R>(
    device: &Device,
    from: &wgpu::Buffer,
    first: usize,
    values: usize,
    read: impl FnOnce(&[f32]) -> R,
) -> Result<R, EngineError> {
    if values == 0 {
        return Ok(read(&[]));
    }
    let size = 4 * values as u64;
    let to = device.zeros("brought", values, Usage::COPY_DST | Usage::MAP_READ)?;
    let mut encoder = device.wgpu.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(from, 4 * first as u64, &to, 0, size);
    let index = device.queue.submit([encoder.finish()]);
    to.slice(..size).map_async(wgpu::MapMode::Read, |_| ());
    device.wait(index)?;
    let view = to.slice(..size).get_mapped_range().map_err(|error| device.error(error))?;
    Ok(read(bytemuck::cast_slice(&view)))
}

/// A mappable buffer for each submit in flight.
pub struct Staging {
    buffers: [wgpu::Buffer; IN_FLIGHT],
}

impl Staging {
    /// Room for `values` of 4 bytes.
    pub fn new(device: &Device, label: &'static str, values: usize) -> Result<Self, EngineError> {
        let buffer = || device.zeros(label, values, Usage::COPY_DST | Usage::MAP_READ);
        Ok(Staging { buffers: [buffer()?, buffer()?] })
    }

    /// Values that it has room for.
    pub fn values(&self) -> usize {
        self.buffers[0].size() as usize / 4
    }

    /// Copies `values` of 4 bytes from `first` on, once the passes before are done.
    pub fn copy(
        &self,
        slot: usize,
        encoder: &mut wgpu::CommandEncoder,
        from: &wgpu::Buffer,
        first: usize,
        values: usize,
    ) {
        self.copy_to((slot, 0), encoder, from, first, values);
    }

    /// The same to a place of the slot.
    pub fn copy_to(
        &self,
        (slot, at): (usize, usize),
        encoder: &mut wgpu::CommandEncoder,
        from: &wgpu::Buffer,
        first: usize,
        values: usize,
    ) {
        let [from_at, at, size] = [first, at, values].map(|values| 4 * values as u64);
        encoder.copy_buffer_to_buffer(from, from_at, &self.buffers[slot], at, size);
    }

    /// Asks for the slot to be readable once its submit is done.
    pub fn map(&self, slot: usize, values: usize) {
        // A failure shows when the range is taken.
        self.buffers[slot].slice(..4 * values as u64).map_async(wgpu::MapMode::Read, |_| ());
    }

    /// Reads `values` of 4 bytes of a slot whose submit is done, and frees it.
    pub fn read<T: bytemuck::AnyBitPattern, R>(
        &self,
        device: &Device,
        slot: usize,
        values: usize,
        read: impl FnOnce(&[T]) -> R,
    ) -> Result<R, EngineError> {
        let buffer = &self.buffers[slot];
        let view = buffer.slice(..4 * values as u64).get_mapped_range();
        let result = view.map(|view| read(bytemuck::cast_slice(&view)));
        buffer.unmap();
        result.map_err(|error| device.error(format!("{error}")))
    }
}
