//! A copy between a device and the host, by a queue of its own.

use super::{TransferQueue, array::Array};
use crate::engine::{EngineError, gpu::device::Device, share::Message};
use ash::{prelude::VkResult, vk};
use std::sync::{Arc, PoisonError};

/// Bytes that are copied at once. Of more, on an NVIDIA H200, steps take half as long again while the copy lasts (docs/notebook.md).
const PIECE: u64 = 512 << 10;
/// Nanoseconds after which a copy is lost.
const PATIENCE: u64 = 120_000_000_000;

/// Which way a copy goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the device to the host.
    Out,
    /// From the host to the device.
    In,
}

/// An array of the device that submits read or write, and its copies to messages or from them.
pub struct HostCopy {
    way: Way,
    on_device: wgpu::Buffer,
    of_device: vk::Buffer,
    values: usize,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    done: vk::Fence,
    /// What is copied now.
    under_way: Option<Message>,
    transfer: Arc<TransferQueue>,
    device: Device,
}

/// The memory of a message as a device has it.
struct Pin {
    array: Array,
    transfer: Arc<TransferQueue>,
    /// Lives as long as the array does.
    _device: wgpu::Device,
}

impl HostCopy {
    /// Of so many values of 4 bytes, at least one; `None` where the device has no queue for it.
    pub fn new(
        device: &Device,
        (label, way): (&'static str, Way),
        values: usize,
    ) -> Result<Option<Self>, EngineError> {
        let Some(transfer) = &device.transfer else { return Ok(None) };
        let made = HostCopy::made(device, transfer, (label, way), values);
        made.map(Some).map_err(|error| failure(device, error))
    }

    fn made(
        device: &Device,
        transfer: &Arc<TransferQueue>,
        (label, way): (&'static str, Way),
        values: usize,
    ) -> VkResult<Self> {
        let (raw, size) = (&transfer.raw, 4 * values as u64);
        let array = Array::on_device(transfer, size)?;
        let of_device = array.buffer;
        // `HostCopy` waits for its own copy before it drops wgpu's buffer.
        let on_device = array.for_wgpu(device, label, (size, wgpu::BufferUsages::STORAGE));
        // SAFETY: handles of the same device, freed when it is dropped.
        unsafe {
            let info =
                vk::CommandPoolCreateInfo::default().queue_family_index(transfer.families[1]);
            let mut copy = HostCopy {
                way,
                on_device,
                of_device,
                values,
                pool: raw.create_command_pool(&info, None)?,
                commands: vk::CommandBuffer::null(),
                done: vk::Fence::null(),
                under_way: None,
                transfer: transfer.clone(),
                device: device.clone(),
            };
            copy.done = raw.create_fence(&vk::FenceCreateInfo::default(), None)?;
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(copy.pool)
                .command_buffer_count(1);
            copy.commands = raw.allocate_command_buffers(&info)?[0];
            Ok(copy)
        }
    }

    /// What submits read or write, once nothing is under way.
    pub fn on_device(&self) -> &wgpu::Buffer {
        &self.on_device
    }

    /// A message that is large enough.
    pub fn message(&self) -> Message {
        Message::new(self.values)
    }

    /// Copies to a message what a submit that is done has written, or from one to where a submit to come reads it. What came before must have
    /// arrived.
    pub fn send(&mut self, mut message: Message) -> Result<(), EngineError> {
        self.arrive()?;
        let sent = self.begin(&mut message);
        sent.map_err(|error| failure(&self.device, error))?;
        self.under_way = Some(message);
        Ok(())
    }

    fn begin(&self, message: &mut Message) -> VkResult<()> {
        let (transfer, commands) = (&self.transfer, self.commands);
        let TransferQueue { raw, queues, .. } = &**transfer;
        let queue = &queues[usize::from(self.way == Way::In) % queues.len()];
        let mine = |pin: &Pin| Arc::ptr_eq(&pin.transfer, transfer);
        if message.pin(mine).is_none() {
            let array = Array::of(transfer, message)?;
            let _device = self.device.wgpu.clone();
            message.keep(Pin { array, transfer: transfer.clone(), _device });
        }
        let Some(Pin { array, .. }) = message.pin(mine) else { unreachable!("it was just kept") };
        let [from, to] = match self.way {
            Way::Out => [self.of_device, array.buffer],
            Way::In => [array.buffer, self.of_device],
        };
        use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
        let barrier = |from, to, (before, after)| {
            let memory =
                [vk::MemoryBarrier::default().src_access_mask(before).dst_access_mask(after)];
            let flags = vk::DependencyFlags::empty();
            // SAFETY: the commands are being recorded.
            unsafe { raw.cmd_pipeline_barrier(commands, from, to, flags, &memory, &[], &[]) };
        };
        let size = 4 * self.values as u64;
        assert!(message.values().len() >= self.values, "both ends of a copy have as many values");
        let pieces = (0..size).step_by(PIECE as usize).map(|first| vk::BufferCopy {
            src_offset: first,
            dst_offset: first,
            size: PIECE.min(size - first),
        });
        let pieces: Vec<_> = pieces.collect();
        let both = [commands];
        let submit = [vk::SubmitInfo::default().command_buffers(&both)];
        // SAFETY: nothing is under way, so that the commands are not pending and the fence is not signalled. The copies lie within both buffers:
        // a message has at least as many values. It lives until they are over, and nobody reads or writes it before. The queue is used by one
        // at a time.
        unsafe {
            raw.reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty())?;
            raw.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
            let written = Access::MEMORY_WRITE | Access::HOST_WRITE;
            let before = (written, Access::TRANSFER_READ | Access::TRANSFER_WRITE);
            barrier(Stage::ALL_COMMANDS | Stage::HOST, Stage::TRANSFER, before);
            raw.cmd_copy_buffer(commands, from, to, &pieces);
            let after = (Access::TRANSFER_WRITE, Access::MEMORY_READ | Access::HOST_READ);
            barrier(Stage::TRANSFER, Stage::ALL_COMMANDS | Stage::HOST, after);
            raw.end_command_buffer(commands)?;
            let queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
            raw.queue_submit(*queue, &submit, self.done)
        }
    }

    /// Whether nothing is under way.
    pub fn has_arrived(&self) -> bool {
        // SAFETY: the fence is of this device. An error shows in `arrive`.
        let done = || unsafe { self.transfer.raw.get_fence_status(self.done) };
        self.under_way.is_none() || done() != Ok(false)
    }

    /// Waits for what is under way, and gives the message back.
    pub fn arrive(&mut self) -> Result<Option<Message>, EngineError> {
        if self.under_way.is_none() {
            return Ok(None);
        }
        let (raw, fences) = (&self.transfer.raw, [self.done]);
        // SAFETY: the fence is of this device, and its queue's work is done when it is reset.
        let waited = unsafe {
            raw.wait_for_fences(&fences, true, PATIENCE).and_then(|()| raw.reset_fences(&fences))
        };
        waited.map_err(|error| failure(&self.device, error))?;
        Ok(self.under_way.take())
    }
}

impl Drop for HostCopy {
    fn drop(&mut self) {
        if self.arrive().is_err() {
            // A device that fails may still write to it.
            std::mem::forget(self.under_way.take());
        }
        let raw = &self.transfer.raw;
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
        false => device.error(format!("a copy between it and the host failed: {error}")),
    }
}
