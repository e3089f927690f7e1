//! Reverse time migration: the wave of each shot goes forward and is kept, what was recorded of it goes back, and where both meet is the
//! image.
//!
//! It is the adjoint of Born modelling ([`Plan::sent_back`], [`crate::plan::Scattering`]), shot by shot: at each node x
//!
//! ```text
//! I(x) = sum_t  p_tt(x, t) b(x, t) = - sum_t p_t(x, t) b_t(x, t)
//! ```
//!
//! with p the wave of the source and b that of the traces going back in time: the cross-correlation of Claerbout (1971, "Toward a unified theory
//! of reflector mapping", Geophysics 36(3)), and the gradient of Tarantola (1984), in units of the relative change of the squared slowness.

mod angles;
mod budget;
mod direct;
mod hear;
mod image;
mod schedule;
mod stack;
mod strategy;
mod traces;

pub use angles::angle_gathers;
pub use budget::memory;
pub use direct::{NotUniform, direct_waves, without_direct};
pub use image::{Condition, Stacked, laplacian};
pub use stack::{Partial, Stack};
pub use strategy::Cost;
use strategy::Strategy;
pub use traces::{Conditioning, Mute, Resampling};

use super::shot::of_shot;
use crate::{
    engine::{Engine, EngineError, Run, Timings, gpu::Gpu},
    plan::{Imaging, Offsets, Plan, Summed, normal},
};
use budget::{Kept, TRACES, state};
use hear::Hear;
use ndarray::{Array2, Array3};
use schedule::Move;
use std::{
    collections::BTreeMap,
    ops::{ControlFlow, Range},
    panic::resume_unwind,
    sync::Arc,
    thread,
};
use web_time::Instant;

/// How shots are migrated.
pub struct Migration<'a> {
    engine: &'a dyn Engine,
    /// The same, where it cuts waves into slabs.
    cut: Option<Gpu>,
    /// Records every step.
    plan: &'a Plan,
    imaging: Imaging,
    strategy: Strategy,
    offsets: Vec<Offsets>,
    at_once: usize,
    /// Of the shots, where they are summed.
    numbers: Option<Vec<usize>>,
}

/// What makes images of the sums of migration imaged every so many steps, each of which stands for those up to the next.
pub fn scale(plan: &Plan, every: usize) -> Array3<f64> {
    plan.image_scale() * every.max(1) as f64
}

impl<'a> Migration<'a> {
    /// Of the shots of a Plan that records every step, imaged every so many steps. The source wavefields of shots that are migrated together
    /// take so many bytes at most; where that is too little for all imaging steps, the wave is run again between states that are kept.
    ///
    /// # Errors
    ///
    /// Where the engine does not take a shot.
    pub fn new(
        engine: &'a dyn Engine,
        plan: &'a Plan,
        every: usize,
        offsets: &[Offsets],
        memory: u64,
    ) -> Result<Self, EngineError> {
        let every = every.max(1);
        let one = Imaging { every, slots: 1 };
        // What is refused is refused before anything runs, and both waves are cut alike.
        let first = plan.batch(0..plan.shots.len().min(1));
        let silence = first.shots.iter().map(|shot| (shot.receivers.len(), plan.time.samples));
        let silence: Vec<_> = silence.map(Array2::zeros).collect();
        let back = first.sent_back(&silence, one).ok_or(EngineError::Unsound)?;
        let back = back.with_offsets(one, offsets);
        engine.batch(&back)?;
        let slabs = match engine.as_gpu() {
            Some(gpu) => gpu.slabs(&first.stored(one))?.max(gpu.slabs(&back)?),
            None => 1,
        };
        let cut = engine.as_gpu().filter(|_| slabs > 1).map(|gpu| gpu.with_slabs(slabs));
        if slabs > 1 && plan.has_cpml() {
            return Err(EngineError::AdjointSlabs { slabs });
        }
        let most = engine.batch(&plan.stored(one).with_offsets(one, offsets))?;
        let traces = 24 * (plan.most_receivers() * plan.time.steps) as u64;
        let most = most.min((TRACES / traces.max(1)) as usize).clamp(1, plan.shots.len().max(1));
        // Fewer at once rather than the wave twice.
        let all = plan.time.steps / every + 1;
        let field = 4 * plan.model_grid.cells() as u64;
        let whole = (memory / (field * all as u64).max(1)) as usize;
        let at_once = most.min(whole.max(1));
        let kept = Kept::of(all, field * at_once as u64, state(plan) * at_once as u64, memory);
        let (imaging, offsets) = (Imaging { every, slots: kept.slots }, offsets.to_vec());
        let strategy = Strategy::new(kept, plan.time.steps, every);
        Ok(Migration { engine, cut, plan, imaging, strategy, offsets, at_once, numbers: None })
    }

