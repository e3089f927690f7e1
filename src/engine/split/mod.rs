//! One simulation over several engines: its volume is cut along the slowest axis (Micikevicius
//! 2009, section 4.3), each engine steps a share of it on a separate thread, and neighbours
//! exchange halos after every step.
//!
//! With engines of one kind the result has the bits of one engine.

pub(super) mod ended;
mod kept;
pub(super) mod merged;
mod run;
mod seams;
mod speed;
mod state;

use super::{
    Description, Engine, EngineError, GpuKind, Run, SourceWavefield,
    share::{MOST_GHOST_STEPS, Share, ShareError, ShareTimings, least_pieces},
};
use crate::{
    grid::Axis,
    plan::{FocusOutput, Plan, Tap},
};
use run::SplitRun;
use std::{
    iter::zip,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

/// Engines that run the shares of one simulation. A run blocks on threads of its own, so it must
/// not be started on a thread of rayon's pool, which a CPU engine among them needs.
#[derive(Clone)]
pub struct Split {
    engines: Vec<Arc<dyn Engine>>,
    cut: Cut,
    timings: Arc<Mutex<Vec<ShareTimings>>>,
}

/// Cuts a simulation into shares.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    /// The weight of each share.
    pub weights: Vec<f64>,
    /// Steps between exchanges.
    pub ghost_steps: usize,
}

impl Split {
    /// With these engines ([`Split::over`]).
    ///
    /// # Errors
    ///
    /// If a weight is not above 0, or there is not one per engine.
    pub fn new(engines: Vec<Box<dyn Engine>>, weights: &[f64]) -> Result<Self, EngineError> {
        Split::over(engines.into_iter().map(Arc::from).collect(), weights)
    }

    /// With these engines, in order along the slowest axis, and a weight for each: its part of the
    /// simulation. Without weights all parts are equal.
    ///
    /// # Errors
    ///
    /// If a weight is not above 0, or there is not one per engine.
    pub fn over(engines: Vec<Arc<dyn Engine>>, weights: &[f64]) -> Result<Self, EngineError> {
        let (count, mut weights) = (engines.len(), weights.to_vec());
        if weights.is_empty() {
            weights = vec![1.0; count];
        }
        let sum: f64 = weights.iter().sum();
        if weights.len() != count || !weights.iter().all(|w| *w > 0.0) || !sum.is_finite() {
            return Err(ShareError::Weights { weights, engines: count }.into());
        }
        let cut = Cut { weights, ghost_steps: 1 };
        Ok(Split { engines, cut, timings: Arc::default() })
    }

    /// The times of its runs' shares so far, in the order of the engines; empty without any.
    pub fn timings(&self) -> Vec<ShareTimings> {
        self.timings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Exchanges halos only after `steps` steps, for engines of one kind. In between, each engine
    /// steps the ends of its neighbours as well.
    ///
    /// # Errors
    ///
    /// If `steps` is 0, or more than [`MOST_GHOST_STEPS`].
    pub fn with_ghost_steps(mut self, steps: usize) -> Result<Self, EngineError> {
        self.cut.ghost_steps = checked(steps)?;
        Ok(self)
    }

    /// A part of a simulation as large as an equal share among `engines` engines, with its ghosts,
    /// to size a device's memory.
    pub fn part(plan: &Plan, engines: usize) -> Plan {
        let pieces = plan.pieces().div_ceil(engines.max(1)) + 2 * least_pieces(plan, 1);
        plan.cut(0..pieces.min(plan.pieces()))
    }

    /// The pieces of each engine.
    pub fn pieces(&self, plan: &Plan) -> Result<Vec<Range<usize>>, EngineError> {
        self.cut.pieces(plan)
    }
}

/// Returns an error for an invalid number of ghost steps.
pub(super) fn checked(ghost_steps: usize) -> Result<usize, EngineError> {
    match (1..=MOST_GHOST_STEPS).contains(&ghost_steps) {
        true => Ok(ghost_steps),
        false => Err(ShareError::GhostSteps(ghost_steps).into()),
    }
}

/// A Plan as shares run it: a share knows a part of each map, so summaries are made later.
fn told_in_parts(plan: &Plan) -> Plan {
    let taps = plan.taps.iter().cloned().map(|tap| match tap {
        Tap::Focus { focus, .. } => Tap::Focus { focus, output: FocusOutput::Maps },
        tap => tap,
    });
    Plan { taps: taps.collect(), ..plan.clone() }
}

impl Cut {
    /// The pieces of each share.
    fn pieces(&self, plan: &Plan) -> Result<Vec<Range<usize>>, EngineError> {
        let Cut { weights, ghost_steps } = self;
        let (engines, pieces) = (weights.len(), plan.pieces());
        let least = least_pieces(plan, *ghost_steps);
        let most = (pieces / least).max(1);
        if !(1..=most).contains(&engines) {
            let (what, ghost_steps) = (plan.what_pieces_are(), *ghost_steps);
            let error = ShareError::Engines { engines, most, pieces, what, least, ghost_steps };
            return Err(error.into());
        }
        // Each has the least, and its part of the rest.
        let sum: f64 = weights.iter().sum();
        let least = if engines == 1 { 0 } else { least };
        let left = (pieces - engines * least) as f64;
        let cut = |i: usize| {
            let before: f64 = weights[..i].iter().sum();
            i * least + (left * before / sum).round() as usize
        };
        let cuts: Vec<_> = (0..=engines).map(cut).collect();
        Ok(cuts.windows(2).map(|two| two[0]..two[1]).collect())
    }

