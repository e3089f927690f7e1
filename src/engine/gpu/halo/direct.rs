//! What goes from device to device, past the host.

use super::{End, packing::Packing, slabs};
use crate::engine::{
    EngineError,
    gpu::{device::Device, peer::Peer, wavefield::Wavefield},
    share::Message,
};

pub struct Direct {
    peer: Peer,
    /// Into either buffer that goes out.
    pack: [Packing; 2],
    unpack: Packing,
    /// Whether something is coming in.
    comes: bool,
}

impl Direct {
    /// Beside the way that an end has; `None` where the device does not copy so.
    pub fn new(device: &Device, wavefield: &Wavefield, end: &End, checked: bool) -> Option<Self> {
        let peer = Peer::new(device, end.values)?;
        let made = Direct::made(device, wavefield, (end, peer), checked);
        made.inspect_err(|error| tracing::warn!("{error}; halos go through the host")).ok()
    }

    fn made(
        device: &Device,
        wavefield: &Wavefield,
        (End { side, given, taken, .. }, peer): (&End, Peer),
        checked: bool,
    ) -> Result<Self, EngineError> {
        let [end, into] = slabs(wavefield, *side);
        let pack = |out| Packing::new(device, (end, given), ("pack", out), checked);
        let [one, other] = peer.going_out().map(pack);
        let unpack = Packing::new(device, (into, taken), ("unpack", peer.coming_in()), checked)?;
        Ok(Direct { pack: [one?, other?], unpack, peer, comes: false })
    }

    /// Packs what is given for a neighbour that fetches it; whether it does.
    pub fn pack(&mut self, step: usize, encoder: &mut wgpu::CommandEncoder) -> bool {
        let at = self.peer.pack();
        at.inspect(|at| self.pack[*at].encode(step, encoder)).is_some()
    }

    /// Whether that is to be told.
    pub fn is_packed(&self) -> bool {
        self.peer.is_packed()
    }

    /// Whether the neighbour fetches.
    pub fn is_taken(&self) -> bool {
        self.peer.is_fetched()
    }

    /// Says so in a message, or what else there is to say.
    pub fn tell(&mut self, message: &mut Message) {
        self.peer.tell(message);
    }

    /// Whether what a message gives comes by this way.
    pub fn hear(&mut self, message: &mut Message) -> Result<bool, EngineError> {
        self.comes = self.peer.hear(message)?;
        Ok(self.comes)
    }

    /// Puts what came in its place, once it is there; whether something had.
    pub fn unpack(
        &mut self,
        step: usize,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<bool, EngineError> {
        if !std::mem::take(&mut self.comes) {
            return Ok(false);
        }
        self.peer.arrive()?;
        self.unpack.encode(step, encoder);
        Ok(true)
    }
}
