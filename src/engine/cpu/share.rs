//! A share of a simulation on the CPU: single steps, each followed by an exchange.

use super::run::ParallelRun;
use crate::{
    EngineError, Layout, Observer, Run, SourceWavefield, Timings,
    grid::Axes,
    report,
    share::{Message, Neighbours, Share, ShareRun, Side},
    state,
};
use std::ops::Range;
use web_time::Instant;

/// A run of a share, and the state of its exchanges.
pub(crate) struct CpuShare {
    run: ParallelRun,
    /// The ends of neighbours that are stepped here too.
    mirrors: Vec<(Side, ParallelRun)>,
    /// Messages that were read, for reuse.
    spare: Vec<Message>,
}

impl CpuShare {
    pub(crate) fn new(share: Share, source: Option<&SourceWavefield>) -> Result<Self, EngineError> {
        let mirrors = share.sides().filter_map(|side| Some((side, share.mirror(side)?)));
        let mirrors = mirrors.map(|(side, share)| Ok((side, ParallelRun::new(share, None)?)));
        let mirrors = mirrors.collect::<Result<_, EngineError>>()?;
        Ok(CpuShare { run: ParallelRun::new(share, source)?, mirrors, spare: Vec::new() })
    }

    /// Exchanges the halos of the present step with the neighbours.
    fn exchange(&mut self, neighbours: &mut dyn Neighbours) -> Result<(), EngineError> {
        let CpuShare { run, mirrors, spare } = self;
        let (share, state) = (run.share.clone(), !mirrors.is_empty());
        mirrors.iter_mut().for_each(|(_, mirror)| mirror.step = run.step);
        for side in share.sides() {
            let given = share.given_to(side);
            let mut values = 0;
            visit(run, &given, state, |part| values += part.len());
            let known = spare.iter().position(|spare| spare.values().len() == values);
            let known = known.map(|at| spare.swap_remove(at));
            let mut message = known.unwrap_or_else(|| Message::new(values));
            let mut to = message.values_mut();
            visit(run, &given, state, |part| {
                to.split_off_mut(..part.len()).expect("as many").copy_from_slice(part);
            });
            neighbours.send(side, message)?;
        }
        for side in share.sides() {
            let message = neighbours.receive(side)?;
            let mirror = mirrors.iter_mut().find(|(of, _)| *of == side);
            let into = mirror.map_or(&mut *run, |(_, mirror)| mirror);
            let mut from = message.values();
            visit(into, &share.taken_of(side), state, |part| {
                part.copy_from_slice(from.split_off(..part.len()).expect("as many"));
            });
            spare.push(message);
        }
        self.meet();
        Ok(())
    }

    /// Updates the ghosts of mirrors, and of the pieces that they mirror, to the present step.
    fn meet(&mut self) {
        let CpuShare { run, mirrors, .. } = self;
        let (Range { start, end }, ghosts) = (run.share.pieces.clone(), run.share.ghosts);
        for (side, mirror) in mirrors {
            let (mine, its) = match side {
                Side::Low => (start..start + ghosts, start - ghosts..start),
                Side::High => (end - ghosts..end, end..end + ghosts),
            };
            copy(run, mirror, &mine);
            copy(mirror, run, &its);
        }
    }

    fn step(&mut self) {
        self.run.step_once();
        self.mirrors.iter_mut().for_each(|(_, mirror)| mirror.step_once());
    }

    fn advance_to(
        &mut self,
        until: usize,
        neighbours: &mut dyn Neighbours,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        self.exchange(neighbours)?;
        let (first, ghost_steps) = (self.run.step, self.run.share.ghost_steps);
        // Not on a thread of the pool, where waiting for a neighbour could block the thread that
        // the neighbour needs.
        while self.run.step < until {
            self.run.read(observer)?;
            self.step();
            let step = self.run.step;
            if step == until || (step - first).is_multiple_of(ghost_steps) {
                self.exchange(neighbours)?;
            } else {
                self.meet();
            }
            report(&self.run.plan, step, observer)?;
        }
        Ok(())
    }
}

/// Visits all values of a message, part by part: p of some pieces or, for a state, also the array
/// kept beside it and the layers' memory. Twin of shaders/halo.wgsl.
fn visit(
    run: &mut ParallelRun,
    pieces: &Range<usize>,
    state: bool,
    mut each: impl FnMut(&mut [f32]),
) {
    let ParallelRun { share, layout, shots, .. } = run;
    let columns = columns(share, layout, pieces.clone());
    for shot in shots.iter_mut() {
        columns.clone().for_each(|at| each(&mut shot.p[at]));
    }
    if state {
        let here = pieces.start - share.pieces.start..pieces.end - share.pieces.start;
        for shot in shots.iter_mut() {
            columns.clone().for_each(|at| each(&mut shot.p_prev[at]));
        }
        shots.iter_mut().for_each(|shot| shot.memory_of(&here).for_each(&mut each));
    }
}

/// Copies p of some pieces, which are ghosts of one of the two.
fn copy(from: &ParallelRun, to: &mut ParallelRun, pieces: &Range<usize>) {
    let there = columns(&from.share, &from.layout, pieces.clone());
    let here = columns(&to.share, &to.layout, pieces.clone());
    for (from, to) in from.shots.iter().zip(&mut to.shots) {
        let both = there.clone().zip(here.clone());
        both.for_each(|(there, here)| to.p[here].copy_from_slice(&from.p[there]));
    }
}

/// The offsets of the columns of some pieces of the whole.
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
        self.run.step
    }

    fn advance(
        &mut self,
        steps: usize,
        neighbours: &mut dyn Neighbours,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let started = Instant::now();
        let until = self.run.step.saturating_add(steps).min(self.run.plan.time.steps);
        let done = self.advance_to(until, neighbours, observer);
        self.run.taps.pause(observer);
        self.run.stepping += started.elapsed().as_secs_f64();
        done
    }

    fn finish(
        &mut self,
        neighbours: &mut dyn Neighbours,
        observer: &mut dyn Observer,
    ) -> Result<Timings, EngineError> {
        self.exchange(neighbours)?;
        self.run.finish(observer)
    }

    fn restart(&mut self, share: &Share) -> Result<bool, EngineError> {
        for (side, mirror) in &mut self.mirrors {
            let Some(share) = share.mirror(*side) else { return Ok(false) };
            if !mirror.begin_again(share)? {
                return Ok(false);
            }
        }
        self.run.begin_again(share.clone())
    }

    fn run(&mut self) -> &mut dyn Run {
        &mut self.run
    }

    fn memory_lens(&self) -> Vec<usize> {
        let first = self.run.shots.first();
        first.into_iter().flat_map(|shot| shot.memory()).map(<[f32]>::len).collect()
    }
}
