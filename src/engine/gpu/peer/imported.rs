//! Buffers whose memory CUDA makes and Vulkan imports. The other way round, memory that Vulkan exports
//! and another device's copy engine reads, planes do not go over NVLink.

use super::{
    cuda::{Context, Memory},
    error::PeerError,
};
use crate::gpu::{
    device::Device,
    transfer::array::{Array, BOTH},
};
use ash::vk;
use std::os::fd::IntoRawFd;

type Vulkan = wgpu::hal::api::Vulkan;

const OPAQUE_FD: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

/// The context of an NVIDIA device that CUDA has too and whose Vulkan driver imports memory.
pub(crate) fn context(device: &Device) -> Result<Context, PeerError> {
    // SAFETY: its handles are only queried for properties; none is destroyed.
    let uuid = unsafe {
        let hal = device.wgpu.as_hal::<Vulkan>().ok_or(PeerError::NoImport)?;
        let (instance, physical) =
            (hal.shared_instance().raw_instance(), hal.raw_physical_device());
        let info =
            vk::PhysicalDeviceExternalBufferInfo::default().usage(usage()).handle_type(OPAQUE_FD);
        let mut can = vk::ExternalBufferProperties::default();
        instance.get_physical_device_external_buffer_properties(physical, &info, &mut can);
        let features = can.external_memory_properties.external_memory_features;
        let known = hal.enabled_device_extensions().contains(&ash::khr::external_memory_fd::NAME);
        if !known || !features.contains(vk::ExternalMemoryFeatureFlags::IMPORTABLE) {
            return Err(PeerError::NoImport);
        }
        let mut id = vk::PhysicalDeviceIDProperties::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut id);
        instance.get_physical_device_properties2(physical, &mut all);
        id.device_uuid
    };
    Ok(Context::of(uuid)?)
}

/// A buffer of `values` 4-byte values, for wgpu and for CUDA.
pub(crate) fn buffer(
    device: &Device,
    context: &Context,
    label: &'static str,
    values: usize,
) -> Result<(wgpu::Buffer, Memory), PeerError> {
    let transfer = device.transfer.as_ref().ok_or(PeerError::NoImport)?;
    let size = 4 * values as u64;
    let (memory, file) = Memory::new(context, size as usize)?;
    let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(OPAQUE_FD);
    let info = vk::BufferCreateInfo::default().size(size).usage(usage()).push_next(&mut external);
    let array = Array::new(transfer, &info, |_, asks| {
        let kind = transfer.kind(asks.memory_type_bits, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
        let mut import =
            vk::ImportMemoryFdInfoKHR::default().handle_type(OPAQUE_FD).fd(file.into_raw_fd());
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(memory.allocated as u64)
            .memory_type_index(kind)
            .push_next(&mut import);
        // SAFETY: the device lives, and the memory type is one that the buffer allows. The driver owns
        // the descriptor now; if it takes none, one descriptor is lost.
        unsafe { transfer.raw.allocate_memory(&info, None) }
    })?;
    let told = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
    Ok((array.for_wgpu(device, label, size, told), memory))
}

fn usage() -> vk::BufferUsageFlags {
    BOTH | vk::BufferUsageFlags::STORAGE_BUFFER
}
