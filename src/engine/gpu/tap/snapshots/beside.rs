//! Snapshots that are copied during the next steps, each through one of two slots in turn.

use super::report::Report;
use crate::{
    EngineError, Observer,
    gpu::{
        device::Device,
        packing::{Packing, Places},
        slab::Slab,
        transfer::{Direction, HostCopy},
        wavefield::Wavefield,
    },
    share::Message,
};
use ndarray::ArrayView3;
use std::collections::VecDeque;

/// Snapshots waiting on the device or the host.
const WAITING: usize = 2;

pub(crate) struct Beside {
    slots: [Vec<Option<CopySlot>>; WAITING],
    /// Numbers of snapshots copied on the device, and of those sent to the host.
    filled: usize,
    sent: usize,
    /// The steps of snapshots that were sent and not yet reported.
    unreported: VecDeque<usize>,
}

/// A slot for the nodes of a slab.
struct CopySlot {
    out: HostCopy,
    /// The host memory for the copy, unless one is under way.
    host: Option<Message>,
    copy: Packing,
    nodes: usize,
}

impl CopySlot {
    /// `None` for a slab that lies in the layers, or if the device has no copying queue.
    fn new(device: &Device, slab: &Slab, shots: usize) -> Result<Option<Self>, EngineError> {
        let nodes = Places::of_model(&slab.part).values();
        if nodes == 0 {
            return Ok(None);
        }
        let Some(out) = HostCopy::new(device, "snapshot", Direction::Out, nodes * shots)? else {
            return Ok(None);
        };
        let copy = Packing::of_model(device, slab, shots, out.on_device())?;
        Ok(Some(CopySlot { host: Some(out.message()), out, copy, nodes }))
    }

    /// Waits for the copy under way.
    fn wait(&mut self) -> Result<(), EngineError> {
        self.host = self.out.arrive()?.or(self.host.take());
        Ok(())
    }

    fn send(&mut self) -> Result<(), EngineError> {
        self.wait()?;
        self.host.take().map_or(Ok(()), |host| self.out.send(host))
    }
}

impl Beside {
    /// `None` if the device has no copying queue.
    pub(crate) fn new(device: &Device, wavefield: &Wavefield) -> Result<Option<Self>, EngineError> {
        if device.transfer.is_none() {
            return Ok(None);
        }
        let shots = wavefield.plan.shots.len();
        let slots = || {
            let of = |slab| CopySlot::new(device, slab, shots);
            wavefield.slabs.iter().map(of).collect::<Result<Vec<_>, _>>()
        };
        let (slots, unreported) = ([slots()?, slots()?], VecDeque::new());
        Ok(Some(Beside { slots, filled: 0, sent: 0, unreported }))
    }

    /// Copies p at a step within the device.
    pub(crate) fn encode(&self, step: usize, pass: &mut wgpu::ComputePass<'_>) {
        let slots = self.slots[self.filled % WAITING].iter().flatten();
        slots.for_each(|slot| slot.copy.encode(step, pass));
    }

    /// Waits until the encoded copy has a free slot.
    pub(crate) fn fill(&mut self) -> Result<(), EngineError> {
        let mut slots = self.slots[self.filled % WAITING].iter_mut().flatten();
        self.filled += 1;
        slots.try_for_each(CopySlot::wait)
    }

    /// Sends the snapshot copied by the submit that ended at a step.
    pub(crate) fn send(
        &mut self,
        wavefield: &Wavefield,
        step: usize,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        if self.unreported.len() == WAITING {
            self.tell_one(wavefield, observer)?;
        }
        let mut slots = self.slots[self.sent % WAITING].iter_mut().flatten();
        slots.try_for_each(CopySlot::send)?;
        self.sent += 1;
        self.unreported.push_back(step);
        Ok(())
    }

    /// Reports the snapshots that have arrived, or waits for all that were sent.
    pub(crate) fn report(
        &mut self,
        wavefield: &Wavefield,
        all: bool,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let here = |slot: &CopySlot| all || slot.out.has_arrived();
        while !self.unreported.is_empty() && self.slots[self.next()].iter().flatten().all(here) {
            self.tell_one(wavefield, observer)?;
        }
        Ok(())
    }

    /// The slot of the first unreported snapshot.
    fn next(&self) -> usize {
        (self.sent - self.unreported.len()) % WAITING
    }

    fn tell_one(
        &mut self,
        wavefield: &Wavefield,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let slot = self.next();
        let Some(step) = self.unreported.pop_front() else { return Ok(()) };
        let mut report = Report::new(wavefield, step, observer);
        for (slot, slab) in self.slots[slot].iter_mut().zip(&wavefield.slabs) {
            let Some(slot) = slot else { continue };
            let shape = slab.part.plan.model_grid.shape();
            slot.wait()?;
            let p = slot.host.as_ref().map_or(&[][..], Message::values);
            for (shot, p) in p.chunks_exact(slot.nodes).enumerate() {
                let field = ArrayView3::from_shape(shape, p).expect("a value a node");
                report.take(slab, shot, field);
            }
        }
        report.end();
        Ok(())
    }
}
