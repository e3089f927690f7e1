//! Halos from one device to another without the host's memory: by CUDA, if NVIDIA's driver library
//! is found at run time.
//!
//! CUDA makes the memory of buffers that Vulkan imports, and its copy engines read that of another
//! device. The receiver fetches: once its neighbour's submit is done, it copies out of the buffer
//! that the neighbour has packed, and waits for the copy before it submits the unpacking. Since the
//! host has waited in between, each API sees the other's writes.
//!
//! Neighbours negotiate in their messages. With its first values a share offers a buffer that holds
//! a pattern. A neighbour that can fetch it and finds the right pattern confirms this with its next
//! values, and from then on messages name a buffer instead of holding values. A neighbour that
//! never confirms, such as a CPU engine or another process, goes on getting values.
//!
//! A share has two buffers to pack into. A message holds the buffer that it names, and the receiver
//! holds it until the copy has arrived: it is not packed again before. One of the two is free in
//! every exchange, as a neighbour sends only after it has fetched the previous values.
//!
//! Linux only: Windows exports memory by another kind of handle, which is untested.

#![allow(unsafe_code, reason = "memory that two APIs share; each SAFETY says why")]

mod cuda;
mod error;
mod imported;

use super::{
    device::{Device, PeerCopies},
    packing::{Exchanged, Packing},
    slab::Slab,
};
use crate::{EngineError, share::Message};
use cuda::{CudaError, Inbox, Memory};
use error::PeerError;
use std::{
    mem,
    sync::{
        Arc, Once,
        atomic::{AtomicU32, Ordering},
    },
};

/// NVIDIA's PCI vendor ID.
const NVIDIA: u32 = 0x10de;

/// The peer copies to and from a neighbour.
pub(crate) struct Peer {
    /// Packs into either outgoing buffer.
    pack: [Packing; 2],
    unpack: Packing,
    /// Whether a copy is coming in.
    comes: bool,
    out: [(wgpu::Buffer, Arc<Memory>); 2],
    into: Inbox,
    /// The offer that goes with the first values.
    offer: Option<Offer>,
    /// Whether this share fetches from the neighbour.
    fetches: bool,
    /// Whether the neighbour fetches from this share.
    fetched: bool,
    /// The buffer that is packed now.
    packed: Option<usize>,
    device: Device,
}

/// The note in a message, for a neighbour that knows peer copies.
struct Note {
    offer: Option<Offer>,
    /// Whether the sender accepts offers in the other direction.
    fetches: bool,
    /// The location of the values, if not in the message.
    at: Option<Arc<Memory>>,
}

/// A buffer with the pattern of this number.
#[derive(Clone)]
struct Offer(Arc<Memory>, u32);

impl Peer {
    /// For the slabs that send and receive, the pieces that they give and take, and the numbers of
    /// their values; `None`, with a log message, if peer copies are impossible.
    pub(crate) fn new(
        device: &Device,
        slabs: [&Slab; 2],
        pieces: [&Exchanged; 2],
        values: [usize; 2],
    ) -> Option<Self> {
        let able = device.info.vendor == NVIDIA && device.transfer.is_some();
        let made = || Peer::made(device, slabs, pieces, values);
        able.then(made)?.inspect_err(|error| say_why_not(device, error)).ok()
    }

    fn made(
        device: &Device,
        [end, into]: [&Slab; 2],
        [give, take]: [&Exchanged; 2],
        [given, taken]: [usize; 2],
    ) -> Result<Self, PeerError> {
        let context = imported::context(device)?;
        let out = || {
            let (buffer, memory) = imported::buffer(device, &context, "halo out", given)?;
            Ok::<_, PeerError>((buffer, Arc::new(memory)))
        };
        let out = [out()?, out()?];
        let (buffer, memory) = imported::buffer(device, &context, "halo in", taken)?;
        let pack = |out| Packing::new(device, end, give, "pack", out);
        // Reused memory may hold an older pattern.
        static PATTERNS: AtomicU32 = AtomicU32::new(1);
        let number = PATTERNS.fetch_add(1, Ordering::Relaxed);
        let pattern: Vec<_> = pattern(number).take(given).collect();
        device.wait(device.write(&out[0].0, 0, &pattern)?)?;
        Ok(Peer {
            pack: [pack(&out[0].0)?, pack(&out[1].0)?],
            unpack: Packing::new(device, into, take, "unpack", &buffer)?,
            comes: false,
            offer: Some(Offer(out[0].1.clone(), number)),
            out,
            into: Inbox::new(memory)?,
            fetches: false,
            fetched: false,
            packed: None,
            device: device.clone(),
        })
    }

