//! A share of a simulation on the CPU: one step at a time, and after each the exchange with its neighbours.

use super::parallel::ParallelRun;
use crate::{
    engine::{
        EngineError, Layout, Observer, Run, ShotState, Timings, report,
        share::{Message, Neighbours, Share, ShareRun},
        state,
    },
    grid::Axes,
};
use ndarray::Array3;
use std::ops::Range;
use web_time::Instant;

/// A run, and messages that were read, to be written again.
pub struct CpuShare(pub ParallelRun, pub Vec<Message>);

impl CpuShare {
    /// Exchanges p at the present step.
    fn exchange(&mut self, neighbours: &mut dyn Neighbours) -> Result<(), EngineError> {
        let ParallelRun { share, layout, shots, .. } = &mut self.0;
        for side in share.sides() {
            let given = columns(share, layout, share.read_by(side));
            let values = shots.len() * share.ghosts * layout.columns() * layout.n.z;
            let spare = self.1.pop().filter(|spare| spare.values().len() == values);
            let mut message = spare.unwrap_or_else(|| Message::new(values));
            let shots = shots.iter().flat_map(|field| given.clone().map(|at| &field.p[at]));
            let columns = message.values_mut().chunks_exact_mut(layout.n.z);
            columns.zip(shots).for_each(|(to, column)| to.copy_from_slice(column));
            neighbours.send(side, message)?;
        }
        for side in share.sides() {
            let message = neighbours.receive(side)?;
            let mut values = message.values().chunks_exact(layout.n.z);
            let ghosts = columns(share, layout, share.ghosts_at(side));
            for field in shots.iter_mut() {
                for (at, values) in ghosts.clone().zip(&mut values) {
                    field.p[at].copy_from_slice(values);
                }
            }
            self.1.push(message);
        }
        Ok(())
    }

    fn advance_to(
        &mut self,
        until: usize,
        neighbours: &mut dyn Neighbours,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        self.exchange(neighbours)?;
        // Not on a thread of the pool, where to wait for a neighbour might be to wait for one that this thread keeps from running.
        while self.0.step < until {
            self.0.read(observer)?;
            self.0.step_once();
            self.exchange(neighbours)?;
            report(&self.0.plan, self.0.step, observer)?;
        }
        Ok(())
    }
}

/// The places of the columns of some pieces of the whole.
fn columns(
    share: &Share,
    layout: &Layout,
    pieces: Range<usize>,
) -> impl Iterator<Item = Range<usize>> + Clone + use<> {
    let (layout, volume) = (*layout, layout.is_volume());
    let before = share.pieces.start * layout.slowest().1;
    pieces.flat_map(move |at| {
        (0..layout.columns()).map(move |x| {
            let node = if volume { Axes { z: 0, x, y: at } } else { Axes { z: 0, x: at, y: 0 } };
            let first = layout.index(node) - before;
            first..first + layout.n.z
        })
    })
}

impl ShareRun for CpuShare {
    fn engine(&self) -> &'static str {
        state::CPU
    }

    fn step(&self) -> usize {
        self.0.step
    }

    fn advance(
        &mut self,
        steps: usize,
        neighbours: &mut dyn Neighbours,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let started = Instant::now();
        let until = self.0.step.saturating_add(steps).min(self.0.plan.time.steps);
        let done = self.advance_to(until, neighbours, observer);
        self.0.taps.pause(observer);
        self.0.stepping += started.elapsed().as_secs_f64();
        done
    }

    fn finish(
        &mut self,
        neighbours: &mut dyn Neighbours,
        observer: &mut dyn Observer,
    ) -> Result<Timings, EngineError> {
        self.exchange(neighbours)?;
        self.0.finish(observer)
    }

    fn restart(&mut self, share: &Share) -> Result<bool, EngineError> {
        self.0.begin_again(share.clone())
    }

    fn state(&mut self) -> Result<Vec<ShotState>, EngineError> {
        Ok(Run::state(&mut self.0)?.shots)
    }

    fn restore(&mut self, step: usize, shots: Vec<ShotState>) -> Result<(), EngineError> {
        let state = self.0.state_of(step, shots);
        Run::restore(&mut self.0, &state)
    }

    fn memory_lens(&self) -> Vec<usize> {
        let first = self.0.shots.first();
        first.into_iter().flat_map(|shot| shot.memory()).map(<[f32]>::len).collect()
    }

    fn field(&mut self, shot: usize) -> Result<Array3<f32>, EngineError> {
        Run::field(&mut self.0, shot)
    }
}
