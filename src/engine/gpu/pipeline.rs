//! Bind groups and pipelines for all kernels.

use super::{device::Device, immediates::pipeline_layout};

/// Splits a long row of workgroups into rows within every device's limit.
pub fn rows(groups: usize) -> [u32; 2] {
    let groups = groups as u32;
    let x = groups.clamp(1, 65_535);
    [x, groups.div_ceil(x)]
}

/// A bind group layout: a uniform for `None`, otherwise a storage buffer, writable or not.
pub fn bindings(device: &Device, writable: &[Option<bool>]) -> wgpu::BindGroupLayout {
    let entry = |(binding, writable): (usize, &Option<bool>)| wgpu::BindGroupLayoutEntry {
        binding: binding as u32,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: match writable {
                None => wgpu::BufferBindingType::Uniform,
                Some(writable) => wgpu::BufferBindingType::Storage { read_only: !writable },
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let entries: Vec<_> = writable.iter().enumerate().map(entry).collect();
    let descriptor = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
    device.wgpu.create_bind_group_layout(&descriptor)
}

/// A bind group of whole buffers, in the order of their bindings.
pub fn bind(
    device: &Device,
    layout: &wgpu::BindGroupLayout,
    buffers: &[&wgpu::Buffer],
) -> wgpu::BindGroup {
    let entries: Vec<_> = (0u32..)
        .zip(buffers)
        .map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.as_entire_binding(),
        })
        .collect();
    let descriptor = wgpu::BindGroupDescriptor { label: None, layout, entries: &entries };
    device.wgpu.create_bind_group(&descriptor)
}

/// A compute pipeline over a layout.
pub fn pipeline_of(
    device: &Device,
    module: &wgpu::ShaderModule,
    entry: &str,
    layout: &wgpu::PipelineLayout,
) -> wgpu::ComputePipeline {
    device.wgpu.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(entry),
        layout: Some(layout),
        module,
        entry_point: Some(entry),
        compilation_options: wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: false,
            ..Default::default()
        },
        cache: None,
    })
}

/// A compute pipeline with a layout of its own.
pub fn pipeline(
    device: &Device,
    module: &wgpu::ShaderModule,
    entry: &str,
    groups: &[&wgpu::BindGroupLayout],
    immediates: u32,
) -> wgpu::ComputePipeline {
    pipeline_of(device, module, entry, &pipeline_layout(device, groups, immediates))
}
