//! What leaves a device for neighbours elsewhere, and comes in from them: through the host.

mod packing;
mod way;

pub use packing::shaders;

use super::{device::Device, slab::Slab, wavefield::Wavefield};
use crate::engine::{
    EngineError,
    share::{Message, Neighbours, Share, Side},
};
use packing::Packing;
use std::ops::Range;
use way::Way;

/// What goes to and fro at the ends of a share.
pub struct Halo {
    ends: Vec<End>,
    /// Messages that were read, to be written again.
    spare: Vec<Message>,
}

struct End {
    side: Side,
    /// Of what it gives.
    values: usize,
    pack: Packing,
    unpack: Packing,
    way: Way,
    /// Whether something has come in.
    came: bool,
}

/// Pieces that are exchanged.
struct Exchanged {
    shots: usize,
    pieces: Range<usize>,
    /// All that they go on with, and not p alone.
    state: bool,
}

impl Halo {
    pub fn new(
        device: &Device,
        wavefield: &Wavefield,
        share: &Share,
        checked: bool,
    ) -> Result<Self, EngineError> {
        let ends = share.sides().map(|side| End::new(device, wavefield, (share, side), checked));
        let mut ends = ends.collect::<Result<Vec<_>, EngineError>>()?;
        // Of equal shares those at both sides of a seam exchange first there, so that one seam's copies come in while the other's leave.
        if (share.pieces.start / share.pieces.len().max(1)).is_multiple_of(2) {
            ends.reverse();
        }
        Ok(Halo { ends, spare: Vec::new() })
    }

    /// Copies what neighbours take at a step, once the passes before are done.
    pub fn copy(&self, step: usize, encoder: &mut wgpu::CommandEncoder) {
        for End { pack, way, .. } in &self.ends {
            pack.encode(step, encoder);
            way.copy(encoder);
        }
    }

    /// Asks for it.
    pub fn map(&self) {
        self.ends.iter().for_each(|end| end.way.map());
    }

    /// Gives it to the neighbours, once the submit that copies it is done, and takes theirs.
    pub fn exchange(
        &mut self,
        device: &Device,
        neighbours: &mut dyn Neighbours,
    ) -> Result<(), EngineError> {
        // All is read before anybody may turn out to have ended: what stays mapped takes nothing more.
        let mut read = Vec::with_capacity(self.ends.len());
        for End { way, values, .. } in &mut self.ends {
            let spare = self.spare.iter().position(|spare| spare.values().len() == *values);
            let spare = spare.map(|at| self.spare.swap_remove(at));
            let message = spare.unwrap_or_else(|| Message::new(*values));
            read.push(way.send(device, message)?);
        }
        for (End { side, way, came, .. }, read) in self.ends.iter_mut().zip(read) {
            neighbours.send(*side, read.or(way.sent()?).unwrap_or_default())?;
            let message = neighbours.receive(*side)?;
            self.spare.extend(way.take(device, message)?);
            *came = true;
        }
        Ok(())
    }

    /// Puts what came in its place at a step; whether something had.
    pub fn bring_in(
        &mut self,
        step: usize,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<bool, EngineError> {
        let mut any = false;
        for end in self.ends.iter_mut().filter(|end| end.came) {
            self.spare.extend(end.way.taken()?);
            end.unpack.encode(step, encoder);
            end.came = false;
            any = true;
        }
        Ok(any)
    }
}

impl End {
    fn new(
        device: &Device,
        wavefield: &Wavefield,
        (share, side): (&Share, Side),
        checked: bool,
    ) -> Result<Self, EngineError> {
        let mirror = wavefield.mirrors.iter().find(|(of, _)| *of == side);
        let exchanged =
            |pieces| Exchanged { shots: share.plan.shots.len(), pieces, state: mirror.is_some() };
        let end: &Slab = wavefield.end(side);
        let into = mirror.map_or(end, |(_, slab)| slab);
        let (given, taken) = (exchanged(share.given_to(side)), exchanged(share.taken_of(side)));
        let values = packing::values(&end.part, &given);
        let way = Way::new(device, [values, packing::values(&into.part, &taken)])?;
        let pack = Packing::new(device, (end, &given), ("pack", way.going_out()), checked)?;
        let unpack = Packing::new(device, (into, &taken), ("unpack", way.coming_in()), checked)?;
        Ok(End { side, values, pack, unpack, way, came: false })
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        engine::{
            Engine, Gathers, Split,
            gpu::{Gpu, list, memory::tests::plan},
        },
        grid::Axes,
        plan::Plan,
    };
    use ndarray::{Array2, Array3};
    use std::sync::Arc;

    /// The gathers and fields of two shots that are advanced in two pieces.
    fn heard(engine: &dyn Engine, plan: &Arc<Plan>) -> (Vec<Array2<f32>>, Vec<Array3<f32>>) {
        let mut gathers = Gathers::new(plan);
        let mut run = engine.start(plan.clone()).expect("it starts");
        run.advance(5, &mut gathers).expect("a stable run");
        run.advance(plan.time.steps, &mut gathers).expect("a stable run");
        run.finish(&mut gathers).expect("a stable run");
        (gathers.shots, (0..2).map(|shot| run.field(shot).expect("a field")).collect())
    }

    #[test]
    fn beside_the_steps_and_in_turn_give_the_same() {
        let mut ran = false;
        let plan = Arc::new(plan(Axes { z: 20, x: 17, y: 31 }, 6, 2));
        for adapter in list(false).iter().filter(|adapter| adapter.lacks.is_empty()) {
            let open = || Gpu::open_copying(adapter).expect("it opens");
            let whole = heard(&open().with_copies_in_turn(), &plan);
            assert!(whole.1[0].iter().any(|p| *p != 0.0));
            let split = |in_turn: bool, other: bool| {
                // Each has a device of its own: it uses one queue for all.
                let gpu = |in_turn| -> Box<dyn Engine> {
                    let gpu = open();
                    Box::new(if in_turn { gpu.with_copies_in_turn() } else { gpu })
                };
                Split::new(vec![gpu(in_turn), gpu(other), gpu(in_turn)], &[]).expect("three")
            };
            ran |= open().copies_beside();
            for (one, other) in [(true, true), (false, false), (false, true)] {
                let split = heard(&split(one, other), &plan);
                assert!(split == whole, "{}, in turn: {one}, {other}", adapter.name);
            }
        }
        if !ran {
            println!("NOT RUN: no Vulkan");
        }
    }
}
