//! The few values that a dispatch is given of its own: its step, a row of the traces.
//!
//! Where a device has immediates, those are used. WebGPU promises none: there each dispatch reads its own piece of a uniform buffer,
//! which is written before the submit, and the shader's `var<immediate>` is that buffer.

use super::device::Device;
use crate::engine::EngineError;
use std::cell::RefCell;
use wgpu::{BufferUsages as Usage, Features};

/// The group that the uniform is in; a kernel's own are before it.
const GROUP: u32 = 2;
/// Bytes that the longest take: no device wants pieces of a uniform buffer so near to each other.
pub const LONGEST: u64 = 16;

/// Gives them to the dispatches of a run.
pub struct Immediates(Option<Uniform>);

struct Uniform {
    buffer: wgpu::Buffer,
    bound: wgpu::BindGroup,
    /// From a piece to the next, bytes.
    stride: usize,
    /// What the dispatches of the submit in the making read.
    pieces: RefCell<Vec<u8>>,
}

impl Immediates {
    /// For submits of so many dispatches at most.
    pub fn new(device: &Device, dispatches: usize) -> Result<Self, EngineError> {
        if device.has(Features::IMMEDIATES) {
            return Ok(Immediates(None));
        }
        let stride = device.limits().min_uniform_buffer_offset_alignment as usize;
        let usage = Usage::UNIFORM | Usage::COPY_DST;
        let buffer = device.zeros("immediates", dispatches * stride / 4, usage)?;
        let bound = device.guarded(|| {
            let size = wgpu::BufferSize::new(LONGEST);
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

    /// Gives the next dispatch of a pass its own.
    pub fn give(&self, pass: &mut wgpu::ComputePass<'_>, values: &[u8]) {
        let Some(Uniform { bound, stride, pieces, .. }) = &self.0 else {
            return pass.set_immediates(0, values);
        };
        let mut pieces = pieces.borrow_mut();
        pass.set_bind_group(GROUP, bound, &[pieces.len() as u32]);
        pieces.extend(values);
        let end = pieces.len().next_multiple_of(*stride);
        pieces.resize(end, 0);
    }

    /// Writes those of the next submit.
    pub fn send(&self, device: &Device) -> Result<(), EngineError> {
        let Some(Uniform { buffer, pieces, .. }) = &self.0 else { return Ok(()) };
        let pieces = std::mem::take(&mut *pieces.borrow_mut());
        device.guarded(|| device.queue.write_buffer(buffer, 0, &pieces))
    }
}

/// What binds the uniform.
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

/// The layout of pipelines whose shader takes so many bytes of immediates after these groups.
pub fn pipeline_layout(
    device: &Device,
    groups: &[&wgpu::BindGroupLayout],
    bytes: u32,
) -> wgpu::PipelineLayout {
    let mut all: Vec<_> = groups.iter().map(|group| Some(*group)).collect();
    let uniform;
    let mut immediate_size = bytes;
    if bytes > 0 && !device.has(Features::IMMEDIATES) {
        uniform = layout(device);
        all.resize(GROUP as usize, None);
        all.push(Some(&uniform));
        immediate_size = 0;
    }
    device.wgpu.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &all,
        immediate_size,
    })
}

/// A shader's text for a device without immediates: they come in a uniform buffer instead.
pub fn without_immediates(text: &str) -> String {
    text.replace("var<immediate>", &format!("@group({GROUP}) @binding(0) var<uniform>"))
}