    fn engine(&self) -> &dyn Engine {
        self.cut.as_ref().map_or(self.engine, |cut| cut)
    }

    /// Shots that are migrated together.
    pub fn at_once(&self) -> usize {
        self.at_once
    }

    /// The same, which gives not each shot but, of those that are migrated together, the sums that a [`Stack`] would make of them, by their numbers
    /// in a survey, ascending, one a shot of the Plan: so that fewer offset gathers leave a device.
    #[must_use]
    pub fn summing(self, numbers: &[usize]) -> Self {
        Migration { numbers: Some(numbers.to_vec()), ..self }
    }

    /// What is taken, and what else there would be: from that which takes most memory and least time on.
    pub fn costs(&self) -> Vec<Cost> {
        let Imaging { every, .. } = self.imaging;
        let (steps, bytes) = (self.plan.time.steps, self.bytes());
        let all = steps / every + 1;
        let mut kept = Kept::ways(all, bytes.0, bytes.1);
        kept.push(self.strategy.kept);
        kept.sort_by_key(|kept| std::cmp::Reverse(kept.bytes(bytes.0, bytes.1)));
        kept.dedup();
        let cost = |kept| Strategy::new(kept, steps, every).cost(bytes, kept == self.strategy.kept);
        kept.into_iter().map(cost).collect()
    }

    /// Of an imaging step and of a state of what is migrated together.
    fn bytes(&self) -> (u64, u64) {
        let (field, shots) = (4 * self.plan.model_grid.cells() as u64, self.at_once as u64);
        (field * shots, state(self.plan) * shots)
    }

    /// Steps of a batch: forward, back, and forward again where not all is kept.
    fn steps_of_batch(&self) -> usize {
        self.plan.time.steps + self.strategy.forward()
    }

    /// Steps of all batches.
    pub fn total_steps(&self) -> usize {
        self.plan.shots.len().div_ceil(self.at_once) * self.steps_of_batch()
    }

    /// Migrates all shots. `gather` gives what was recorded of one, `[receiver][step]`, every step from t = 0 on, on a thread of its own
    /// while the batch before is migrated; `progress` hears the steps done of [`Migration::total_steps`] and may stop the run; `done`
    /// takes what each shot gives, in their order, or the sums of several ([`Migration::summing`]).
    pub fn run<E: From<EngineError> + Send>(
        &self,
        gather: &(dyn Fn(usize) -> Result<Array2<f32>, E> + Sync),
        progress: &mut (dyn FnMut(usize) -> ControlFlow<()> + Send),
        done: &mut dyn FnMut(Partial) -> Result<(), E>,
    ) -> Result<Timings, E> {
        let forward = self.plan.stored(self.imaging);
        let count = self.plan.shots.len();
        let shots = |batch: usize| {
            let first = (batch * self.at_once).min(count);
            first..(first + self.at_once).min(count)
        };
        let prepared = |batch| -> Result<Batch, E> {
            let part = self.plan.batch(shots(batch));
            let mut gathers = shots(batch).map(gather).collect::<Result<Vec<_>, E>>()?;
            let units: Vec<_> = gathers.iter_mut().map(traces::to_unit).collect();
            let back = part.sent_back(&gathers, self.imaging).ok_or(EngineError::Unsound)?;
            let (pairs, sums) = self.pairs(shots(batch));
            let summed = Summed { units: units.iter().map(|unit| *unit as f32).collect(), pairs };
            let back = back.with_offsets(self.imaging, &self.offsets).with_sums(summed);
            let forward = Arc::new(forward.batch(shots(batch)));
            Ok(Batch { forward, back: Arc::new(back), units, sums })
        };
        let (mut timings, mut runs) = (Timings::default(), None);
        let mut next = (count > 0).then(|| prepared(0));
        let mut number = 0;
        while let Some(batch) = next.take() {
            let batch = batch?;
            let before = number * self.steps_of_batch();
            let mut hear = Hear { images: Vec::new(), gathers: BTreeMap::new(), before, progress };
            let migrated = thread::scope(|scope| {
                let after =
                    (!shots(number + 1).is_empty()).then(|| scope.spawn(|| prepared(number + 1)));
                let migrated = self.batch(runs.take(), &batch, &mut hear);
                // It panics as the thread did.
                next = after.map(|after| after.join().unwrap_or_else(|e| resume_unwind(e)));
                migrated
            });
            let (of_batch, took) = migrated.map_err(|error| of_shot(error, shots(number).start))?;
            runs = Some(of_batch);
            timings += took;
            let mut images = hear.images.into_iter().zip(batch.units);
            for (place, shots) in batch.sums {
                let mut sum = Stack::default();
                for (shot, ([mut values, illumination], unit)) in shots.zip(images.by_ref()) {
                    // A power of two: no digit changes.
                    values.mapv_inplace(|v| normal((f64::from(v) * unit) as f32));
                    sum.add(Partial { shots: shot..shot + 1, arrays: vec![values, illumination] });
                }
                for mut partial in sum.into_partials() {
                    partial.arrays.extend(hear.gathers.remove(&place).unwrap_or_default());
                    done(partial)?;
                }
            }
            number += 1;
        }
        Ok(timings)
    }

