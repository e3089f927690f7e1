//! One simulation over several processes, on one host or many: each MPI rank steps a share of it on
//! its own engine, as [`Split`](super::Split) does with threads. All ranks construct the same Plan
//! and call the same functions of it in the same order.
//!
//! Results are merged for the observer of rank 0; the observers of other ranks get nothing. With
//! engines of one kind the result has the bits of one engine.

mod connection;
mod events;
mod failure;
mod run;
mod world;

pub use world::{World, WorldError};

use super::{
    Description, Engine, EngineError, Run,
    share::{ShareError, ShareTimings},
    split::{self, Cut},
};
use crate::plan::{Plan, Tap};
use run::RanksRun;
use std::sync::{Arc, Mutex, PoisonError};

/// One engine per rank.
pub struct Ranks {
    world: &'static World,
    engine: Box<dyn Engine>,
    description: Description,
    ghost_steps: usize,
    timings: Arc<Mutex<Vec<ShareTimings>>>,
}

impl Ranks {
    /// With this rank's engine, and the description of all ranks'.
    pub fn new(world: &'static World, engine: Box<dyn Engine>, description: Description) -> Self {
        Ranks { world, engine, description, ghost_steps: 1, timings: Arc::default() }
    }

    /// [`Split::with_ghost_steps`](super::Split::with_ghost_steps).
    pub fn with_ghost_steps(mut self, steps: usize) -> Result<Self, EngineError> {
        self.ghost_steps = split::checked(steps)?;
        Ok(self)
    }

    /// The device of this rank's share.
    fn device(&self) -> String {
        format!(
            "{}, rank {} on {}",
            self.engine.describe().device,
            self.world.rank,
            self.world.host
        )
    }

    /// The same on all ranks.
    fn cut(&self) -> Cut {
        Cut { weights: vec![1.0; self.world.size], ghost_steps: self.ghost_steps }
    }
}

/// Returns an error for a Plan that needs a single process.
fn check(plan: &Plan, engines: usize) -> Result<(), EngineError> {
    let of_tap = |tap: &Tap| match tap {
        Tap::Store(_) => Some("a source wavefield that is kept"),
        Tap::Boundaries(_) => Some("a wave whose boundaries are saved"),
        Tap::Imaging(_) => Some("a wave that images"),
        Tap::OffsetGathers(..) => Some("a wave that makes offset gathers"),
        _ => None,
    };
    let of_plan = [
        (plan.adjoint && plan.has_cpml()).then_some("a wave that goes back through a CPML"),
        plan.scattering.as_ref().map(|_| "a wave that is scattered"),
        plan.rebuilt.map(|_| "a wave that is rebuilt"),
    ];
    match of_plan.into_iter().flatten().chain(plan.taps.iter().filter_map(of_tap)).next() {
        Some(what) => Err(ShareError::Unsplit { what, engines }.into()),
        None => Ok(()),
    }
}

impl Engine for Ranks {
    fn describe(&self) -> Description {
        self.description.clone()
    }

    /// At rank 0, for its last run.
    fn shares(&self) -> Vec<ShareTimings> {
        self.timings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn batch(&self, plan: &Plan) -> Result<usize, EngineError> {
        check(plan, self.world.size)?;
        self.cut().shares(plan).map(|_| plan.set_size())
    }

    fn start(&self, plan: Arc<Plan>) -> Result<Box<dyn Run>, EngineError> {
        Ok(Box::new(RanksRun::new(self, plan)?))
    }
}
