//! How messages leave a device and come in: beside the steps, or through wgpu's queue in turn with them.

use crate::engine::{
    EngineError,
    gpu::{
        device::Device,
        staging::Staging,
        transfer::{self, HostCopy},
    },
    share::Message,
};
use wgpu::BufferUsages as Usage;

pub enum Way {
    /// Through a queue that copies, from and to memory of the host that both devices know: the processor copies nothing.
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

/// What goes out is read before more does.
const HERE: usize = 0;

impl Way {
    /// Of so many values out and in; beside the steps where the device has a queue that copies.
    pub fn new(device: &Device, [given, taken]: [usize; 2]) -> Result<Self, EngineError> {
        let copy = |label, way, values| HostCopy::new(device, (label, way), values);
        let out = copy("halo out", transfer::Way::Out, given)?;
        let both = (out, copy("halo in", transfer::Way::In, taken)?);
        if let (Some(out), Some(into)) = both {
            return Ok(Way::Beside { out: Box::new(out), into: Box::new(into) });
        }
        Ok(Way::InTurn {
            out: device.zeros("halo out", given, Usage::STORAGE | Usage::COPY_SRC)?,
            staging: Staging::new(device, "halo on its way out", given)?,
            into: device.zeros("halo in", taken, Usage::STORAGE | Usage::COPY_DST)?,
        })
    }

    /// For a report.
    pub fn name(&self) -> &'static str {
        match self {
            Way::Beside { .. } => "host, beside steps",
            Way::InTurn { .. } => "host, in turn",
        }
    }

    /// Where what is given is packed.
    pub fn going_out(&self) -> &wgpu::Buffer {
        match self {
            Way::Beside { out, .. } => out.on_device(),
            Way::InTurn { out, .. } => out,
        }
    }

    /// Where what is taken is unpacked from.
    pub fn coming_in(&self) -> &wgpu::Buffer {
        match self {
            Way::Beside { into, .. } => into.on_device(),
            Way::InTurn { into, .. } => into,
        }
    }

    /// Brings out what was packed, at the end of its submit.
    pub fn copy(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Way::InTurn { out, staging, .. } = self {
            staging.copy(HERE, encoder, out, 0, staging.values());
        }
    }

    /// Asks for it, once that is sent.
    pub fn map(&self) {
        if let Way::InTurn { staging, .. } = self {
            staging.map(HERE, staging.values());
        }
    }

    /// Lets it go to a message, once its submit is done.
    pub fn send(
        &mut self,
        device: &Device,
        mut message: Message,
    ) -> Result<Option<Message>, EngineError> {
        match self {
            Way::Beside { out, .. } => out.send(message).map(|()| None),
            Way::InTurn { staging, .. } => {
                let to = message.values_mut();
                staging
                    .read(device, HERE, staging.values(), |values| to.copy_from_slice(values))?;
                Ok(Some(message))
            }
        }
    }

    /// Waits for it, where it is under way.
    pub fn sent(&mut self) -> Result<Option<Message>, EngineError> {
        match self {
            Way::Beside { out, .. } => out.arrive(),
            Way::InTurn { .. } => Ok(None),
        }
    }

    /// Lets a message come in; what is over with it already.
    pub fn take(
        &mut self,
        device: &Device,
        message: Message,
    ) -> Result<Option<Message>, EngineError> {
        match self {
            Way::Beside { into, .. } => into.send(message).map(|()| None),
            Way::InTurn { into, .. } => {
                device.write(into, 0, message.values())?;
                Ok(Some(message))
            }
        }
    }

    /// Waits until it is there.
    pub fn taken(&mut self) -> Result<Option<Message>, EngineError> {
        match self {
            Way::Beside { into, .. } => into.arrive(),
            Way::InTurn { .. } => Ok(None),
        }
    }
}
