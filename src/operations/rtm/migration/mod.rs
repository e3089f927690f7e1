//! The migration of shots by one engine, and by several that share them.

mod batch;
mod budget;
mod choice;
mod estimate;
mod observer;
mod over;
mod residual;
mod results;
mod scattered;
mod schedule;
mod stack;
mod staged;
mod strategy;
mod turns;
mod units;
mod window;

pub use budget::limit;
pub use over::{over, steps_of};
pub use residual::{Residual, ShotMisfit};
use stack::Pairs;
pub use stack::{Partial, Stack};
use strategy::{Memory, Place, Strategy};
use turns::Worker;
pub use units::Units;

use super::{Stacked, traces};
use crate::{
    engine::{
        Engine, EngineError, GpuKind, Timings,
        share::Share,
        shots::{Queue, ShotProgress},
        with_retry,
    },
    host,
    operations::{OnStep, shot::of_shot},
    plan::{Imaging, Offsets, Plan},
    single::Single,
};
use batch::{Back, Batch, Runs};
use budget::{Kept, Sizes, TRACES};
use ndarray::{Array2, Array3, Ix2};
use observer::BatchObserver;
use rayon::prelude::*;
use results::Results;
use scattered::{SourceWave, Waves};
use schedule::Move;
use std::{
    io,
    ops::Range,
    panic::resume_unwind,
    sync::{Arc, Mutex, PoisonError},
    thread::{self, ScopedJoinHandle},
};
use web_time::Instant;

/// Gives the traces of a shot, `[receiver][step]`, every step from t = 0 on.
pub(crate) type GatherOf<'g, E> = dyn Fn(usize) -> Result<Single<Ix2>, E> + Sync + 'g;

/// Takes the results of shots.
pub(crate) type OnPartial<'h, E> = dyn FnMut(Partial) -> Result<(), E> + Send + 'h;

/// A migration of shots.
pub struct Migration<'a> {
    engine: &'a dyn Engine,
    /// The engine with both waves cut alike, if it needs to be told.
    alike: Option<Box<dyn Engine>>,
    /// Records every step.
    plan: &'a Plan,
    imaging: Imaging,
    strategy: Strategy,
    offsets: Vec<Offsets>,
    at_once: usize,
    /// Numbers of the shots in their survey.
    numbers: Vec<usize>,
    /// Powers of two by which the sources of each shot are divided.
    sources: Vec<f64>,
    is_summing: bool,
    /// True if the storage was requested.
    asked: bool,
    /// The most shots that the engine takes together.
    most: usize,
    /// Memory limits, bytes.
    memory: Memory,
    sizes: Sizes,
    residual: Option<&'a Residual<'a>>,
    /// e at each node, `[y][x][z]`, if what it scatters is sent back.
    perturbation: Option<Arc<Array3<f64>>>,
}

/// The most steps from one imaging step to the next: the product of both waves reaches twice the
/// highest frequency, which the sum must not alias to zero.
pub fn most(plan: &Plan) -> usize {
    let most = (1.0 / (2.0 * plan.highest * plan.time.dt)).max(1.0);
    if most.is_finite() { most as usize } else { 1 }
}

/// Scale from the sums of a migration to images; each imaging step stands for the steps up to the
/// next.
pub fn scale(plan: &Plan, every: usize) -> Array3<f64> {
    plan.image_scale() * every.max(1) as f64
}

