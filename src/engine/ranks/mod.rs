//! One simulation over several processes, on one host or many: each MPI rank steps a share of it on
//! its own engine, as [`Split`](super::Split) does with threads. All ranks construct the same Plan
//! and call the same functions of it in the same order.
//!
//! Results are merged for the observer of rank 0; the observers of other ranks get nothing. With
//! engines of one kind the result has the bits of one engine.

mod connection;
mod events;
mod failure;
mod outcome;
mod world;

pub use world::{World, WorldError};

use super::{
    Description, Engine, EngineError, Observer, Run, ShotState, State, Timings,
    share::{Neighbours, Share, ShareError, ShareRun, ShareTimings},
    split::{
        self, Cut,
        merged::{Merged, ShareObserver, Shared},
    },
};
use crate::locked;
use crate::plan::{Plan, Tap};
use connection::Connection;
use events::{EventSender, deliver};
use ndarray::Array3;
use serde_json::{Value, json};
use std::{
    iter::zip,
    sync::{Arc, Mutex},
};
use web_time::Instant;

/// One engine per rank.
#[derive(Clone)]
pub struct Ranks {
    world: &'static World,
    engine: Arc<dyn Engine>,
    description: Description,
    ghost_steps: usize,
    timings: Arc<Mutex<Vec<ShareTimings>>>,
}

impl Ranks {
    /// With this rank's engine.
    pub(crate) fn new(world: &'static World, engine: Arc<dyn Engine>) -> Self {
        let mut description = engine.describe();
        description.device = format!("{} ranks, each {}", world.size, description.device);
        Ranks { world, engine, description, ghost_steps: 1, timings: Arc::default() }
    }

    /// What goes on after a failure, with what each rank has in place of its engine. All ranks call
    /// it.
    ///
    /// # Errors
    ///
    /// If a rank has nothing.
    pub fn instead(
        &self,
        engine: Result<Arc<dyn Engine>, EngineError>,
    ) -> Result<Box<dyn Engine>, EngineError> {
        self.world.go_on();
        self.world.agree(engine.as_ref().map(|_| Value::Null).map_err(Clone::clone))?;
        let instead = Ranks::new(self.world, engine?);
        Ok(Box::new(Ranks { ghost_steps: self.ghost_steps, ..instead }))
    }

    /// [`Split::with_ghost_steps`](super::Split::with_ghost_steps).
    pub(crate) fn with_ghost_steps(mut self, steps: usize) -> Result<Self, EngineError> {
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
        Cut { weights: vec![1.0; self.world.size], ghost_steps: self.ghost_steps, ends: [0; 2] }
    }
}

/// Returns an error for a Plan that needs a single process.
fn check(plan: &Plan, engines: usize) -> Result<(), EngineError> {
    let of_tap = |tap: &Tap| match tap {
        Tap::Store(_) => Some("a source wavefield that is kept"),
        Tap::Imaging(_) => Some("a wave that images"),
        Tap::OffsetGathers(..) => Some("a wave that makes offset gathers"),
        _ => None,
    };
    let of_plan = [
        (plan.adjoint && plan.has_cpml()).then_some("a wave that goes back through a CPML"),
        plan.scattering.as_ref().map(|_| "a wave that is scattered"),
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
        locked(&self.timings).clone()
    }

    /// On all ranks, as none knows whose device failed.
    fn reopened(&self) -> Result<Option<Box<dyn Engine>>, EngineError> {
        let fresh = self.engine.reopened();
        let fresh = fresh.map(|fresh| fresh.map_or_else(|| self.engine.clone(), Arc::from));
        self.instead(fresh).map(Some)
    }

    fn batch(&self, plan: &Plan) -> Result<usize, EngineError> {
        check(plan, self.world.size)?;
        self.cut().shares(plan).map(|_| plan.set_size())
    }

    fn start(&self, plan: Arc<Plan>) -> Result<Box<dyn Run>, EngineError> {
        Ok(Box::new(RanksRun::new(self, plan)?))
    }
}

/// The run of a rank's share, and at rank 0 of the whole.
struct RanksRun {
    plan: Arc<Plan>,
    world: &'static World,
    share: Share,
    run: Box<dyn ShareRun>,
    shared: Shared,
    stepping: f64,
    timings: Arc<Mutex<Vec<ShareTimings>>>,
}

