//! The run of a split simulation: one thread per share, and one state for the whole.

use super::{
    cut::{Cut, told_in_parts},
    ended::combined,
    merged::{Merged, ShareObserver, Shared},
    seams::{Ends, between},
    state::{self, Memory},
    trial::{Took, Trial},
};
use crate::{
    Engine, EngineError, KeptState, Observer, Run, ShotState, SourceWavefield, State, StateError,
    Timings, check, locked,
    plan::Plan,
    share::{Share, ShareRun, ShareTimings},
};
use ndarray::Array3;
use std::{
    iter::zip,
    panic::resume_unwind,
    sync::{Arc, Mutex, PoisonError},
    thread::{self, ScopedJoinHandle},
};
use web_time::Instant;

pub(crate) struct SplitRun {
    plan: Arc<Plan>,
    shares: Vec<Share>,
    runs: Vec<Box<dyn ShareRun>>,
    shared: Shared,
    /// The shares' stored waves.
    kept: Option<SourceWavefield>,
    /// Name of the engine in a state.
    engine: &'static str,
    stepping: f64,
    timings: Arc<Mutex<Vec<ShareTimings>>>,
    trial: Trial,
}

/// Seconds of a run.
struct Spent {
    stepping: f64,
    copying: Vec<f64>,
}

/// Maps each item on a thread of its own.
pub(super) fn each<I: Send, T: Send>(
    all: impl IntoIterator<Item = I>,
    make: impl Fn(usize, I) -> Result<T, EngineError> + Sync,
) -> Result<Vec<T>, EngineError> {
    let make = &make;
    combined(thread::scope(|scope| {
        let all = all.into_iter().enumerate();
        let begin = |(i, one)| {
            let thread = thread::Builder::new().spawn_scoped(scope, move || make(i, one));
            let device = format!("share {}", i + 1);
            thread.map_err(|error| EngineError::NoThread { device, said: error.to_string() })
        };
        let threads: Vec<_> = all.map(begin).collect();
        let join = |thread: ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        threads.into_iter().map(|thread| thread.and_then(join)).collect()
    }))
}

impl SplitRun {
    pub(crate) fn new(
        engines: &[Arc<dyn Engine>],
        cut: &Cut,
        timings: &Arc<Mutex<Vec<ShareTimings>>>,
        plan: Arc<Plan>,
        source: Option<&SourceWavefield>,
    ) -> Result<Self, EngineError> {
        check(&plan)?;
        let shares = cut.shares(&plan)?;
        let sources = source.map(|source| source.shares(shares.len())).transpose()?;
        let mut runs = each(zip(engines, &shares), |device, (engine, share)| {
            let _setting_up =
                tracing::info_span!(target: "timeline", "setting up", device).entered();
            engine.start_share(share.clone(), sources.map(|sources| &sources[device]))
        })?;
        let kept = runs.iter_mut().map(|run| run.run().source_wavefield());
        let kept = kept.collect::<Option<_>>().and_then(SourceWavefield::of_shares);
        let engine = runs[0].engine();
        let mut run = SplitRun {
            shared: Shared::new(&plan, &shares),
            plan,
            shares,
            runs,
            kept,
            engine,
            stepping: 0.0,
            timings: timings.clone(),
            trial: Trial::new(),
        };
        let none = zip(engines, &run.shares).map(|(engine, share)| ShareTimings {
            device: engine.describe().device,
            pieces: share.pieces.len(),
            ..ShareTimings::default()
        });
        let mut spent = locked(&run.timings);
        if !spent.iter().map(|spent| spent.pieces).eq(run.shares.iter().map(|s| s.pieces.len())) {
            *spent = none.collect();
        }
        drop(spent);
        run.begin()?;
        Ok(run)
    }

    fn begin(&mut self) -> Result<(), EngineError> {
        self.stepping = 0.0;
        match self.plan.initial {
            Some(_) => self.restore(&State::initial(&self.plan, self.engine)),
            None => Ok(()),
        }
    }

    /// Runs all shares, each on its thread, and merges their results.
    fn on_all<T: Send>(
        &mut self,
        observer: &mut dyn Observer,
        what: impl Fn(
            &mut dyn ShareRun,
            &mut Ends,
            &mut ShareObserver<'_, '_>,
        ) -> Result<T, EngineError>
        + Sync,
    ) -> Result<Vec<T>, EngineError> {
        let merged = Merged::new(&self.shared, self.runs[0].step(), observer);
        let spent = Mutex::new(vec![(0.0, 0.0, ""); self.runs.len()]);
        let began = Instant::now();
        let all = zip(&mut self.runs, between(self.shares.len()));
        let results = each(all, |share, (run, mut ends)| {
            let _computing =
                tracing::info_span!(target: "timeline", "computing", device = share).entered();
            let results =
                what(run.as_mut(), &mut ends, &mut ShareObserver { merged: &merged, share });
            let spent = &mut locked(&spent)[share];
            *spent = (began.elapsed().as_secs_f64(), ends.waited, run.halos());
            results
        });
        let all = began.elapsed().as_secs_f64();
        self.stepping += all;
        let mut timings = locked(&self.timings);
        let spent = spent.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (timings, (busy, waited, halos)) in zip(timings.iter_mut(), spent) {
            timings.halos = halos;
            timings.computing += busy - waited;
            timings.waiting += waited;
            timings.idle += all - busy;
        }
        results
    }

