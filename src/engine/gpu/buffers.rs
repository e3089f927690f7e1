//! The buffers of a device.

use super::device::Device;
use crate::EngineError;
use rayon::prelude::*;

/// The smallest copy, in bytes, that is shared among cores, and the chunk of each core.
const LARGE: usize = 8 << 20;
const PAGE: usize = 4096;

impl Device {
    /// A buffer of zeros; at least 16 bytes, so that it can always be bound.
    pub(crate) fn zeros(
        &self,
        label: &'static str,
        values: usize,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, EngineError> {
        let size = (4 * values as u64).max(16);
        if size > self.limits().max_buffer_size {
            return Err(EngineError::TooLarge {
                what: label,
                size,
                limit: self.limits().max_buffer_size,
                unit: "bytes",
                device: self.info.name.clone(),
            });
        }
        let descriptor =
            wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
        let _allocating = tracing::info_span!(target: "timeline", "allocating").entered();
        self.guarded(|| self.wgpu.create_buffer(&descriptor))
    }

    /// A buffer that holds `values`.
    pub(crate) fn upload<T: bytemuck::Pod>(
        &self,
        label: &'static str,
        values: &[T],
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, EngineError> {
        if values.is_empty() {
            return self.zeros(label, 0, usage);
        }
        let contents: &[u8] = bytemuck::cast_slice(values);
        // As `create_buffer_init` does, which panics on a device that is lost.
        let size = (contents.len() as u64).next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
        let mapped_at_creation = true;
        let whole = wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation };
        let buffer = self.guarded(|| self.wgpu.create_buffer(&whole))?;
        let mut mapped = buffer.get_mapped_range_mut(..).map_err(|error| self.error(error))?;
        match contents.len() < LARGE {
            true => mapped.slice(..contents.len()).copy_from_slice(contents),
            false => copy(contents, mapped.slice(..)),
        }
        drop(mapped);
        self.guarded(|| buffer.unmap())?;
        Ok(buffer)
    }

    /// Writes values to a buffer at an offset in values; their size is a multiple of 4 bytes.
    pub(crate) fn write<T: bytemuck::Pod>(
        &self,
        buffer: &wgpu::Buffer,
        first: usize,
        values: &[T],
    ) -> Result<wgpu::SubmissionIndex, EngineError> {
        let contents: &[u8] = bytemuck::cast_slice(values);
        self.guarded(|| {
            let size = wgpu::BufferSize::new(contents.len() as u64);
            let at = (first * size_of::<T>()) as u64;
            let way = size.and_then(|size| self.queue.write_buffer_with(buffer, at, size));
            if let Some(mut way) = way {
                copy(contents, way.slice(..));
            }
            self.queue.submit([])
        })
    }

    /// Writes other values to a buffer, replaced by a larger one if it is too small; returns
    /// whether it was replaced.
    pub(crate) fn refill<T: bytemuck::Pod>(
        &self,
        buffer: &mut wgpu::Buffer,
        label: &'static str,
        values: &[T],
    ) -> Result<bool, EngineError> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        if bytes.len() as u64 <= buffer.size() {
            self.guarded(|| self.queue.write_buffer(buffer, 0, bytes))?;
            return Ok(false);
        }
        *buffer = self.upload(label, values, buffer.usage())?;
        Ok(true)
    }
}

/// Copies bytes with all cores; `to` may be longer.
fn copy(contents: &[u8], mut to: wgpu::WriteOnly<'_, [u8]>) {
    let (pages, rest) = contents.as_chunks::<PAGE>();
    let (to, mut end) = to.slice(..).into_chunks::<PAGE>();
    let to: Vec<_> = to.into_iter().collect();
    to.into_par_iter().zip(pages).for_each(|(to, page)| to.write(*page));
    end.slice(..rest.len()).copy_from_slice(rest);
}