impl<'a> Migration<'a> {
    /// Migration of the shots of a Plan that records every step, imaged every `every` steps.
    /// `memory` limits the source wavefields of shots that are migrated together, bytes, on each
    /// GPU if they are split; if that is too little for all imaging steps, the fastest of
    /// [`Migration::costs`] that fits is taken.
    pub fn new(
        engine: &'a dyn Engine,
        plan: &'a Plan,
        every: usize,
        offsets: &[Offsets],
        memory: u64,
    ) -> Result<Self, EngineError> {
        let every = every.max(1);
        let one = Imaging { every, slots: 1 };
        // Errors come before anything runs, and both waves are cut alike.
        let first = plan.batch(0..plan.shots.len().min(1));
        let silence = first.shots.iter().map(|shot| (shot.receivers.len(), plan.time.samples));
        let silence: Vec<_> = silence.map(Array2::zeros).collect();
        let back = first.sent_back(&silence, one).ok_or(EngineError::Unsound)?;
        // Only their number matters here, not their lines.
        let sized: Vec<_> = match plan.windows {
            Some(_) => offsets.iter().map(|offsets| Offsets { line: 0, ..*offsets }).collect(),
            None => offsets.to_vec(),
        };
        let back = back.with_offsets(one, &sized);
        engine.batch(&back)?;
        let both = [first.stored(one), back].map(|plan| Share::whole(&Arc::new(plan)));
        let alike = engine.alike(&both)?;
        let most = engine.batch(&plan.stored(one).with_offsets(one, &sized))?;
        // Each has lines of its own.
        let alone = plan.windows.is_some() && plan.grid.is_volume() && !offsets.is_empty();
        let most = if alone { 1 } else { most };
        let host = host::left().map_or(u64::MAX, |left| left.bytes / 2);
        let most =
            most.min(traces_of(plan, TRACES.min(host / 2))).clamp(1, plan.shots.len().max(1));
        let (sizes, offsets) = (Sizes::new(plan), offsets.to_vec());
        let gpus = engine.gpus().iter().filter(|gpu| **gpu == GpuKind::Hardware).count();
        let kept = memory.saturating_mul(gpus.max(1) as u64);
        let memory = Memory { kept, host };
        let strategy = Strategy::new(Kept { slots: 1, states: 1 }, plan.time.steps, every);
        let (imaging, at_once) = (one, 1);
        let any = Migration {
            engine,
            alike,
            plan,
            imaging,
            strategy,
            offsets,
            at_once,
            numbers: (0..plan.shots.len()).collect(),
            sources: units::of_sources(plan),
            is_summing: false,
            asked: false,
            most,
            memory,
            sizes,
            residual: None,
            perturbation: None,
        };
        let way = any.fastest();
        Ok(any.with(way))
    }

    fn engine(&self) -> &dyn Engine {
        self.alike.as_deref().unwrap_or(self.engine)
    }

    /// The migration as one of several devices that share the shots: it has its part of them, of
    /// the host's memory and of the memory for traces.
    #[must_use]
    pub fn among(self, devices: usize) -> Self {
        if devices < 2 {
            return self;
        }
        let part = |bytes: u64| bytes / devices as u64;
        let of_its_own = self.engine.gpus() == [GpuKind::Hardware];
        let Memory { kept, host } = self.memory;
        let memory = Memory { kept: if of_its_own { kept } else { part(kept) }, host: part(host) };
        let shots = self.plan.shots.len().div_ceil(devices);
        let most = self.most.min(traces_of(self.plan, part(TRACES))).clamp(1, shots.max(1));
        let its = Migration { memory, most, ..self };
        let way = its.fastest();
        its.with(way)
    }

    /// The migration with another limit of the host's memory for source wavefields that an engine with
    /// memory of its own keeps there, bytes.
    #[must_use]
    pub fn within(self, host: Option<u64>) -> Self {
        let Some(host) = host else { return self };
        let its = Migration { memory: Memory { host, ..self.memory }, ..self };
        let way = its.fastest();
        its.with(way)
    }

    /// Shots that are migrated together.
    pub fn at_once(&self) -> usize {
        self.at_once
    }

    /// The requested offset gathers.
    pub(crate) fn offsets(&self) -> &[Offsets] {
        &self.offsets
    }

    /// The migration of some shots of a survey, by their ascending numbers in it, one per shot of
    /// the Plan: with the same bits as in the whole survey.
    ///
    /// # Errors
    ///
    /// If there are not as many numbers as shots.
    pub fn part_of(self, numbers: &[usize]) -> Result<Self, EngineError> {
        match numbers.len() == self.plan.shots.len() {
            true => Ok(Migration { numbers: numbers.to_vec(), ..self }),
            false => Err(EngineError::Unsound),
        }
    }

