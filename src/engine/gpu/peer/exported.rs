//! Buffers whose memory Vulkan exports to CUDA.

use super::{
    cuda::{Context, Memory},
    error::PeerError,
};
use crate::engine::gpu::{
    device::Device,
    transfer::array::{Array, BOTH},
};
use ash::{prelude::VkResult, vk};
use std::os::fd::{FromRawFd, OwnedFd};

type Vulkan = wgpu::hal::api::Vulkan;

const OPAQUE_FD: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

/// Exports a device's memory.
pub struct Exporter {
    files: ash::khr::external_memory_fd::Device,
    pub context: Context,
}

impl Exporter {
    /// For an NVIDIA device that CUDA has too.
    pub fn new(device: &Device) -> Result<Self, PeerError> {
        // SAFETY: its handles are only queried for properties; none is destroyed.
        let (files, uuid) = unsafe {
            let hal = device.wgpu.as_hal::<Vulkan>().ok_or(PeerError::NoExport)?;
            let (instance, physical) =
                (hal.shared_instance().raw_instance(), hal.raw_physical_device());
            let info = vk::PhysicalDeviceExternalBufferInfo::default()
                .usage(usage())
                .handle_type(OPAQUE_FD);
            let mut can = vk::ExternalBufferProperties::default();
            instance.get_physical_device_external_buffer_properties(physical, &info, &mut can);
            let features = can.external_memory_properties.external_memory_features;
            let known =
                hal.enabled_device_extensions().contains(&ash::khr::external_memory_fd::NAME);
            if !known || !features.contains(vk::ExternalMemoryFeatureFlags::EXPORTABLE) {
                return Err(PeerError::NoExport);
            }
            let mut id = vk::PhysicalDeviceIDProperties::default();
            let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut id);
            instance.get_physical_device_properties2(physical, &mut all);
            let files = ash::khr::external_memory_fd::Device::new(instance, hal.raw_device());
            (files, id.device_uuid)
        };
        Ok(Exporter { files, context: Context::of(uuid)? })
    }

    /// A buffer of `values` 4-byte values, for wgpu and for CUDA.
    pub fn buffer(
        &self,
        device: &Device,
        label: &'static str,
        values: usize,
    ) -> Result<(wgpu::Buffer, Memory), PeerError> {
        let size = 4 * values as u64;
        let (array, file, allocated) = self.exported(device, size)?;
        let memory = self.context.import(file, allocated, size as usize)?;
        let told = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        Ok((array.for_wgpu(device, label, (size, told)), memory))
    }

    fn exported(&self, device: &Device, size: u64) -> Result<(Array, OwnedFd, u64), PeerError> {
        let transfer = device.transfer.as_ref().ok_or(PeerError::NoExport)?;
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(OPAQUE_FD);
        let info =
            vk::BufferCreateInfo::default().size(size).usage(usage()).push_next(&mut external);
        let mut allocated = 0;
        let array = Array::new(transfer, &info, |buffer, asks| {
            allocated = asks.size;
            let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
            let kind = transfer.kind(asks.memory_type_bits, local)?;
            let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(OPAQUE_FD);
            let mut alone = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(asks.size)
                .memory_type_index(kind)
                .push_next(&mut export)
                .push_next(&mut alone);
            // SAFETY: the device lives, and the memory type is one that the buffer allows.
            unsafe { transfer.raw.allocate_memory(&info, None) }
        })?;
        let info = vk::MemoryGetFdInfoKHR::default().memory(array.memory).handle_type(OPAQUE_FD);
        // SAFETY: the memory was allocated for export. The descriptor is new, and only ours.
        let file: VkResult<_> =
            unsafe { self.files.get_memory_fd(&info).map(|file| OwnedFd::from_raw_fd(file)) };
        Ok((array, file?, allocated))
    }
}

fn usage() -> vk::BufferUsageFlags {
    BOTH | vk::BufferUsageFlags::STORAGE_BUFFER
}