    /// Packs the outgoing values if the neighbour fetches them; returns whether it did.
    pub(crate) fn pack(&mut self, step: usize, encoder: &mut wgpu::CommandEncoder) -> bool {
        let free = |(_, memory): &mut (_, Arc<Memory>)| Arc::get_mut(memory).is_some();
        self.packed = self.out.iter_mut().position(free).filter(|_| self.fetched);
        if let Some(at) = self.packed {
            self.pack[at].encode(step, &mut encoder.begin_compute_pass(&Default::default()));
        }
        self.packed.is_some()
    }

    /// True if the packed values are still to be announced.
    pub(crate) fn is_packed(&self) -> bool {
        self.packed.is_some()
    }

    /// True if the neighbour fetches.
    pub(crate) fn is_fetched(&self) -> bool {
        self.fetched
    }

    /// Writes the note to a message.
    pub(crate) fn write_note(&mut self, message: &mut Message) {
        let at = self.packed.take().map(|at| self.out[at].1.clone());
        message.set_note(Note { offer: self.offer.take(), fetches: self.fetches, at });
    }

    /// Reads a message's note and starts to fetch the buffer it names; returns whether it names
    /// one.
    pub(crate) fn read_note(&mut self, message: &mut Message) -> Result<bool, EngineError> {
        self.comes = false;
        let Some(Note { offer, fetches, at }) = message.take_note() else { return Ok(false) };
        self.fetched = fetches;
        if let Some(offer) = offer {
            let proved = self.prove(&offer);
            self.fetches = proved.inspect_err(|error| say_why_not(&self.device, error)).is_ok();
        }
        self.comes = at.is_some();
        at.map_or(Ok(()), |at| self.into.fetch(at)).map_err(|error| self.device.error(error))?;
        Ok(self.comes)
    }

    /// Unpacks the incoming values once they have arrived; returns whether there were any.
    pub(crate) fn unpack(
        &mut self,
        step: usize,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<bool, EngineError> {
        if !mem::take(&mut self.comes) {
            return Ok(false);
        }
        self.into.arrive().map_err(|error| self.device.error(error))?;
        self.unpack.encode(step, &mut encoder.begin_compute_pass(&Default::default()));
        Ok(true)
    }

    /// Fetches a pattern and checks it.
    fn prove(&mut self, Offer(memory, number): &Offer) -> Result<(), PeerError> {
        let inbox = &mut self.into;
        let (bytes, here, there) = (inbox.memory.bytes, &inbox.memory.context, &memory.context);
        if here.is(there) && self.device.peer_copies != PeerCopies::Always {
            return Err(PeerError::SameGpu);
        }
        if memory.bytes < bytes || !here.reaches(there)? {
            return Err(PeerError::NoWay);
        }
        inbox.fetch(memory.clone())?;
        match inbox.read()?.into_iter().eq(pattern(*number).take(bytes / 4)) {
            true => Ok(()),
            false => Err(PeerError::Wrong),
        }
    }
}

/// Values that differ from one to the next, and from pattern to pattern.
fn pattern(number: u32) -> impl Iterator<Item = u32> {
    (0..).map(move |i: u32| (i ^ number.wrapping_mul(0x9e37_79b9)).wrapping_mul(0x85eb_ca6b))
}

/// Reports why there are no peer copies, once, unless the host just lacks the feature.
fn say_why_not(device: &Device, error: &PeerError) {
    static TOLD: Once = Once::new();
    let name = &device.info.name;
    use PeerError::{Cuda, NoWay, SameGpu};
    match error {
        NoWay | SameGpu | Cuda(CudaError::Library(_) | CudaError::NoDevice) => {
            tracing::debug!("{name}: {error}; halos go through the host's memory");
        }
        _ => TOLD.call_once(|| {
            tracing::warn!("{name}: no peer copies: {error}; halos go through the host's memory");
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_differ() {
        let [one, other] = [1, 2].map(|number| pattern(number).take(5000).collect::<Vec<_>>());
        assert!(one.iter().zip(&other).all(|(one, other)| one != other));
        assert!(one.windows(2).all(|two| two[0] != two[1]));
    }
}
