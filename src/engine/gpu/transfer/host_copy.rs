//! A copy between a device and the host, by a separate queue.

use super::{TransferQueue, array::Array};
use crate::{EngineError, gpu::device::Device, locked, share::Message};
use ash::{prelude::VkResult, vk};
use std::sync::Arc;

/// Bytes per copy command. With larger ones, steps on an NVIDIA H200 take half as long again during
/// the copy (docs/notebook.md).
const PIECE: u64 = 512 << 10;
/// Timeout of a copy, ns.
const PATIENCE: u64 = 120_000_000_000;

/// The direction of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the device to the host.
    Out,
    /// From the host to the device.
    In,
}

/// An array on the device for submits, and its copies to or from messages.
pub(crate) struct HostCopy {
    direction: Direction,
    on_device: wgpu::Buffer,
    of_device: vk::Buffer,
    values: usize,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    done: vk::Fence,
    /// The message of the copy under way.
    under_way: Option<Message>,
    transfer: Arc<TransferQueue>,
    device: Device,
}

/// The memory of a message, imported by a device.
struct Pin {
    array: Array,
    transfer: Arc<TransferQueue>,
    /// Lives as long as the array does.
    _device: wgpu::Device,
}

impl HostCopy {
    /// For this many 4-byte values, at least one; `None` if the device has no copying queue.
    pub(crate) fn new(
        device: &Device,
        label: &'static str,
        direction: Direction,
        values: usize,
    ) -> Result<Option<Self>, EngineError> {
        let Some(transfer) = &device.transfer else { return Ok(None) };
        let made = HostCopy::made(device, transfer, label, direction, values);
        made.map(Some).map_err(|error| failure(device, error))
    }

    fn made(
        device: &Device,
        transfer: &Arc<TransferQueue>,
        label: &'static str,
        direction: Direction,
        values: usize,
    ) -> VkResult<Self> {
        let (raw, size) = (&transfer.raw, 4 * values as u64);
        let array = Array::on_device(transfer, size)?;
        let of_device = array.buffer;
        // `HostCopy` waits for its own copy before it drops wgpu's buffer.
        let on_device = array.for_wgpu(device, label, size, wgpu::BufferUsages::STORAGE);
        // SAFETY: handles of the same device, freed on drop.
        unsafe {
            let info =
                vk::CommandPoolCreateInfo::default().queue_family_index(transfer.families[1]);
            let mut copy = HostCopy {
                direction,
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

    /// The buffer for submits, once no copy is under way.
    pub(crate) fn on_device(&self) -> &wgpu::Buffer {
        &self.on_device
    }

    /// A message of sufficient size.
    pub(crate) fn message(&self) -> Message {
        Message::new(self.values)
    }

    /// Copies the result of a finished submit to a message, or a message to the input of a later
    /// submit. The previous copy must have arrived.
    pub(crate) fn send(&mut self, mut message: Message) -> Result<(), EngineError> {
        self.arrive()?;
        let sent = self.begin(&mut message);
        sent.map_err(|error| failure(&self.device, error))?;
        self.under_way = Some(message);
        Ok(())
    }

    fn begin(&self, message: &mut Message) -> VkResult<()> {
        let (transfer, commands) = (&self.transfer, self.commands);
        let TransferQueue { raw, queues, .. } = &**transfer;
        let queue = &queues[usize::from(self.direction == Direction::In) % queues.len()];
        let mine = |pin: &Pin| Arc::ptr_eq(&pin.transfer, transfer);
        if message.pin(mine).is_none() {
            let array = Array::of(transfer, message)?;
            let _device = self.device.wgpu.clone();
            message.keep(Pin { array, transfer: transfer.clone(), _device });
        }
        let Some(Pin { array, .. }) = message.pin(mine) else { unreachable!("it was just kept") };
        let [from, to] = match self.direction {
            Direction::Out => [self.of_device, array.buffer],
            Direction::In => [array.buffer, self.of_device],
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
        // SAFETY: no copy is under way, so the commands are not pending and the fence is not
        // signalled. The copies lie within both buffers, since a message has at least as many
        // values. The message lives until they are over, and nothing reads or writes it before. A
        // lock guards the queue.
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
            let queue = locked(queue);
            raw.queue_submit(*queue, &submit, self.done)
        }
    }

    /// True if no copy is under way.
    pub(crate) fn has_arrived(&self) -> bool {
        // SAFETY: the fence is of this device. An error shows in `arrive`.
        let done = || unsafe { self.transfer.raw.get_fence_status(self.done) };
        self.under_way.is_none() || done() != Ok(false)
    }

    /// Waits for the copy under way, and returns the message.
    pub(crate) fn arrive(&mut self) -> Result<Option<Message>, EngineError> {
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
            // A failing device may still write to it.
            std::mem::forget(self.under_way.take());
        }
        let raw = &self.transfer.raw;
        // SAFETY: its copy is done. Destroying null does nothing; the pool frees the commands.
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