    /// Gives each share the state that it has kept, or another run's.
    fn with(
        &mut self,
        kept: &KeptState,
        what: impl Fn(&mut dyn Run, &KeptState) -> Result<(), EngineError> + Sync,
    ) -> Result<(), EngineError> {
        let kept = kept.of::<Vec<KeptState>>()?;
        if kept.len() != self.runs.len() {
            return Err(StateError::Run.into());
        }
        self.shared.forget();
        zip(&mut self.runs, kept).try_for_each(|(run, kept)| what(run.run(), kept))
    }

    /// Seconds of stepping so far, and of each share's own copies.
    fn spent(&self) -> Spent {
        let copying = self.runs.iter().map(|run| run.copying()).collect();
        Spent { stepping: self.stepping, copying }
    }

    fn memory(&self) -> Memory {
        Memory(self.runs.iter().map(|run| run.memory_lens()).collect())
    }
}

impl Run for SplitRun {
    fn step(&self) -> usize {
        self.runs[0].step()
    }

    fn advance(&mut self, steps: usize, observer: &mut dyn Observer) -> Result<(), EngineError> {
        let mut left = steps;
        loop {
            let (first, spent) = (self.step(), self.spent());
            let some = self.trial.together(left);
            self.on_all(observer, |run, ends, observer| run.advance(some, ends, observer))?;
            let taken = self.step() - first;
            let copying = zip(self.spent().copying, spent.copying).map(|(now, then)| now - then);
            let took =
                Took { all: self.stepping - spent.stepping, copying: copying.fold(0.0, f64::max) };
            let rest = self.plan.time.steps - self.step();
            if let Some(way) = self.trial.add(taken, took, rest) {
                self.runs.iter_mut().for_each(|run| run.go_by(way));
            }
            left -= some;
            if left == 0 || taken < some {
                return Ok(());
            }
        }
    }

    fn timings(&self) -> Timings {
        Timings { stepping: self.stepping, ..Timings::default() }
    }

    fn finish(&mut self, observer: &mut dyn Observer) -> Result<Timings, EngineError> {
        self.on_all(observer, |run, ends, observer| run.finish(ends, observer))?;
        Ok(self.timings())
    }

    fn restart(&mut self, plan: &Arc<Plan>) -> Result<bool, EngineError> {
        if !self.plan.is_survey_of(plan) {
            return Ok(false);
        }
        check(plan)?;
        let cut = told_in_parts(plan);
        let shares: Vec<_> = self
            .shares
            .iter()
            .map(|share| Share {
                plan: Share::new(&cut, share.pieces.clone(), 1).plan,
                ..share.clone()
            })
            .collect();
        let all = each(zip(&mut self.runs, &shares), |_, (run, share)| run.restart(share))?;
        if !all.into_iter().all(|could| could) {
            return Ok(false);
        }
        self.shared = Shared::new(plan, &shares);
        (self.plan, self.shares) = (plan.clone(), shares);
        self.begin()?;
        Ok(true)
    }

    fn state(&mut self) -> Result<State, EngineError> {
        if self.plan.adjoint && self.plan.has_cpml() {
            return Err(StateError::Adjoint.into());
        }
        let parts = each(&mut self.runs, |_, run| Ok(run.run().state()?.shots))?;
        let memory = self.memory();
        let shot = |shot: usize| {
            let shares: Vec<_> = parts.iter().map(|shots| &shots[shot]).collect();
            state::whole(&shares, &memory)
        };
        let shots = (0..self.plan.shots.len()).map(shot).collect();
        Ok(self.state_of(self.step(), shots))
    }

    fn state_of(&self, step: usize, shots: Vec<ShotState>) -> State {
        State::new(&self.plan, self.engine, step, shots)
    }

    fn restore(&mut self, state: &State) -> Result<(), EngineError> {
        let memory = self.memory();
        state.check(&self.plan, self.engine, memory.values())?;
        self.shared.forget();
        let piece = self.plan.grid.cells() / self.plan.pieces();
        each(zip(&mut self.runs, &self.shares), |share, (run, Share { pieces, .. })| {
            let field = pieces.start * piece..pieces.end * piece;
            let (run, shots) = (run.run(), state::part(state, field, &memory, share));
            run.restore(&run.state_of(state.step(), shots))
        })
        .map(drop)
    }

    fn keep(&mut self) -> Result<KeptState, EngineError> {
        Ok(KeptState(Box::new(each(&mut self.runs, |_, run| run.run().keep())?)))
    }

    fn put_back(&mut self, kept: &KeptState) -> Result<(), EngineError> {
        self.with(kept, |run, kept| run.put_back(kept))
    }

    fn source_wavefield(&self) -> Option<SourceWavefield> {
        self.kept.clone()
    }

    fn field(&mut self, shot: usize) -> Result<Array3<f32>, EngineError> {
        let parts = each(&mut self.runs, |_, run| run.run().field(shot))?;
        let values: Vec<f32> = parts.iter().flatten().copied().collect();
        Ok(Array3::from_shape_vec(self.plan.grid.shape(), values).expect("the shares are the grid"))
    }
}
