//! Where p leaves a device for neighbours elsewhere, and comes in from them: through the host.

mod beside;
mod columns;
mod in_turn;

pub use beside::shaders;

use super::{device::Device, part::Part, wavefield::Wavefield};
use crate::{
    engine::{
        EngineError, Layout,
        share::{Message, Neighbours, Share, Side},
    },
    grid::Axes,
};
use beside::Beside;
use in_turn::InTurn;

/// What goes to and fro at the ends of a share.
pub struct Halo {
    ends: Vec<(Side, Way)>,
    /// Messages that were read, to be written again.
    spare: Vec<Message>,
}

/// How it does at an end.
enum Way {
    Beside(Box<Beside>),
    InTurn(InTurn),
}

/// Where it lies in the fields of all shots, first values of pieces.
#[derive(Clone, Copy)]
struct Places {
    shots: usize,
    /// What the neighbour reads.
    given: usize,
    /// What is read of the neighbour.
    ghosts: usize,
}

impl Places {
    fn new(part: &Part, share: &Share, side: Side) -> Self {
        let place = |at: usize| match part.layout.is_volume() {
            true => part.index(Axes { z: 0, x: 0, y: at }),
            false => part.index(Axes { z: 0, x: at, y: 0 }),
        };
        Places {
            shots: share.plan.shots.len(),
            given: place(share.read_by(side).start),
            ghosts: place(share.ghosts_at(side).start),
        }
    }
}

/// Nodes of the ghosts at an end.
fn nodes(layout: &Layout) -> usize {
    layout.radius * layout.columns() * layout.n.z
}

impl Halo {
    pub fn new(
        device: &Device,
        wavefield: &Wavefield,
        share: &Share,
        checked: bool,
    ) -> Result<Self, EngineError> {
        let end = |side: Side| {
            let slab = wavefield.end(side);
            let places = Places::new(&slab.part, share, side);
            let way = match Beside::new(device, slab, places, checked)? {
                Some(beside) => Way::Beside(Box::new(beside)),
                None => Way::InTurn(InTurn::new(device, slab, places)?),
            };
            Ok((side, way))
        };
        let ends = share.sides().map(end).collect::<Result<_, EngineError>>()?;
        Ok(Halo { ends, spare: Vec::new() })
    }

    /// Copies what neighbours read of p at a step, once the passes before are done.
    pub fn copy(&self, wavefield: &Wavefield, step: usize, encoder: &mut wgpu::CommandEncoder) {
        for (side, way) in &self.ends {
            match way {
                Way::Beside(beside) => beside.pack(step, encoder),
                Way::InTurn(in_turn) => in_turn.copy(wavefield.end(*side), step, encoder),
            }
        }
    }

    /// Asks for it.
    pub fn map(&self) {
        for (_, way) in &self.ends {
            if let Way::InTurn(in_turn) = way {
                in_turn.map();
            }
        }
    }

    /// Gives it to the neighbours, once the submit that copies it is done, and takes the ghosts of p at the step.
    pub fn exchange(
        &mut self,
        device: &Device,
        (wavefield, step): (&Wavefield, usize),
        neighbours: &mut dyn Neighbours,
    ) -> Result<(), EngineError> {
        let layout = |side: Side| wavefield.end(side).part.layout;
        // All is read before anybody may turn out to have ended: what stays mapped takes nothing more.
        let mut read = Vec::with_capacity(self.ends.len());
        for (side, way) in &mut self.ends {
            let values = wavefield.plan.shots.len() * nodes(&layout(*side));
            let mut message = self.spare.pop().unwrap_or_else(|| Message::new(values));
            read.push(match way {
                Way::Beside(beside) => beside.out.send(message).map(|()| None)?,
                Way::InTurn(in_turn) => {
                    in_turn.read(device, &layout(*side), &mut message)?;
                    Some(message)
                }
            });
        }
        for ((side, way), read) in self.ends.iter_mut().zip(read) {
            let given = match way {
                Way::Beside(beside) => beside.out.arrive()?,
                Way::InTurn(_) => read,
            };
            neighbours.send(*side, given.unwrap_or_default())?;
        }
        let spare = &mut self.spare;
        for (side, way) in &mut self.ends {
            let message = neighbours.receive(*side)?;
            match way {
                Way::Beside(beside) => beside.take(message)?,
                Way::InTurn(in_turn) => {
                    in_turn.write(device, (wavefield.end(*side), step), &message)?;
                    spare.push(message);
                }
            }
        }
        Ok(())
    }

    /// Puts the ghosts of p at the step in their places, where they are on their way there.
    pub fn bring_in(
        &mut self,
        step: usize,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Result<(), EngineError> {
        for (_, way) in &mut self.ends {
            if let Way::Beside(beside) = way {
                self.spare.extend(beside.unpack(step, encoder)?);
            }
        }
        Ok(())
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
