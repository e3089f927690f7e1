//! Halos from one device to another without the host's memory: by CUDA, where NVIDIA's driver library is found when the program runs.
//!
//! Buffers of Vulkan are exported and imported by CUDA, whose copy engines read the memory of another device. The receiver fetches: it copies
//! out of the buffer into which its neighbour has packed, once the neighbour's submit is done, and waits for that before it submits what
//! unpacks. So either API sees what the other wrote because the host has waited for it in between.
//!
//! Neighbours agree in what they send anyway. With its first values a share offers a buffer that holds a pattern; a neighbour that can fetch it
//! and finds what it should says so with its next, and from then on messages name a buffer in the place of values. Whoever hears nothing of
//! that, as a CPU engine or another process, goes on getting values.
//!
//! A share has two buffers to pack into. A message holds the one it names, and so does who fetches it until it has arrived: neither is packed
//! again before. Of two one is free in every exchange, as a neighbour sends only after it has fetched what came before.
//!
//! On Linux alone: Windows exports memory by handles of another kind, which nobody has tried here.

#![allow(unsafe_code, reason = "memory that two APIs share; each SAFETY says why")]

mod cuda;
mod exported;

use super::device::{Device, PeerCopies};
use crate::engine::{EngineError, share::Message};
use ash::vk;
use cuda::{CudaError, Inbox, Memory};
use exported::Exporter;
use std::sync::{
    Arc, Once,
    atomic::{AtomicU32, Ordering},
};

/// NVIDIA's number among vendors.
const NVIDIA: u32 = 0x10de;

/// What goes to a neighbour and comes from it by peer copies.
pub struct Peer {
    out: [(wgpu::Buffer, Arc<Memory>); 2],
    into: (wgpu::Buffer, Inbox),
    /// What is offered with the first values.
    offer: Option<Offer>,
    /// Whether this share fetches what the neighbour offered.
    fetches: bool,
    /// Whether the neighbour does.
    fetched: bool,
    /// What is packed into now.
    packed: Option<usize>,
    device: Device,
}

/// What a message says to a neighbour that knows peer copies.
struct Note {
    offer: Option<Offer>,
    /// Whether offers in the other direction are taken.
    fetches: bool,
    /// Where the values are, if not in the message.
    at: Option<Arc<Memory>>,
}

/// A buffer with the pattern of this number.
#[derive(Clone)]
struct Offer(Arc<Memory>, u32);

#[derive(Debug, thiserror::Error)]
enum PeerError {
    #[error("its Vulkan driver exports no memory")]
    NoExport,
    #[error("its Vulkan driver says: {0}")]
    Vulkan(#[from] vk::Result),
    #[error(transparent)]
    Cuda(#[from] CudaError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("it does not reach the memory of a neighbour")]
    NoWay,
    #[error("it is its own neighbour, which is slower than through the host")]
    SameGpu,
    #[error("a pattern that was fetched from a neighbour's memory is not the one that was there")]
    Wrong,
}

impl Peer {
    /// For so many values out and in; `None`, with a word, where there can be none.
    pub fn new(device: &Device, values: [usize; 2]) -> Option<Self> {
        let able = device.info.vendor == NVIDIA && device.transfer.is_some();
        let made = || Peer::made(device, values).inspect_err(|error| say_why_not(device, error));
        able.then(made)?.ok()
    }

    fn made(device: &Device, [given, taken]: [usize; 2]) -> Result<Self, PeerError> {
        let exporter = Exporter::new(device)?;
        let out = || {
            let (buffer, memory) = exporter.buffer(device, "halo out", given)?;
            Ok::<_, PeerError>((buffer, Arc::new(memory)))
        };
        let out = [out()?, out()?];
        let (buffer, memory) = exporter.buffer(device, "halo in", taken)?;
        // Memory that was used before may hold a pattern.
        static PATTERNS: AtomicU32 = AtomicU32::new(1);
        let number = PATTERNS.fetch_add(1, Ordering::Relaxed);
        let pattern: Vec<_> = pattern(number).take(given).collect();
        device.wait(device.write(&out[0].0, 0, &pattern)?)?;
        Ok(Peer {
            offer: Some(Offer(out[0].1.clone(), number)),
            out,
            into: (buffer, Inbox::new(memory)?),
            fetches: false,
            fetched: false,
            packed: None,
            device: device.clone(),
        })
    }

    /// The buffers into which what is given is packed, now one and now the other.
    pub fn going_out(&self) -> [&wgpu::Buffer; 2] {
        [&self.out[0].0, &self.out[1].0]
    }

    /// The buffer from which what is taken is unpacked.
    pub fn coming_in(&self) -> &wgpu::Buffer {
        &self.into.0
    }

    /// Which buffer is packed into this time; none where the neighbour fetches nothing, and values are to be sent.
    pub fn pack(&mut self) -> Option<usize> {
        let free = |(_, memory): &mut (_, Arc<Memory>)| Arc::get_mut(memory).is_some();
        self.packed = self.out.iter_mut().position(free).filter(|_| self.fetched);
        self.packed
    }

    /// Whether one was.
    pub fn is_packed(&self) -> bool {
        self.packed.is_some()
    }

    /// Whether the neighbour fetches what is packed.
    pub fn is_fetched(&self) -> bool {
        self.fetched
    }

    /// Says in a message what there is to say.
    pub fn tell(&mut self, message: &mut Message) {
        let at = self.packed.take().map(|at| self.out[at].1.clone());
        message.say(Note { offer: self.offer.take(), fetches: self.fetches, at });
    }

    /// Hears what a message says, and begins to fetch what it names; whether it does.
    pub fn hear(&mut self, message: &mut Message) -> Result<bool, EngineError> {
        let Some(Note { offer, fetches, at }) = message.said() else { return Ok(false) };
        self.fetched = fetches;
        if let Some(offer) = offer {
            let proved = self.prove(&offer);
            self.fetches = proved.inspect_err(|error| say_why_not(&self.device, error)).is_ok();
        }
        match at {
            None => Ok(false),
            Some(at) => {
                self.into.1.fetch(at).map_err(|error| self.device.error(error))?;
                Ok(true)
            }
        }
    }

    /// Waits until it is there.
    pub fn arrive(&mut self) -> Result<(), EngineError> {
        self.into.1.arrive().map_err(|error| self.device.error(error))
    }

    /// Fetches a pattern, which must be right.
    fn prove(&mut self, Offer(memory, number): &Offer) -> Result<(), PeerError> {
        let inbox = &mut self.into.1;
        let (bytes, here, there) =
            (inbox.memory().bytes(), inbox.memory().context(), memory.context());
        if here.is(there) && self.device.peer_copies != PeerCopies::Always {
            return Err(PeerError::SameGpu);
        }
        if memory.bytes() < bytes || !here.reads(there)? {
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

/// Says why there are no peer copies, once where that is a failure and no lack of the host's.
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
