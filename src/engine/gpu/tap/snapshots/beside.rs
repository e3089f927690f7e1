//! Snapshots that are copied during the next steps, each through one of two slots in turn.

use super::report::Report;
use crate::{
    EngineError, Observer,
    gpu::{
        device::Device,
        part::Part,
        pipeline::{self, Bound},
        shader,
        slab::Slab,
        transfer::{Direction, HostCopy},
        wavefield::Wavefield,
    },
    grid::Axes,
    share::Message,
};
use ndarray::ArrayView3;
use std::collections::VecDeque;

/// Snapshots waiting on the device or the host.
const WAITING: usize = 2;
const WORKGROUP: usize = 256;

static WINDOW: shader::Source = shader::source!("window");

/// Its shader; empty for a part that lies in the layers.
pub fn shaders(part: &Part) -> Vec<(&'static str, String)> {
    match nodes(part) {
        0 => Vec::new(),
        _ => vec![(WINDOW.name, WINDOW.specialised(&constants(part)))],
    }
}

/// Nodes of the model in a part.
fn nodes(part: &Part) -> usize {
    let Axes { z, x, y } = part.plan.model_grid.n;
    z * x * y
}

fn constants(part: &Part) -> shader::Constants {
    let (layout, n) = (&part.layout, part.plan.model_grid.n);
    shader::Constants::default()
        .int("WG", WORKGROUP)
        .int("NODES", nodes(part))
        .int("NX", n.x)
        .int("NZ", n.z)
        .int("FIRST", layout.index(part.plan.origin))
        .int("COLUMN", layout.column)
        .int("PLANE", layout.plane)
        .int("FIELD", layout.len())
}

pub struct Beside {
    rooms: [Vec<Option<CopySlot>>; WAITING],
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
    copy: Bound,
}

impl CopySlot {
    /// `None` if the device has no copying queue.
    fn new(
        device: &Device,
        slab: &Slab,
        shots: usize,
        checked: bool,
    ) -> Result<Option<Self>, EngineError> {
        let nodes = nodes(&slab.part);
        let Some(out) = HostCopy::new(device, ("snapshot", Direction::Out), nodes * shots)? else {
            return Ok(None);
        };
        let [x, y] = pipeline::rows(nodes.div_ceil(WORKGROUP));
        let source = (&WINDOW, "window_of", constants(&slab.part));
        let fields = |step| [slab.field(step), out.on_device()];
        let dispatch = ([x, y, shots as u32], 0);
        let bound = (&[false, true][..], &[fields(0), fields(1)][..]);
        let copy = Bound::new(device, source, bound, dispatch, checked)?;
        let host = Some(out.message());
        Ok(Some(CopySlot { out, host, copy }))
    }
}

impl CopySlot {
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
    pub fn new(
        device: &Device,
        wavefield: &Wavefield,
        checked: bool,
    ) -> Result<Option<Self>, EngineError> {
        if device.transfer.is_none() {
            return Ok(None);
        }
        let shots = wavefield.plan.shots.len();
        let of = |slab: &Slab| match nodes(&slab.part) {
            0 => Ok(None),
            _ => CopySlot::new(device, slab, shots, checked),
        };
        let room = || wavefield.slabs.iter().map(of).collect::<Result<Vec<_>, _>>();
        Ok(Some(Beside {
            rooms: [room()?, room()?],
            filled: 0,
            sent: 0,
            unreported: VecDeque::new(),
        }))
    }

    /// Copies p at a step within the device.
    pub fn encode(&self, step: usize, pass: &mut wgpu::ComputePass<'_>) {
        let rooms = self.rooms[self.filled % WAITING].iter().flatten();
        rooms.for_each(|room| room.copy.encode(pass, step % 2));
    }

    /// Waits until the encoded copy has a free slot.
    pub fn fill(&mut self) -> Result<(), EngineError> {
        let mut rooms = self.rooms[self.filled % WAITING].iter_mut().flatten();
        self.filled += 1;
        rooms.try_for_each(CopySlot::wait)
    }

    /// Sends the snapshot copied by the submit that ended at a step.
    pub fn send(
        &mut self,
        wavefield: &Wavefield,
        step: usize,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        if self.unreported.len() == WAITING {
            self.tell_one(wavefield, observer)?;
        }
        let mut rooms = self.rooms[self.sent % WAITING].iter_mut().flatten();
        rooms.try_for_each(CopySlot::send)?;
        self.sent += 1;
        self.unreported.push_back(step);
        Ok(())
    }

    /// Reports the snapshots that have arrived, or waits for all that were sent.
    pub fn report(
        &mut self,
        wavefield: &Wavefield,
        all: bool,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let here = |room: &CopySlot| all || room.out.has_arrived();
        while !self.unreported.is_empty() && self.rooms[self.next()].iter().flatten().all(here) {
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
        let room = self.next();
        let Some(step) = self.unreported.pop_front() else { return Ok(()) };
        let mut report = Report::new(wavefield, step, observer);
        for (room, slab) in self.rooms[room].iter_mut().zip(&wavefield.slabs) {
            let Some(room) = room else { continue };
            let shape = slab.part.plan.model_grid.shape();
            room.wait()?;
            let p = room.host.as_ref().map_or(&[][..], Message::values);
            for (shot, p) in p.chunks_exact(nodes(&slab.part)).enumerate() {
                let field = ArrayView3::from_shape(shape, p).expect("a value a node");
                report.take(slab, shot, field);
            }
        }
        report.end();
        Ok(())
    }
}
