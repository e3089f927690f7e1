//! The browser's device.

use huygens::engine::{
    Engine,
    gpu::{Gpu, wgpu},
};

/// The browser's WebGPU.
pub fn instance() -> wgpu::Instance {
    let descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    let backends = wgpu::Backends::BROWSER_WEBGPU;
    wgpu::Instance::new(wgpu::InstanceDescriptor { backends, ..descriptor })
}

/// The fastest adapter, with all that it offers and those optional features of it; for a canvas, if
/// one is given.
pub async fn opened(
    instance: &wgpu::Instance,
    surface: Option<&wgpu::Surface<'_>>,
    features: wgpu::Features,
) -> Result<(wgpu::Adapter, wgpu::Device, wgpu::Queue), String> {
    let wanted = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        compatible_surface: surface,
        ..Default::default()
    };
    let adapter = instance.request_adapter(&wanted).await;
    let adapter = adapter.map_err(|_| "the browser offers none to WebGPU")?;
    let descriptor = wgpu::DeviceDescriptor {
        label: Some("huygens"),
        required_features: adapter.features() & features,
        required_limits: adapter.limits(),
        ..Default::default()
    };
    let (device, queue) =
        adapter.request_device(&descriptor).await.map_err(|why| why.to_string())?;
    Ok((adapter, device, queue))
}

/// The name of a device, as far as the browser tells it.
pub fn name(gpu: &Gpu) -> String {
    let of = gpu.describe();
    let told = [of.device, of.driver].into_iter().filter(|part| !part.is_empty());
    told.collect::<Vec<_>>().join(", ")
}