impl RanksRun {
    fn new(ranks: &Ranks, plan: Arc<Plan>) -> Result<Self, EngineError> {
        super::check(&plan)?;
        check(&plan, ranks.world.size)?;
        let shares = ranks.cut().shares(&plan)?;
        if plan.initial.is_some() {
            return Err(unsplit("a run from an initial field", ranks.world));
        }
        let share = shares[ranks.world.rank].clone();
        let started = ranks.engine.start_share(share.clone(), None);
        let (run, outcome) = match started {
            Ok(run) => {
                let outcome = json!([ranks.device(), run.engine()]);
                (Some(run), Ok(outcome))
            }
            Err(error) => (None, Err(error)),
        };
        let devices = ranks.world.agree(outcome)?;
        if let Some(other) = devices.iter().find(|device| device[1] != devices[0][1]) {
            let [first, other] = [&devices[0], other].map(|device| device[0].as_str());
            let [first, other] = [first, other].map(|name| name.unwrap_or_default().to_owned());
            return Err(ShareError::Unlike { first, other }.into());
        }
        let timings = zip(devices, &shares).map(|(device, share)| ShareTimings {
            device: device[0].as_str().unwrap_or_default().to_owned(),
            pieces: share.pieces.len(),
            ..ShareTimings::default()
        });
        *locked(&ranks.timings) = timings.collect();
        let run = run.ok_or(ShareError::Neighbour)?;
        let shared = Shared::new(&plan, &shares);
        Ok(RanksRun {
            plan,
            world: ranks.world,
            share,
            run,
            shared,
            stepping: 0.0,
            timings: ranks.timings.clone(),
        })
    }

    /// Runs a part of the simulation on all ranks, with rank 0 receiving the others' events.
    fn on_all(
        &mut self,
        last: usize,
        observer: &mut dyn Observer,
        what: impl FnOnce(
            &mut dyn ShareRun,
            &mut dyn Neighbours,
            &mut dyn Observer,
        ) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let began = Instant::now();
        let RanksRun { world, share, run, shared, .. } = self;
        let merged = Merged::new(shared, run.step(), observer);
        let mut on_event = |rank: usize, message: &[u8]| {
            deliver(message, &mut ShareObserver { merged: &merged, share: rank })
        };
        let mut connection = Connection::new(world, share, &mut on_event);
        let done = match world.is_first() {
            true => what(
                run.as_mut(),
                &mut connection,
                &mut ShareObserver { merged: &merged, share: 0 },
            ),
            false => {
                let send = |parts: &[&[u8]]| world.send_event(parts);
                what(run.as_mut(), &mut connection, &mut EventSender::new(&send, last))
            }
        };
        let (busy, waited) = (began.elapsed().as_secs_f64(), connection.waited);
        connection.end();
        let mine = done.map(|()| json!([busy - waited, waited]));
        let spent = world.agree_serving(mine, &mut on_event)?;
        let all = began.elapsed().as_secs_f64();
        self.stepping += all;
        let mut timings = locked(&self.timings);
        for (timings, spent) in zip(timings.iter_mut(), spent) {
            let [computing, waiting] = [0, 1].map(|i| spent[i].as_f64().unwrap_or(0.0));
            timings.computing += computing;
            timings.waiting += waiting;
            timings.idle += (all - computing - waiting).max(0.0);
        }
        Ok(())
    }

    fn unsplit(&self, what: &'static str) -> EngineError {
        unsplit(what, self.world)
    }
}

fn unsplit(what: &'static str, world: &World) -> EngineError {
    ShareError::Unsplit { what, engines: world.size }.into()
}

/// Unsupported over ranks.
const STATE: &str = "the state of a run";

impl Run for RanksRun {
    fn step(&self) -> usize {
        self.run.step()
    }

    fn advance(&mut self, steps: usize, observer: &mut dyn Observer) -> Result<(), EngineError> {
        let last = self.step().saturating_add(steps).min(self.plan.time.steps);
        self.on_all(last, observer, |run, connection, observer| {
            run.advance(steps, connection, observer)
        })
    }

    fn timings(&self) -> Timings {
        Timings { stepping: self.stepping, ..Timings::default() }
    }

    fn finish(&mut self, observer: &mut dyn Observer) -> Result<Timings, EngineError> {
        let last = self.step();
        self.on_all(last, observer, |run, connection, observer| {
            run.finish(connection, observer).map(drop)
        })?;
        Ok(self.timings())
    }

    fn state(&mut self) -> Result<State, EngineError> {
        Err(self.unsplit(STATE))
    }

    fn state_of(&self, step: usize, shots: Vec<ShotState>) -> State {
        State::new(&self.plan, self.run.engine(), step, shots)
    }

    fn restore(&mut self, _state: &State) -> Result<(), EngineError> {
        Err(self.unsplit(STATE))
    }

    fn field(&mut self, _shot: usize) -> Result<Array3<f32>, EngineError> {
        Err(self.unsplit("the field of a run"))
    }
}
