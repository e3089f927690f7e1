//! Copies to the host on a queue of their own, while another steps.
//!
//! wgpu has one queue a device, on which a copy waits for what steps and what steps for a copy. In Vulkan many devices have a family of queues
//! that do nothing but copy, with engines of their own; such a device is opened with one of them beside wgpu's. Where there is none,
//! [`open`] gives nothing, and whoever copies does so in turn.

#![allow(unsafe_code, reason = "wgpu opens one queue; each SAFETY says why")]

use super::device::Device;
use crate::engine::EngineError;
use ash::{prelude::VkResult, vk};
use std::sync::{Mutex, PoisonError};

type Vulkan = wgpu::hal::api::Vulkan;

/// A queue that copies.
pub struct TransferQueue {
    queue: Mutex<vk::Queue>,
    /// The families of wgpu's queue and of this one.
    families: [u32; 2],
    memory: vk::PhysicalDeviceMemoryProperties,
    raw: ash::Device,
}

/// What a family may do besides copying and still have engines of its own for that.
const BESIDE: vk::QueueFlags = vk::QueueFlags::from_raw(
    vk::QueueFlags::SPARSE_BINDING.as_raw() | vk::QueueFlags::PROTECTED.as_raw(),
);
/// Bytes that are copied at once. Of more, on an NVIDIA H200, steps take half as long again while the copy lasts (docs/performance.md).
const PIECE: u64 = 512 << 10;
/// Nanoseconds after which a copy is lost.
const PATIENCE: u64 = 120_000_000_000;

/// Opens a device with such a queue, where its driver has one.
pub fn open(
    adapter: &wgpu::Adapter,
    descriptor: &wgpu::DeviceDescriptor<'_>,
) -> Option<(wgpu::Device, wgpu::Queue, TransferQueue)> {
    // SAFETY: its handles are asked for properties, and open a device; none is destroyed. The callback adds a queue of a family that
    // was just found, and takes nothing away. The device that wgpu then makes is of this adapter, with the features it was opened with.
    unsafe {
        let hal = adapter.as_hal::<Vulkan>()?;
        let (instance, physical) =
            (hal.shared_instance().raw_instance(), hal.raw_physical_device());
        let families = instance.get_physical_device_queue_family_properties(physical);
        let copies = |family: &vk::QueueFamilyProperties| {
            family.queue_flags & !BESIDE == vk::QueueFlags::TRANSFER
        };
        let family = families.iter().position(copies)? as u32;
        let memory = instance.get_physical_device_memory_properties(physical);
        let queue = vk::DeviceQueueCreateInfo::default()
            .queue_family_index(family)
            .queue_priorities(&[1.0]);
        let wgpu::DeviceDescriptor { required_features, required_limits, memory_hints, .. } =
            descriptor;
        let add: Box<wgpu::hal::vulkan::CreateDeviceCallback<'_>> =
            Box::new(|asked| asked.queue_create_infos.push(queue));
        let opened =
            hal.open_with_callback(*required_features, required_limits, memory_hints, Some(add));
        drop(hal);
        let (device, queue) = adapter.create_device_from_hal(opened.ok()?, descriptor).ok()?;
        let (raw, first) = {
            let hal = device.as_hal::<Vulkan>()?;
            (hal.raw_device().clone(), hal.queue_family_index())
        };
        let copies = Mutex::new(raw.get_device_queue(family, 0));
        let families = [first, family];
        Some((device, queue, TransferQueue { queue: copies, families, memory, raw }))
    }
}

/// wgpu's own queue in its place, for tests on drivers that have no other: no two threads may use the device.
#[cfg(test)]
pub fn in_turn(device: &wgpu::Device) -> Option<TransferQueue> {
    // SAFETY: handles are read; the queue is used by the thread that runs the test.
    unsafe {
        let hal = device.as_hal::<Vulkan>()?;
        let (instance, physical) =
            (hal.shared_instance().raw_instance(), hal.raw_physical_device());
        Some(TransferQueue {
            queue: Mutex::new(hal.raw_queue()),
            families: [hal.queue_family_index(); 2],
            memory: instance.get_physical_device_memory_properties(physical),
            raw: hal.raw_device().clone(),
        })
    }
}

/// A buffer and its memory.
struct Array {
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    raw: ash::Device,
}

