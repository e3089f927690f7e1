//! The few values that differ between dispatches: the step, and a row of the traces.
//!
//! They are immediates if the device has them. WebGPU guarantees none: there each dispatch reads
//! its own piece of a uniform buffer, which is written before the submit, and the shader's
//! `var<immediate>` is that buffer.

use super::{adapters::LONGEST_IMMEDIATES, device::Device, shader::UNIFORM_GROUP};
use crate::EngineError;
use std::cell::RefCell;
use wgpu::{BufferUsages as Usage, Features};

/// Supplies the dispatches of a run with their immediates.
pub(crate) struct Immediates(Option<Uniform>);

struct Uniform {
    buffer: wgpu::Buffer,
    bound: wgpu::BindGroup,
    /// From one piece to the next, bytes.
    stride: usize,
    /// The pieces for the dispatches of the submit being encoded.
    pieces: RefCell<Vec<u8>>,
}

impl Immediates {
    /// For submits of at most `dispatches` dispatches.
    pub(crate) fn new(device: &Device, dispatches: usize) -> Result<Self, EngineError> {
        if device.has(Features::IMMEDIATES) {
            return Ok(Immediates(None));
        }
        let stride = device.limits().min_uniform_buffer_offset_alignment as usize;
        let usage = Usage::UNIFORM | Usage::COPY_DST;
        let buffer = device.zeros("immediates", dispatches * stride / 4, usage)?;
        let bound = device.guarded(|| {
            let size = wgpu::BufferSize::new(LONGEST_IMMEDIATES);
            let binding = wgpu::BufferBinding { buffer: &buffer, offset: 0, size };
            let resource = wgpu::BindingResource::Buffer(binding);
            device.wgpu.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &layout(device),
                entries: &[wgpu::BindGroupEntry { binding: 0, resource }],
            })
        })?;
        Ok(Immediates(Some(Uniform { buffer, bound, stride, pieces: RefCell::default() })))
    }

    /// Supplies the next dispatch of a pass.
    pub(crate) fn give(&self, pass: &mut wgpu::ComputePass<'_>, values: &[u8]) {
        let Some(Uniform { bound, stride, pieces, .. }) = &self.0 else {
            return pass.set_immediates(0, values);
        };
        let mut pieces = pieces.borrow_mut();
        pass.set_bind_group(UNIFORM_GROUP, bound, &[pieces.len() as u32]);
        pieces.extend(values);
        let end = pieces.len().next_multiple_of(*stride);
        pieces.resize(end, 0);
    }

    /// Writes the pieces of the next submit.
    pub(crate) fn send(&self, device: &Device) -> Result<(), EngineError> {
        let Some(Uniform { buffer, pieces, .. }) = &self.0 else { return Ok(()) };
        let pieces = std::mem::take(&mut *pieces.borrow_mut());
        device.guarded(|| device.queue.write_buffer(buffer, 0, &pieces))
    }
}

/// The bind group layout of the uniform.
fn layout(device: &Device) -> wgpu::BindGroupLayout {
    let entry = wgpu::BindGroupLayoutEntry {
        binding: 0,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: true,
            min_binding_size: None,
        },
        count: None,
    };
    let descriptor = wgpu::BindGroupLayoutDescriptor { label: None, entries: &[entry] };
    device.wgpu.create_bind_group_layout(&descriptor)
}

/// The layout of pipelines whose shader takes this many bytes of immediates after these groups.
pub(crate) fn pipeline_layout(
    device: &Device,
    groups: &[&wgpu::BindGroupLayout],
    bytes: u32,
) -> wgpu::PipelineLayout {
    let mut all: Vec<_> = groups.iter().map(|group| Some(*group)).collect();
    let uniform;
    let mut immediate_size = bytes;
    if bytes > 0 && !device.has(Features::IMMEDIATES) {
        uniform = layout(device);
        all.resize(UNIFORM_GROUP as usize, None);
        all.push(Some(&uniform));
        immediate_size = 0;
    }
    device.wgpu.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &all,
        immediate_size,
    })
}
