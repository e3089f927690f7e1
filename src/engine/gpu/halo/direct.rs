//! Halos copied from device to device, past the host.

use super::packing::{Exchanged, Packing};
use crate::{
    EngineError,
    gpu::{device::Device, peer::Peer, slab::Slab},
    share::Message,
};

pub struct Direct {
    peer: Peer,
    /// Packs into either outgoing buffer.
    pack: [Packing; 2],
    unpack: Packing,
    /// Whether a copy is coming in.
    comes: bool,
}

impl Direct {
    /// The direct route of an end, for the slabs that send and receive and the pieces that they
    /// give and take; `None` if the device cannot copy directly.
    pub fn new(
        device: &Device,
        of: ([&Slab; 2], [&Exchanged; 2]),
        values: [usize; 2],
        checked: bool,
    ) -> Option<Self> {
        let peer = Peer::new(device, values)?;
        let made = Direct::made(device, of, peer, checked);
        made.inspect_err(|error| tracing::warn!("{error}; halos go through the host")).ok()
    }

    fn made(
        device: &Device,
        ([end, into], [given, taken]): ([&Slab; 2], [&Exchanged; 2]),
        peer: Peer,
        checked: bool,
    ) -> Result<Self, EngineError> {
        let pack = |out| Packing::new(device, (end, given), ("pack", out), checked);
        let [one, other] = peer.going_out().map(pack);
        let unpack = Packing::new(device, (into, taken), ("unpack", peer.coming_in()), checked)?;
        Ok(Direct { pack: [one?, other?], unpack, peer, comes: false })
    }

    /// Packs the outgoing values if the neighbour fetches them; returns whether it did.
    pub fn pack(&mut self, step: usize, encoder: &mut wgpu::CommandEncoder) -> bool {
        let at = self.peer.pack();
        at.inspect(|at| self.pack[*at].encode(step, encoder)).is_some()
    }

    /// True if the packed values are still to be announced.
    pub fn is_packed(&self) -> bool {
        self.peer.is_packed()
    }

    /// True if the neighbour fetches.
    pub fn is_taken(&self) -> bool {
        self.peer.is_fetched()
    }

    /// Writes the announcement, or an offer to fetch, to a message.
    pub fn write_note(&mut self, message: &mut Message) {
        self.peer.write_note(message);
    }

    /// Reads a message; true if its values come directly.
    pub fn read_note(&mut self, message: &mut Message) -> Result<bool, EngineError> {
        self.comes = self.peer.read_note(message)?;
        Ok(self.comes)
    }

    /// Unpacks the incoming values once they have arrived; returns whether there were any.
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
