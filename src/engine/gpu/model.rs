//! (v dt)^2 as shaders/lib/model.wgsl reads it.

use super::device::Device;
use crate::{EngineError, Layout, plan::Plan};
use wgpu::BufferUsages as Usage;

/// Values in transfer to the device at once: few where they are copied within the host's memory.
fn at_once(device: &Device) -> usize {
    match device.info.device_type {
        wgpu::DeviceType::Cpu => 1 << 20,
        _ => 8 << 20,
    }
}

/// The buffer that the shaders read: the copies of `Plan::copies`, one after the other.
pub fn upload(device: &Device, plan: &Plan, layout: &Layout) -> Result<wgpu::Buffer, EngineError> {
    let copies = plan.copies();
    let usage = Usage::STORAGE | Usage::COPY_DST;
    let buffer = device.zeros("(v dt)^2", copies.len() * layout.len(), usage)?;
    // A part at a time, so that the host never holds the whole model.
    let mut last = None;
    for (copy, model) in copies.into_iter().enumerate() {
        for places in layout.parts(at_once(device)) {
            let first = copy * layout.len() + places.start;
            let part = layout.part(places, |node| plan.v2dt2(model, node) as f32);
            let sent = device.write(&buffer, first, &part)?;
            // A part is computed while the previous one is in transfer.
            if let Some(before) = last.replace(sent) {
                device.wait_where_possible(before)?;
            }
        }
    }
    Ok(buffer)
}