impl Array {
    fn new(
        transfer: &TransferQueue,
        size: u64,
        usage: vk::BufferUsageFlags,
        kinds: &[vk::MemoryPropertyFlags],
    ) -> VkResult<Self> {
        let raw = &transfer.raw;
        let mut info = vk::BufferCreateInfo::default().size(size).usage(usage);
        if transfer.families[0] != transfer.families[1] {
            info = info
                .sharing_mode(vk::SharingMode::CONCURRENT)
                .queue_family_indices(&transfer.families);
        }
        // SAFETY: the device lives, and so does the array's user. Memory is allocated as the buffer asks for it, of a kind that it
        // can have, and bound once; where that fails, the array is dropped and frees both.
        unsafe {
            let buffer = raw.create_buffer(&info, None)?;
            let mut array = Array { buffer, memory: vk::DeviceMemory::null(), raw: raw.clone() };
            let asks = raw.get_buffer_memory_requirements(buffer);
            let kind = kinds.iter().find_map(|kind| transfer.kind(asks.memory_type_bits, *kind));
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(asks.size)
                .memory_type_index(kind.ok_or(vk::Result::ERROR_FEATURE_NOT_PRESENT)?);
            array.memory = raw.allocate_memory(&info, None)?;
            raw.bind_buffer_memory(buffer, array.memory, 0)?;
            Ok(array)
        }
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        let raw = &self.raw;
        // SAFETY: who holds it drops it once no queue uses it. Freeing null does nothing.
        unsafe {
            raw.destroy_buffer(self.buffer, None);
            raw.free_memory(self.memory, None);
        }
    }
}

impl TransferQueue {
    /// The first kind of memory with these properties among those that a buffer can have.
    fn kind(&self, bits: u32, wanted: vk::MemoryPropertyFlags) -> Option<u32> {
        let kinds = (0..).zip(self.memory.memory_types_as_slice());
        let mut fit =
            kinds.filter(|(i, kind)| bits & (1 << i) != 0 && kind.property_flags.contains(wanted));
        fit.next().map(|(i, _)| i)
    }
}

/// An array of the device that passes write, and one of the host that it is copied to.
pub struct Outgoing {
    /// What passes write.
    on_device: wgpu::Buffer,
    on_host: Array,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    done: vk::Fence,
    values: usize,
    is_under_way: bool,
    device: Device,
}

impl Outgoing {
    /// Of so many values of 4 bytes, at least one; `None` where the device has no queue for it.
    pub fn new(
        device: &Device,
        label: &'static str,
        values: usize,
    ) -> Result<Option<Self>, EngineError> {
        let Some(transfer) = &device.transfer else { return Ok(None) };
        let made = Outgoing::made(device, transfer, label, values);
        made.map(Some).map_err(|error| failure(device, error))
    }