    /// Which pairs of a batch are summed, and what is left of it: places in it, and the shots that each stands for.
    fn pairs(&self, shots: Range<usize>) -> (Vec<[usize; 2]>, Vec<(usize, Range<usize>)>) {
        match self.numbers.as_ref().and_then(|numbers| numbers.get(shots.clone())) {
            Some(numbers) => stack::pairs(numbers),
            None => (Vec::new(), shots.map(|shot| shot..shot + 1).enumerate().collect()),
        }
    }

    /// Migrates a batch, on the runs of the one before where they fit.
    fn batch(
        &self,
        runs: Option<Runs>,
        Batch { forward, back, .. }: &Batch,
        hear: &mut Hear<'_>,
    ) -> Result<(Runs, Timings), EngineError> {
        let started = Instant::now();
        let mut runs = self.runs(runs, forward, back)?;
        let setup = started.elapsed().as_secs_f64();
        tracing::debug!(seconds = setup, shots = forward.shots.len(), "batch made ready");
        let (steps, parts) = (forward.time.steps, self.strategy.parts());
        let Runs { forward, backward } = &mut runs;
        let mut kept = Vec::new();
        for next in &self.strategy.moves {
            match *next {
                Move::To(part) => hear.advance_to(forward.as_mut(), parts[part])?,
                Move::Keep => kept.push(forward.keep()?),
                Move::PutBack => kept.last().map_or(Ok(()), |state| forward.put_back(state))?,
                Move::Take => kept.pop().map_or(Ok(()), |state| forward.put_back(&state))?,
                Move::Meet(part) => {
                    match parts.get(part + 1) {
                        Some(end) => hear.advance_to(forward.as_mut(), *end)?,
                        None => {
                            hear.advance_to(forward.as_mut(), steps)?;
                            forward.finish(&mut ())?;
                        }
                    }
                    hear.advance_to(backward.as_mut(), (steps + 2 - parts[part]).min(steps))?;
                }
            }
        }
        let after = backward.finish(hear)?;
        let before = forward.timings();
        let stepping = before.stepping + after.stepping;
        let device = before.device.zip(after.device).map(|(before, after)| before + after);
        Ok((runs, Timings { setup, stepping, device }))
    }

    fn runs(
        &self,
        runs: Option<Runs>,
        forward: &Arc<Plan>,
        back: &Arc<Plan>,
    ) -> Result<Runs, EngineError> {
        if let Some(mut runs) = runs
            && runs.forward.restart(forward)?
            && runs.backward.restart(back)?
        {
            return Ok(runs);
        }
        let forward = self.engine().start(forward.clone())?;
        let source = forward.source_wavefield().ok_or(EngineError::NoSourceWavefield)?;
        let backward = self.engine().start_with(back.clone(), &source)?;
        Ok(Runs { forward, backward })
    }
}

/// Shots that are migrated together.
struct Batch {
    forward: Arc<Plan>,
    back: Arc<Plan>,
    /// What the traces of each were divided by.
    units: Vec<f64>,
    /// What is given of it: places in it, and the shots that each stands for.
    sums: Vec<(usize, Range<usize>)>,
}

/// The wave of the sources and the one that goes back.
struct Runs {
    forward: Box<dyn Run>,
    backward: Box<dyn Run>,
}
