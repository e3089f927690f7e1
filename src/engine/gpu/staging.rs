//! Buffers that copy results to the host while the next submit runs: one per submit in flight.

use super::device::Device;
use crate::EngineError;
use wgpu::BufferUsages as Usage;

/// Submits in flight: one runs while the previous one is read.
pub(crate) const IN_FLIGHT: usize = 2;

/// Copies `values` 4-byte values of a buffer, from `first` on, to the host and waits for them.
pub(crate) fn bring<R>(
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
pub(crate) struct Staging {
    buffers: [wgpu::Buffer; IN_FLIGHT],
}

impl Staging {
    /// Buffers for `values` 4-byte values.
    pub(crate) fn new(
        device: &Device,
        label: &'static str,
        values: usize,
    ) -> Result<Self, EngineError> {
        let buffer = || device.zeros(label, values, Usage::COPY_DST | Usage::MAP_READ);
        Ok(Staging { buffers: [buffer()?, buffer()?] })
    }

    /// Their capacity in values.
    pub(crate) fn values(&self) -> usize {
        self.buffers[0].size() as usize / 4
    }

    /// Copies `values` 4-byte values from `first` on, once the previous passes are done.
    pub(crate) fn copy(
        &self,
        slot: usize,
        encoder: &mut wgpu::CommandEncoder,
        from: &wgpu::Buffer,
        first: usize,
        values: usize,
    ) {
        let [first, size] = [first, values].map(|values| 4 * values as u64);
        encoder.copy_buffer_to_buffer(from, first, &self.buffers[slot], 0, size);
    }

    /// Maps the slot, for reading once its submit is done.
    pub(crate) fn map(&self, slot: usize, values: usize) {
        // A failure shows when the range is read.
        self.buffers[slot].slice(..4 * values as u64).map_async(wgpu::MapMode::Read, |_| ());
    }

    /// Reads `values` 4-byte values of a slot whose submit is done, and unmaps it.
    pub(crate) fn read<T: bytemuck::AnyBitPattern, R>(
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