    /// The migration that returns, instead of each shot, the sums that a [`Stack`] would make of
    /// shots migrated together, so that fewer offset gathers leave a device. Shots with windows have no
    /// sums there.
    #[must_use]
    pub fn summing(self) -> Self {
        Migration { is_summing: self.plan.windows.is_none(), ..self }
    }

    /// The migration with a power of two of shots together, each batch of which has one sum.
    #[must_use]
    pub(crate) fn by_whole_sums(self) -> Self {
        Migration { at_once: 1 << self.at_once.ilog2(), ..self }.summing()
    }

    /// Steps of a batch: forward, scattered if there is a perturbation, back, and forward again if not
    /// everything is stored.
    fn steps_of_batch(&self) -> usize {
        let waves = if self.perturbation.is_some() { 2 } else { 1 };
        waves * self.plan.time.steps + self.strategy.forward()
    }

    /// Steps of all batches.
    pub fn total_steps(&self) -> usize {
        self.plan.shots.len().div_ceil(self.at_once) * self.steps_of_batch()
    }

    /// Migrates all shots. `gather` gives the traces of one, `[receiver][step]`, every step from t
    /// = 0 on, on a thread of its own while the batch before is migrated; `progress` receives the
    /// steps done of [`Migration::total_steps`] and may stop the run; `done` takes the result of
    /// each shot, in any order, or the sums of several ([`Migration::summing`]).
    pub fn run<E: From<EngineError> + Send>(
        &self,
        gather: &GatherOf<'_, E>,
        progress: &mut OnStep<'_>,
        done: &mut OnPartial<'_, E>,
    ) -> Result<Timings, E> {
        if self.takes_turns(1) {
            return self.run_in_turns(gather, progress, done);
        }
        if let Some(pools) = self.pools() {
            return self.run_in_pools(&pools, gather, progress, done);
        }
        let queue = Queue::new(self.plan.shots.len(), &[self.at_once]);
        let (at_once, steps) = (self.at_once, self.steps_of_batch());
        let mut tell = |shots: &Range<usize>, step| progress(shots.start / at_once * steps + step);
        self.run_of(Worker::of(&queue, 0), gather, &mut tell, done)
    }

    /// Migrates the shots that a device takes from a queue.
    fn run_of<E: From<EngineError> + Send>(
        &self,
        lane: Worker<'_>,
        gather: &GatherOf<'_, E>,
        tell: &mut ShotProgress<'_>,
        done: &mut OnPartial<'_, E>,
    ) -> Result<Timings, E> {
        let (Worker { queue, place, turn, .. }, device) = (lane, lane.device());
        let waves = self.waves(&self.plan.in_units(&self.sources));
        let prepared = &|shots: Range<usize>| self.prepare(&waves, shots, gather);
        let (mut timings, mut runs, mut before) = (Timings::default(), None, None);
        let mut next = queue.take(place).map(prepared);
        while let Some(batch) = next.take() {
            let mut batch = batch?;
            let shots = batch.shots.clone();
            let mut progress = |step| tell(&shots, step);
            let mut hear = BatchObserver::new(turn, &mut progress);
            let waiting = Mutex::new((before.take(), &mut *done));
            let hand_out = || {
                let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
                let (results, done) = &mut *waiting;
                results.take().map_or(Ok(()), |results| self.hand_out(results, *done))
            };
            let (migrated, handed_out) = thread::scope(|scope| {
                let handing_out = thread::Builder::new().spawn_scoped(scope, hand_out);
                let ahead = queue.ahead(place);
                let begun = ahead.map(|shots| {
                    let its = shots.clone();
                    (thread::Builder::new().spawn_scoped(scope, move || prepared(its)), shots)
                });
                let (first, shots) = (shots.start, shots.len());
                let span = tracing::info_span!(target: "timeline", "batch", device, first, shots);
                let mut once = || {
                    hear.begin(batch.recording());
                    self.batch(runs.take(), &mut batch, &mut hear)
                };
                let migrated = span.in_scope(|| with_retry(self.engine(), &mut once));
                drop(span);
                next = begun.map(|(thread, shots)| ended(thread, || prepared(shots)));
                (migrated, ended(handing_out, hand_out))
            });
            handed_out?;
            let (of_batch, took) =
                migrated.map_err(|error| lane.error(of_shot(error, shots.start)))?;
            runs = Some(of_batch);
            timings += took;
            let back = batch.back.ok_or(EngineError::Unsound)?;
            let BatchObserver { images, gathers, .. } = hear;
            before = Some(Results { start: shots.start, back, images, gathers });
            queue.add(place, shots.len());
            next = next.or_else(|| queue.take(place).map(prepared));
        }
        before.map_or(Ok(()), |results| self.hand_out(results, done))?;
        Ok(timings)
    }

