//! Where p leaves a device for neighbours elsewhere, and comes in from them: through the host.

use super::{device::Device, part::Part, staging::Staging, wavefield::Wavefield};
use crate::{
    engine::{
        EngineError, Layout,
        share::{Neighbours, Share, Side},
    },
    grid::Axes,
};

/// What goes to and fro at the ends of a share.
pub struct Halo {
    ends: Vec<End>,
    /// As a field has it, with the zeros between columns.
    padded: Vec<f32>,
    /// Messages that were read, to be written again.
    spare: Vec<Vec<f32>>,
}

/// One of them.
struct End {
    side: Side,
    /// Places in the slab's field: of what the neighbour reads, and of its own.
    given: usize,
    ghosts: usize,
    /// Of all shots.
    out: Staging,
}

impl Halo {
    pub fn new(device: &Device, wavefield: &Wavefield, share: &Share) -> Result<Self, EngineError> {
        let shots = share.plan.shots.len();
        let end = |side: Side| {
            let part = &wavefield.end(side).part;
            let place = |at: usize| match part.layout.is_volume() {
                true => part.index(Axes { z: 0, x: 0, y: at }),
                false => part.index(Axes { z: 0, x: at, y: 0 }),
            };
            let (given, ghosts) = (share.read_by(side).start, share.ghosts_at(side).start);
            let out = Staging::new(device, "halo out", shots * values(&part.layout))?;
            Ok(End { side, given: place(given), ghosts: place(ghosts), out })
        };
        let ends: Vec<_> = share.sides().map(end).collect::<Result<_, EngineError>>()?;
        Ok(Halo { ends, padded: Vec::new(), spare: Vec::new() })
    }

    /// Copies what neighbours read of p at a step, once the passes before are done.
    pub fn copy(&self, wavefield: &Wavefield, step: usize, encoder: &mut wgpu::CommandEncoder) {
        for End { side, given, out, .. } in &self.ends {
            let slab = wavefield.end(*side);
            let Part { layout, plan, .. } = &slab.part;
            let (from, field, values) = (slab.field(step), layout.len(), values(layout));
            for shot in 0..plan.shots.len() {
                out.copy_to((HERE, shot * values), encoder, from, shot * field + given, values);
            }
        }
    }

    /// Asks for it.
    pub fn map(&self) {
        self.ends.iter().for_each(|end| end.out.map(HERE, end.out.values()));
    }

    /// Gives it to the neighbours, once it is there, and puts what they give into the ghosts of p at the step.
    pub fn exchange(
        &mut self,
        device: &Device,
        (wavefield, step): (&Wavefield, usize),
        neighbours: &mut dyn Neighbours,
    ) -> Result<(), EngineError> {
        // All is read before anybody may turn out to have ended: what stays mapped takes nothing more.
        let mut given = Vec::with_capacity(self.ends.len());
        for End { side, out, .. } in &self.ends {
            let layout = &wavefield.end(*side).part.layout;
            let mut message = self.spare.pop().unwrap_or_default();
            message.clear();
            out.read(device, HERE, out.values(), |padded: &[f32]| {
                columns(layout, padded).for_each(|column| message.extend(column));
            })?;
            given.push((*side, message));
        }
        for (side, message) in given {
            neighbours.send(side, message)?;
        }
        for End { side, ghosts, .. } in &self.ends {
            let slab = wavefield.end(*side);
            let layout = &slab.part.layout;
            let message = neighbours.receive(*side)?;
            let values = values(layout);
            let shots = message.chunks_exact(layout.radius * layout.columns() * layout.n.z);
            for (shot, message) in shots.enumerate() {
                self.padded.clear();
                self.padded.resize(values, 0.0);
                let to = columns_mut(layout, &mut self.padded);
                for (to, column) in to.zip(message.chunks_exact(layout.n.z)) {
                    to.copy_from_slice(column);
                }
                device.write(slab.field(step), shot * layout.len() + ghosts, &self.padded)?;
            }
            self.spare.push(message);
        }
        Ok(())
    }
}

/// What goes out is read before more does.
const HERE: usize = 0;

/// Values of the ghosts at an end.
fn values(layout: &Layout) -> usize {
    layout.radius * layout.slowest().1
}

/// The nodes of each column of some pieces.
fn columns<'p>(layout: &Layout, pieces: &'p [f32]) -> impl Iterator<Item = &'p [f32]> {
    let (all, column, n) = (layout.columns(), layout.column, layout.n.z);
    let pieces = pieces.chunks_exact(layout.slowest().1);
    pieces.flat_map(move |piece| piece.chunks_exact(column).take(all).map(move |all| &all[..n]))
}

/// [`columns`] to write to.
fn columns_mut<'p>(layout: &Layout, pieces: &'p mut [f32]) -> impl Iterator<Item = &'p mut [f32]> {
    let (all, column, n) = (layout.columns(), layout.column, layout.n.z);
    let pieces = pieces.chunks_exact_mut(layout.slowest().1);
    pieces.flat_map(move |piece| {
        piece.chunks_exact_mut(column).take(all).map(move |all| &mut all[..n])
    })
}
