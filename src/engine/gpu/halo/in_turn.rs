//! Through wgpu's queue, in turn with the steps.

use super::{Places, columns};
use crate::engine::{
    EngineError, Layout,
    gpu::{device::Device, slab::Slab, staging::Staging},
    share::Message,
};

pub struct InTurn {
    places: Places,
    /// As fields have it, with the zeros between columns.
    out: Staging,
    padded: Vec<f32>,
}

/// What goes out is read before more does.
const HERE: usize = 0;

/// Values of the ghosts at an end of a shot's field.
fn values(layout: &Layout) -> usize {
    layout.radius * layout.slowest().1
}

impl InTurn {
    pub fn new(device: &Device, slab: &Slab, places: Places) -> Result<Self, EngineError> {
        let all = places.shots * values(&slab.part.layout);
        let out = Staging::new(device, "halo out", all)?;
        Ok(InTurn { places, out, padded: vec![0.0; all] })
    }

    pub fn copy(&self, slab: &Slab, step: usize, encoder: &mut wgpu::CommandEncoder) {
        let layout = &slab.part.layout;
        let (from, values) = (slab.field(step), values(layout));
        for shot in 0..self.places.shots {
            let first = shot * layout.len() + self.places.given;
            self.out.copy_to((HERE, shot * values), encoder, from, first, values);
        }
    }

    pub fn map(&self) {
        self.out.map(HERE, self.out.values());
    }

    pub fn read(
        &self,
        device: &Device,
        layout: &Layout,
        message: &mut Message,
    ) -> Result<(), EngineError> {
        let out = &self.out;
        out.read(device, HERE, out.values(), |p| columns::pack(layout, p, message.values_mut()))
    }

    pub fn write(
        &mut self,
        device: &Device,
        (slab, step): (&Slab, usize),
        message: &Message,
    ) -> Result<(), EngineError> {
        let layout = &slab.part.layout;
        columns::unpack(layout, message.values(), &mut self.padded);
        for (shot, padded) in self.padded.chunks_exact(values(layout)).enumerate() {
            let first = shot * layout.len() + self.places.ghosts;
            device.write(slab.field(step), first, padded)?;
        }
        Ok(())
    }
}
