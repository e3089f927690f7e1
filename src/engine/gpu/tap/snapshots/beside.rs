//! Snapshots that leave while the next steps run, each through one of two rooms in turn.

use super::Told;
use crate::{
    engine::{
        EngineError, Observer,
        gpu::{
            device::Device,
            part::Part,
            pipeline, shader,
            slab::Slab,
            transfer::{HostCopy, Way},
            wavefield::Wavefield,
        },
        share::Message,
    },
    grid::Axes,
};
use ndarray::ArrayView3;
use std::collections::VecDeque;

/// Snapshots that wait on the device or the host.
const WAITING: usize = 2;
/// Invocations of a workgroup.
const WORKGROUP: usize = 256;

static WINDOW: shader::Source = shader::Source {
    name: "window",
    text: include_str!("../../../../../shaders/window.wgsl"),
    library: &[],
};

/// Its shader; none for a part of layers alone.
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
    rooms: [Vec<Option<Room>>; WAITING],
    /// Snapshots that were copied where they live, and those of them that were sent.
    filled: usize,
    sent: usize,
    /// The steps of those that were sent and not told of.
    untold: VecDeque<usize>,
}

/// Where the nodes of a slab wait.
struct Room {
    out: HostCopy,
    /// What it is copied to, unless a copy is under way.
    host: Option<Message>,
    pipeline: wgpu::ComputePipeline,
    /// From p at even steps and at odd ones.
    groups: [wgpu::BindGroup; 2],
    dispatch: [u32; 3],
}

impl Room {
    /// `None` where the device has no queue that copies.
    fn new(
        device: &Device,
        slab: &Slab,
        shots: usize,
        checked: bool,
    ) -> Result<Option<Self>, EngineError> {
        let nodes = nodes(&slab.part);
        let Some(out) = HostCopy::new(device, ("snapshot", Way::Out), nodes * shots)? else {
            return Ok(None);
        };
        let module = WINDOW.module(device, &constants(&slab.part), checked)?;
        let (pipeline, groups) = device.guarded(|| {
            let layout = pipeline::bindings(device, &[Some(false), Some(true)]);
            let bind = |step| pipeline::bind(device, &layout, &[slab.field(step), out.on_device()]);
            (pipeline::pipeline(device, &module, "window_of", &[&layout], 0), [bind(0), bind(1)])
        })?;
        let [x, y] = pipeline::rows(nodes.div_ceil(WORKGROUP));
        let host = Some(out.message());
        Ok(Some(Room { out, host, pipeline, groups, dispatch: [x, y, shots as u32] }))
    }
}

impl Room {
    /// Waits for a copy that is under way.
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
    /// `None` where the device has no queue that copies.
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
            _ => Room::new(device, slab, shots, checked),
        };
        let room = || wavefield.slabs.iter().map(of).collect::<Result<Vec<_>, _>>();
        Ok(Some(Beside { rooms: [room()?, room()?], filled: 0, sent: 0, untold: VecDeque::new() }))
    }

    /// Copies p at a step where it lives.
    pub fn encode(&self, step: usize, pass: &mut wgpu::ComputePass<'_>) {
        let rooms = self.rooms[self.filled % WAITING].iter().flatten();
        for Room { pipeline, groups, dispatch: [x, y, z], .. } in rooms {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &groups[step % 2], &[]);
            pass.dispatch_workgroups(*x, *y, *z);
        }
    }

    /// Waits until the copy that was encoded has a free room.
    pub fn fill(&mut self) -> Result<(), EngineError> {
        let mut rooms = self.rooms[self.filled % WAITING].iter_mut().flatten();
        self.filled += 1;
        rooms.try_for_each(Room::wait)
    }

    /// Sends what the submit that ended at a step has copied.
    pub fn send(
        &mut self,
        wavefield: &Wavefield,
        step: usize,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        if self.untold.len() == WAITING {
            self.tell_one(wavefield, observer)?;
        }
        let mut rooms = self.rooms[self.sent % WAITING].iter_mut().flatten();
        rooms.try_for_each(Room::send)?;
        self.sent += 1;
        self.untold.push_back(step);
        Ok(())
    }

    /// Tells of those that have arrived, or waits for all that were sent.
    pub fn tell(
        &mut self,
        wavefield: &Wavefield,
        all: bool,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let here = |room: &Room| all || room.out.has_arrived();
        while !self.untold.is_empty() && self.rooms[self.next()].iter().flatten().all(here) {
            self.tell_one(wavefield, observer)?;
        }
        Ok(())
    }

    /// The room of the first that is not told of.
    fn next(&self) -> usize {
        (self.sent - self.untold.len()) % WAITING
    }

    fn tell_one(
        &mut self,
        wavefield: &Wavefield,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let room = self.next();
        let Some(step) = self.untold.pop_front() else { return Ok(()) };
        let mut told = Told::new(wavefield, step, observer);
        for (room, slab) in self.rooms[room].iter_mut().zip(&wavefield.slabs) {
            let Some(room) = room else { continue };
            let shape = slab.part.plan.model_grid.shape();
            room.wait()?;
            let p = room.host.as_ref().map_or(&[][..], Message::values);
            for (shot, p) in p.chunks_exact(nodes(&slab.part)).enumerate() {
                let field = ArrayView3::from_shape(shape, p).expect("a value a node");
                told.take(slab, shot, field);
            }
        }
        told.end();
        Ok(())
    }
}