    /// The shares of a Plan.
    pub fn shares(&self, plan: &Plan) -> Result<Vec<Share>, EngineError> {
        let pieces = self.pieces(plan)?;
        if pieces.len() > 1 {
            self.check(plan, &pieces)?;
        }
        let plan = told_in_parts(plan);
        let share = |pieces| Share::new(&plan, pieces, self.ghost_steps);
        Ok(pieces.into_iter().map(share).collect())
    }

    /// Returns an error if shares of these pieces cannot run the Plan.
    fn check(&self, plan: &Plan, pieces: &[Range<usize>]) -> Result<(), EngineError> {
        let back = plan.adjoint && plan.has_cpml();
        let of_every_step = [
            back.then_some("a wave that goes back through a CPML"),
            plan.scattering.as_ref().map(|_| "a wave that is scattered"),
            plan.rebuilt.map(|_| "a wave that is rebuilt"),
        ];
        let what = of_every_step.into_iter().flatten().next();
        if let (Some(what), ghost_steps @ 2..) = (what, self.ghost_steps) {
            return Err(ShareError::EveryStep { what, ghost_steps }.into());
        }
        let slowest = &plan.profile;
        let slowest = if plan.grid.is_volume() { &slowest.y } else { &slowest.x };
        // The layer, the stencil's reach of its nodes, and the end that a device steps first.
        let least = |layer: usize| layer + plan.radius() + least_pieces(plan, 1);
        let thin = |(layer, share): (usize, &Range<usize>)| layer > 0 && share.len() < least(layer);
        let ends = pieces.first().into_iter().chain(pieces.last());
        if back && zip(slowest.memory, ends).any(thin) {
            let least = slowest.memory.map(least).into_iter().max().unwrap_or(0);
            let (engines, what) = (pieces.len(), plan.what_pieces_are());
            return Err(ShareError::Adjoint { engines, least, what }.into());
        }
        let along_x =
            |tap: &Tap| matches!(tap, Tap::OffsetGathers(_, offsets) if offsets.along == Axis::X);
        if !plan.grid.is_volume() && plan.taps.iter().any(along_x) {
            return Err(ShareError::Offsets { engines: pieces.len() }.into());
        }
        Ok(())
    }
}

impl Engine for Split {
    fn describe(&self) -> Description {
        let all: Vec<_> = self.engines.iter().map(|engine| engine.describe()).collect();
        let of = |part: fn(&Description) -> &String| {
            let mut parts: Vec<&str> = all.iter().map(|one| part(one).as_str()).collect();
            // Devices of one kind round alike, so they share a name.
            parts.dedup();
            parts.retain(|part| !part.is_empty());
            parts.join(" + ")
        };
        Description {
            backend: of(|one| &one.backend),
            device: of(|one| &one.device),
            driver: of(|one| &one.driver),
            kernel: of(|one| &one.kernel),
        }
    }

    fn gpus(&self) -> Vec<GpuKind> {
        let all: Vec<_> = self.engines.iter().map(|engine| engine.gpus()).collect();
        if all.iter().any(Vec::is_empty) { Vec::new() } else { all.concat() }
    }

    fn alike(&self, shares: &[Share]) -> Result<Option<Box<dyn Engine>>, EngineError> {
        if let [engine] = self.engines.as_slice() {
            return engine.alike(shares);
        }
        let of_plan = |share: &Share| self.cut.shares(&share.plan);
        let all = shares.iter().map(of_plan).collect::<Result<Vec<_>, _>>()?;
        let mut alike = self.clone();
        for (i, engine) in alike.engines.iter_mut().enumerate() {
            let its: Vec<_> = all.iter().map(|shares| shares[i].clone()).collect();
            if let Some(cut) = engine.alike(&its)? {
                *engine = cut.into();
            }
        }
        Ok(Some(Box::new(alike)))
    }

    fn shares(&self) -> Vec<ShareTimings> {
        self.timings()
    }

    fn batch(&self, plan: &Plan) -> Result<usize, EngineError> {
        match self.engines.as_slice() {
            [engine] => engine.batch(plan),
            engines => {
                self.cut.shares(plan)?;
                let part = Split::part(plan, engines.len());
                let each = engines.iter().map(|engine| engine.batch(&part));
                each.reduce(|a, b| Ok(a?.min(b?))).unwrap_or(Ok(1))
            }
        }
    }

    fn start(&self, plan: Arc<Plan>) -> Result<Box<dyn Run>, EngineError> {
        match self.engines.as_slice() {
            [engine] => engine.start(plan),
            _ => Ok(Box::new(SplitRun::new(self, plan, None)?)),
        }
    }

    fn start_with(
        &self,
        plan: Arc<Plan>,
        source: &SourceWavefield,
    ) -> Result<Box<dyn Run>, EngineError> {
        match self.engines.as_slice() {
            [engine] => engine.start_with(plan, source),
            _ => Ok(Box::new(SplitRun::new(self, plan, Some(source))?)),
        }
    }
}