    /// A batch of shots, from the waves of all.
    fn prepare<E: From<EngineError> + Send>(
        &self,
        waves: &Waves,
        shots: Range<usize>,
        gather: &GatherOf<'_, E>,
    ) -> Result<Batch, E> {
        let back = match self.residual {
            Some(_) => None,
            None => {
                let gathers: Vec<_> = shots.clone().into_par_iter().map(gather).collect();
                let gathers = gathers.into_iter().collect::<Result<Vec<_>, E>>()?;
                Some(self.back(&shots, gathers)?)
            }
        };
        let of_batch = |plan: &Plan| Arc::new(plan.batch(shots.clone()));
        let (forward, scattered) =
            (of_batch(&waves.forward), waves.scattered.as_ref().map(of_batch));
        Ok(Batch { shots, forward, scattered, back })
    }

    /// Migrates a batch, on the runs of the one before if they fit.
    fn batch(
        &self,
        runs: Option<Runs>,
        batch: &mut Batch,
        hear: &mut BatchObserver<'_>,
    ) -> Result<(Runs, Timings), EngineError> {
        let started = Instant::now();
        let setting_up = tracing::info_span!(target: "timeline", "setting up");
        let mut runs = setting_up.in_scope(|| self.runs(runs, batch))?;
        drop(setting_up);
        let setup = started.elapsed().as_secs_f64();
        tracing::debug!(seconds = setup, shots = batch.forward.shots.len(), "batch made ready");
        let (steps, parts) = (self.plan.time.steps, self.strategy.parts());
        if self.strategy.place == Place::Host {
            self.met_from_host(&mut runs, batch, hear)?;
        }
        let mut kept = Vec::new();
        for next in &self.strategy.moves {
            let Runs { source, backward, .. } = &mut runs;
            let forward = &mut source.forward;
            match *next {
                Move::To(part) => source.advance_to(parts[part], &parts, hear)?,
                Move::Keep => kept.push(forward.keep()?),
                Move::PutBack => kept.last().map_or(Ok(()), |state| forward.put_back(state))?,
                Move::Take => kept.pop().map_or(Ok(()), |state| forward.put_back(&state))?,
                Move::Meet(part) => {
                    match parts.get(part + 1) {
                        Some(end) => source.advance_to(*end, &parts, hear)?,
                        None => {
                            source.advance_to(steps, &parts, hear)?;
                            self.answer(source, backward.as_mut(), batch, hear)?;
                        }
                    }
                    hear.advance_to(backward.as_mut(), (steps + 2 - parts[part]).min(steps))?;
                }
            }
        }
        let after = runs.backward.finish(hear)?;
        let mut timings = runs.source.forward.timings();
        if let Some(scattered) = &runs.source.scattered {
            timings += scattered.timings();
        }
        timings += after;
        Ok((runs, Timings { setup, ..timings }))
    }
}

/// What a thread returns; what `instead` does if the system has no thread left.
fn ended<T>(thread: io::Result<ScopedJoinHandle<'_, T>>, instead: impl FnOnce() -> T) -> T {
    match thread {
        // Propagate the thread's panic.
        Ok(thread) => thread.join().unwrap_or_else(|e| resume_unwind(e)),
        Err(_) => instead(),
    }
}

/// Shots whose traces need `bytes` bytes when sent back.
fn traces_of(plan: &Plan, bytes: u64) -> usize {
    let traces = 24 * (plan.most_receivers() * plan.time.steps) as u64;
    (bytes / traces.max(1)) as usize
}
