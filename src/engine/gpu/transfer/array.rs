//! A Vulkan buffer that wgpu did not create, and its memory.

use super::{TransferQueue, Vulkan};
use crate::{gpu::device::Device, share::Message};
use ash::{prelude::VkResult, vk};

/// A buffer and its memory.
pub(crate) struct Array {
    pub(crate) buffer: vk::Buffer,
    pub(crate) memory: vk::DeviceMemory,
    raw: ash::Device,
}

/// Copies in either direction.
pub(crate) const BOTH: vk::BufferUsageFlags = vk::BufferUsageFlags::from_raw(
    vk::BufferUsageFlags::TRANSFER_SRC.as_raw() | vk::BufferUsageFlags::TRANSFER_DST.as_raw(),
);
const OF_THE_HOST: vk::ExternalMemoryHandleTypeFlags =
    vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;

impl Array {
    /// In device memory; submits of wgpu may use it too.
    pub(crate) fn on_device(transfer: &TransferQueue, size: u64) -> VkResult<Self> {
        let usage = BOTH | vk::BufferUsageFlags::STORAGE_BUFFER;
        let mut info = vk::BufferCreateInfo::default().size(size).usage(usage);
        if transfer.families[0] != transfer.families[1] {
            info = info
                .sharing_mode(vk::SharingMode::CONCURRENT)
                .queue_family_indices(&transfer.families);
        }
        Array::new(transfer, &info, |_, asks| {
            let kind =
                transfer.kind(asks.memory_type_bits, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
            let info = vk::MemoryAllocateInfo::default().allocation_size(asks.size);
            // SAFETY: the device lives, and the memory type is one that the buffer allows.
            unsafe { transfer.raw.allocate_memory(&info.memory_type_index(kind), None) }
        })
    }

    /// The memory of a message, in place; must be dropped before the message.
    pub(crate) fn of(transfer: &TransferQueue, message: &mut Message) -> VkResult<Self> {
        let memory = message.memory();
        let (size, at) = (memory.len() as u64, memory.as_mut_ptr());
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(OF_THE_HOST);
        let info = vk::BufferCreateInfo::default().size(size).usage(BOTH).push_next(&mut external);
        Array::new(transfer, &info, |_, asks| {
            let mut can = vk::MemoryHostPointerPropertiesEXT::default();
            // SAFETY: the memory consists of whole pages, which the device can import
            // (`TransferQueue`), and outlives the array.
            unsafe {
                let (get, raw) = (transfer.imports.fp(), transfer.raw.handle());
                let at = at.cast();
                (get.get_memory_host_pointer_properties_ext)(raw, OF_THE_HOST, at, &mut can)
                    .result()?;
                let bits = asks.memory_type_bits & can.memory_type_bits;
                let kind = transfer.kind(bits, vk::MemoryPropertyFlags::HOST_COHERENT)?;
                let mut import = vk::ImportMemoryHostPointerInfoEXT::default()
                    .handle_type(OF_THE_HOST)
                    .host_pointer(at);
                let info = vk::MemoryAllocateInfo::default().allocation_size(size);
                let info = info.memory_type_index(kind).push_next(&mut import);
                transfer.raw.allocate_memory(&info, None)
            }
        })
    }

    /// A buffer with memory, which `memory` allocates by the buffer's requirements.
    pub(crate) fn new(
        TransferQueue { raw, .. }: &TransferQueue,
        info: &vk::BufferCreateInfo<'_>,
        memory: impl FnOnce(vk::Buffer, vk::MemoryRequirements) -> VkResult<vk::DeviceMemory>,
    ) -> VkResult<Self> {
        // SAFETY: the device lives, and so does the array's user. The memory meets the buffer's
        // requirements, and is bound once; on failure the array is dropped and frees both.
        unsafe {
            let buffer = raw.create_buffer(info, None)?;
            let mut array = Array { buffer, memory: vk::DeviceMemory::null(), raw: raw.clone() };
            array.memory = memory(buffer, raw.get_buffer_memory_requirements(buffer))?;
            raw.bind_buffer_memory(buffer, array.memory, 0)?;
            Ok(array)
        }
    }

    /// The first bytes as a buffer of wgpu; other uses must have ended before wgpu drops it.
    pub(crate) fn for_wgpu(
        self,
        device: &Device,
        label: &'static str,
        size: u64,
        usage: wgpu::BufferUsages,
    ) -> wgpu::Buffer {
        let told =
            wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
        let raw = self.buffer;
        // SAFETY: the buffer is of the same device and has the usage and size given to wgpu; wgpu
        // drops the array when it is done with it.
        unsafe {
            let let_go = Box::new(move || drop(self));
            let buffer = wgpu::hal::vulkan::Buffer::from_raw_externally_owned(raw, let_go);
            device.wgpu.create_buffer_from_hal::<Vulkan>(buffer, &told)
        }
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        let raw = &self.raw;
        // SAFETY: the owner drops it only once no queue uses it. Freeing null does nothing.
        unsafe {
            raw.destroy_buffer(self.buffer, None);
            raw.free_memory(self.memory, None);
        }
    }
}

impl TransferQueue {
    /// The first memory type with these properties among those that a buffer allows.
    pub(crate) fn kind(&self, bits: u32, wanted: vk::MemoryPropertyFlags) -> VkResult<u32> {
        let kinds = (0..).zip(self.memory.memory_types_as_slice());
        let mut fit =
            kinds.filter(|(i, kind)| bits & (1 << i) != 0 && kind.property_flags.contains(wanted));
        fit.next().map(|(i, _)| i).ok_or(vk::Result::ERROR_FEATURE_NOT_PRESENT)
    }
}
