//! `transfer/` on systems without Vulkan: no device has a separate copying queue.

use super::device::Device;
use crate::{EngineError, share::Message};

/// Has no values.
pub(crate) enum TransferQueue {}

/// Has no values.
pub(crate) enum HostCopy {}

/// The direction of a copy.
pub(crate) enum Direction {
    /// From the device to the host.
    Out,
    /// From the host to the device.
    In,
}

pub(crate) fn open(
    _adapter: &wgpu::Adapter,
    _descriptor: &wgpu::DeviceDescriptor<'_>,
    _own: bool,
) -> Option<(wgpu::Device, wgpu::Queue, TransferQueue)> {
    None
}

impl HostCopy {
    pub(crate) fn new(
        _device: &Device,
        _label: &'static str,
        _direction: Direction,
        _values: usize,
    ) -> Result<Option<Self>, EngineError> {
        Ok(None)
    }

    pub(crate) fn on_device(&self) -> &wgpu::Buffer {
        match *self {}
    }

    pub(crate) fn message(&self) -> Message {
        match *self {}
    }

    pub(crate) fn send(&mut self, _message: Message) -> Result<(), EngineError> {
        match *self {}
    }

    pub(crate) fn has_arrived(&self) -> bool {
        match *self {}
    }

    pub(crate) fn arrive(&mut self) -> Result<Option<Message>, EngineError> {
        match *self {}
    }
}
