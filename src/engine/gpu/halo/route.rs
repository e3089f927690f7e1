//! The routes of messages from and to a device: beside the steps, or in turn with them.

use crate::{
    EngineError,
    gpu::{
        device::Device,
        staging::Staging,
        transfer::{self, HostCopy},
    },
    share::Message,
};
use wgpu::BufferUsages as Usage;

pub(crate) enum Route {
    /// Through a copying queue, with host memory that both devices share: without the processor.
    Beside {
        out: Box<HostCopy>,
        into: Box<HostCopy>,
    },
    InTurn {
        out: wgpu::Buffer,
        staging: Staging,
        into: wgpu::Buffer,
    },
}

/// Outgoing values are read before the next ones leave.
const HERE: usize = 0;

impl Route {
    /// For this many outgoing and incoming values; beside the steps if there is a copying queue.
    pub(crate) fn new(device: &Device, [given, taken]: [usize; 2]) -> Result<Self, EngineError> {
        let copy = |label, direction, values| HostCopy::new(device, label, direction, values);
        let out = copy("halo out", transfer::Direction::Out, given)?;
        let both = (out, copy("halo in", transfer::Direction::In, taken)?);
        if let (Some(out), Some(into)) = both {
            return Ok(Route::Beside { out: Box::new(out), into: Box::new(into) });
        }
        Ok(Route::InTurn {
            out: device.zeros("halo out", given, Usage::STORAGE | Usage::COPY_SRC)?,
            staging: Staging::new(device, "halo on its way out", given)?,
            into: device.zeros("halo in", taken, Usage::STORAGE | Usage::COPY_DST)?,
        })
    }

    /// Its name in reports.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Route::Beside { .. } => "host, beside steps",
            Route::InTurn { .. } => "host, in turn",
        }
    }

    /// The buffer for packed outgoing values.
    pub(crate) fn going_out(&self) -> &wgpu::Buffer {
        match self {
            Route::Beside { out, .. } => out.on_device(),
            Route::InTurn { out, .. } => out,
        }
    }

    /// The buffer for incoming values to unpack.
    pub(crate) fn coming_in(&self) -> &wgpu::Buffer {
        match self {
            Route::Beside { into, .. } => into.on_device(),
            Route::InTurn { into, .. } => into,
        }
    }

    /// Copies out the packed values, at the end of their submit.
    pub(crate) fn copy(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Route::InTurn { out, staging, .. } = self {
            staging.copy(HERE, encoder, out, 0, staging.values());
        }
    }

    /// Maps the values, once their submit is sent.
    pub(crate) fn map(&self) {
        if let Route::InTurn { staging, .. } = self {
            staging.map(HERE, staging.values());
        }
    }

    /// Starts writing the values to a message, once their submit is done.
    pub(crate) fn send(
        &mut self,
        device: &Device,
        mut message: Message,
    ) -> Result<Option<Message>, EngineError> {
        match self {
            Route::Beside { out, .. } => out.send(message).map(|()| None),
            Route::InTurn { staging, .. } => {
                let to = message.values_mut();
                staging
                    .read(device, HERE, staging.values(), |values| to.copy_from_slice(values))?;
                Ok(Some(message))
            }
        }
    }

    /// Waits for the outgoing message, if one is under way.
    pub(crate) fn sent(&mut self) -> Result<Option<Message>, EngineError> {
        match self {
            Route::Beside { out, .. } => out.arrive(),
            Route::InTurn { .. } => Ok(None),
        }
    }

    /// Starts reading a message; returns it if that is done already.
    pub(crate) fn take(
        &mut self,
        device: &Device,
        message: Message,
    ) -> Result<Option<Message>, EngineError> {
        match self {
            Route::Beside { into, .. } => into.send(message).map(|()| None),
            Route::InTurn { into, .. } => {
                device.write(into, 0, message.values())?;
                Ok(Some(message))
            }
        }
    }

    /// Waits until the incoming message has been read.
    pub(crate) fn taken(&mut self) -> Result<Option<Message>, EngineError> {
        match self {
            Route::Beside { into, .. } => into.arrive(),
            Route::InTurn { .. } => Ok(None),
        }
    }
}
