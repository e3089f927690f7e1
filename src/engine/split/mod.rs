//! One simulation over several engines: its volume is cut along the slowest axis (Micikevicius
//! 2009, section 4.3), each engine steps a share of it on a separate thread, and neighbours
//! exchange halos after every step.
//!
//! With engines of one kind the result has the bits of one engine.

mod cut;
pub(super) mod ended;
pub(super) mod merged;
mod run;
mod seams;
mod staged;
mod state;
mod trial;

pub(super) use cut::{Cut, checked};

use super::{
    Description, Engine, EngineError, GpuKind, Run, SourceWavefield,
    share::{Share, ShareError, ShareTimings, least_pieces},
};
use crate::{locked, plan::Plan};
use run::SplitRun;
use std::{
    ops::Range,
    sync::{Arc, Mutex},
};

/// Engines that run the shares of one simulation. A run blocks on threads of its own, so it must
/// not be started on a thread of rayon's pool, which a CPU engine among them needs.
#[derive(Clone)]
pub struct Split {
    engines: Vec<Arc<dyn Engine>>,
    cut: Cut,
    timings: Arc<Mutex<Vec<ShareTimings>>>,
}

impl Split {
    /// With these engines ([`Split::over`]).
    pub fn new(engines: Vec<Box<dyn Engine>>, weights: &[f64]) -> Result<Self, EngineError> {
        Split::over(engines.into_iter().map(Arc::from).collect(), weights)
    }

    /// With these engines, in order along the slowest axis, and a weight for each: its part of the
    /// simulation. Without weights all parts are equal.
    ///
    /// # Errors
    ///
    /// If a weight is not above 0, or there is not one per engine, or a CPU engine is beside a GPU.
    pub fn over(engines: Vec<Arc<dyn Engine>>, weights: &[f64]) -> Result<Self, EngineError> {
        let (count, mut weights) = (engines.len(), weights.to_vec());
        if weights.is_empty() {
            weights = vec![1.0; count];
        }
        let sum: f64 = weights.iter().sum();
        if weights.len() != count || !weights.iter().all(|w| *w > 0.0) || !sum.is_finite() {
            return Err(ShareError::Weights { weights, engines: count }.into());
        }
        let is_gpu = |engine: &Arc<dyn Engine>| !engine.gpus().is_empty();
        let other = engines.iter().find(|engine| is_gpu(engine) != is_gpu(&engines[0]));
        if let Some(other) = other {
            let [first, other] = [&engines[0], other].map(|engine| engine.describe().device);
            return Err(ShareError::Unlike { first, other }.into());
        }
        let cut = Cut { weights, ghost_steps: 1, ends: [0; 2] };
        Ok(Split { engines, cut, timings: Arc::default() })
    }

    /// True if a shot of a Plan does not fit one of the engines.
    pub fn is_needed(engines: &[Box<dyn Engine>], plan: &Plan) -> bool {
        use EngineError::{DoesNotFit, TooLarge};
        let refused = |said| matches!(said, Err(DoesNotFit(_) | TooLarge { .. }));
        engines.iter().any(|engine| refused(engine.batch(plan)))
    }

    /// The times of its runs' shares so far, in the order of the engines; empty without any.
    pub fn timings(&self) -> Vec<ShareTimings> {
        locked(&self.timings).clone()
    }

    /// Exchanges halos only after `steps` steps. In between, each engine
    /// steps the ends of its neighbours as well.
    ///
    /// # Errors
    ///
    /// If `steps` is 0, or more than [`MOST_GHOST_STEPS`](super::share::MOST_GHOST_STEPS).
    pub fn with_ghost_steps(mut self, steps: usize) -> Result<Self, EngineError> {
        self.cut.ghost_steps = checked(steps)?;
        Ok(self)
    }

    /// Widens the first and the last share to hold a whole CPML, if there is room: a wave that goes
    /// back needs it in one share.
    #[must_use]
    pub fn with_whole_layers(mut self, plan: &Plan) -> Self {
        self.cut.ends = cut::layers(plan);
        self
    }

    /// A part of a simulation as large as an equal share among `engines` engines, with its ghosts,
    /// to size a device's memory.
    pub fn part(plan: &Plan, engines: usize) -> Plan {
        let pieces = plan.pieces().div_ceil(engines.max(1)) + 2 * least_pieces(plan, 1);
        plan.subdomain(0..pieces.min(plan.pieces()))
    }

    fn begin(
        &self,
        plan: Arc<Plan>,
        source: Option<&SourceWavefield>,
    ) -> Result<SplitRun, EngineError> {
        SplitRun::new(&self.engines, &self.cut, &self.timings, plan, source)
    }

    /// The pieces of each engine.
    pub fn pieces(&self, plan: &Plan) -> Result<Vec<Range<usize>>, EngineError> {
        self.cut.pieces(plan)
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

    fn reopened(&self) -> Result<Option<Box<dyn Engine>>, EngineError> {
        let mut again = self.clone();
        for engine in &mut again.engines {
            if let Some(fresh) = engine.reopened()? {
                *engine = fresh.into();
            }
        }
        Ok(Some(Box::new(again)))
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
            _ => Ok(Box::new(self.begin(plan, None)?)),
        }
    }

    fn start_with(
        &self,
        plan: Arc<Plan>,
        source: &SourceWavefield,
    ) -> Result<Box<dyn Run>, EngineError> {
        match self.engines.as_slice() {
            [engine] => engine.start_with(plan, source),
            _ => Ok(Box::new(self.begin(plan, Some(source))?)),
        }
    }
}