    fn made(
        device: &Device,
        transfer: &TransferQueue,
        label: &'static str,
        values: usize,
    ) -> VkResult<Self> {
        use vk::{BufferUsageFlags as Usage, MemoryPropertyFlags as Memory};
        let (raw, size) = (&transfer.raw, 4 * values as u64);
        let host = Memory::HOST_VISIBLE | Memory::HOST_COHERENT;
        let on_host =
            Array::new(transfer, size, Usage::TRANSFER_DST, &[host | Memory::HOST_CACHED, host])?;
        let ways = Usage::TRANSFER_SRC | Usage::STORAGE_BUFFER;
        let array = Array::new(transfer, size, ways, &[Memory::DEVICE_LOCAL])?;
        let from = array.buffer;
        // SAFETY: the buffer is of the same device and has the usage and size that wgpu is told; wgpu drops the array when it is done with it,
        // and `Outgoing` waits for its own copy before it drops wgpu's buffer.
        let on_device = unsafe {
            let let_go = Box::new(move || drop(array));
            let buffer = wgpu::hal::vulkan::Buffer::from_raw_externally_owned(from, let_go);
            let usage = wgpu::BufferUsages::STORAGE;
            let told = wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage,
                mapped_at_creation: false,
            };
            device.wgpu.create_buffer_from_hal::<Vulkan>(buffer, &told)
        };
        // SAFETY: handles of the same device, freed when it is dropped; the copies lie within both buffers.
        unsafe {
            let info =
                vk::CommandPoolCreateInfo::default().queue_family_index(transfer.families[1]);
            let pool = raw.create_command_pool(&info, None)?;
            let mut outgoing = Outgoing {
                on_device,
                on_host,
                pool,
                commands: vk::CommandBuffer::null(),
                done: vk::Fence::null(),
                values,
                is_under_way: false,
                device: device.clone(),
            };
            outgoing.done = raw.create_fence(&vk::FenceCreateInfo::default(), None)?;
            let info =
                vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = raw.allocate_command_buffers(&info)?[0];
            outgoing.commands = commands;
            raw.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
            let barrier = |from, to, (before, after)| {
                let memory =
                    vk::MemoryBarrier::default().src_access_mask(before).dst_access_mask(after);
                let flags = vk::DependencyFlags::empty();
                raw.cmd_pipeline_barrier(commands, from, to, flags, &[memory], &[], &[]);
            };
            use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
            let written = (Access::MEMORY_WRITE, Access::TRANSFER_READ);
            barrier(Stage::ALL_COMMANDS, Stage::TRANSFER, written);
            let pieces = (0..size).step_by(PIECE as usize).map(|first| {
                let size = PIECE.min(size - first);
                vk::BufferCopy { src_offset: first, dst_offset: first, size }
            });
            let pieces: Vec<_> = pieces.collect();
            raw.cmd_copy_buffer(commands, from, outgoing.on_host.buffer, &pieces);
            barrier(Stage::TRANSFER, Stage::HOST, (Access::TRANSFER_WRITE, Access::HOST_READ));
            raw.end_command_buffer(commands)?;
            Ok(outgoing)
        }
    }

    /// What passes write, once nothing that was sent is under way.
    pub fn on_device(&self) -> &wgpu::Buffer {
        &self.on_device
    }

    /// Sends what a submit that is done has filled it with. What came before must have been read.
    pub fn send(&mut self) -> Result<(), EngineError> {
        self.wait()?;
        let Some(transfer) = &self.device.transfer else { unreachable!("it was made with one") };
        let commands = [self.commands];
        let submit = [vk::SubmitInfo::default().command_buffers(&commands)];
        // SAFETY: the fence is not signalled, the commands are not pending, and the queue is used by one at a time.
        let sent = unsafe {
            let queue = transfer.queue.lock().unwrap_or_else(PoisonError::into_inner);
            transfer.raw.queue_submit(*queue, &submit, self.done)
        };
        sent.map_err(|error| failure(&self.device, error))?;
        self.is_under_way = true;
        Ok(())
    }

    /// Whether what was sent has arrived.
    pub fn has_arrived(&self) -> bool {
        // SAFETY: the fence is of this device. An error shows in `wait`.
        !self.is_under_way || unsafe { self.on_host.raw.get_fence_status(self.done) } != Ok(false)
    }

    /// Waits for what was sent.
    pub fn wait(&mut self) -> Result<(), EngineError> {
        if !std::mem::take(&mut self.is_under_way) {
            return Ok(());
        }
        let (raw, fences) = (&self.on_host.raw, [self.done]);
        // SAFETY: the fence is of this device, and its queue's work is done when it is reset.
        let waited = unsafe {
            raw.wait_for_fences(&fences, true, PATIENCE).and_then(|()| raw.reset_fences(&fences))
        };
        waited.map_err(|error| failure(&self.device, error))
    }

    /// Reads what was sent, and waits for it first.
    pub fn read<R>(&mut self, read: impl FnOnce(&[f32]) -> R) -> Result<R, EngineError> {
        self.wait()?;
        let Array { memory, raw, .. } = &self.on_host;
        let flags = vk::MemoryMapFlags::empty();
        // SAFETY: the memory can be mapped, is coherent, holds that many values, and is mapped by nobody else; no copy into it is under way.
        unsafe {
            let mapped = raw.map_memory(*memory, 0, vk::WHOLE_SIZE, flags);
            let mapped = mapped.map_err(|error| failure(&self.device, error))?;
            let result = read(std::slice::from_raw_parts(mapped.cast(), self.values));
            raw.unmap_memory(*memory);
            Ok(result)
        }
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        // A device that fails is lost, and copies nothing.
        let _ = self.wait();
        let raw = &self.on_host.raw;
        // SAFETY: its copy is done. Destroying null does nothing; the commands go with their pool.
        unsafe {
            raw.destroy_fence(self.done, None);
            raw.destroy_command_pool(self.pool, None);
        }
    }
}

fn failure(device: &Device, error: vk::Result) -> EngineError {
    let full = [vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, vk::Result::ERROR_OUT_OF_HOST_MEMORY];
    match full.contains(&error) {
        true => {
            EngineError::OutOfMemory { device: device.info.name.clone(), said: error.to_string() }
        }
        false => device.error(format!("a copy to the host failed: {error}")),
    }
}
