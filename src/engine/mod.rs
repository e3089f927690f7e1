//! Backends: each runs the same Plans and gives the same results.
//!
//! An [`Engine`] starts a [`Run`]; the workflow advances it by any number of steps. An [`Observer`] on
//! the host receives the output of the Plan's taps, and progress.

mod blow_up;
pub mod cpu;
mod focus;
#[cfg(feature = "gpu")]
pub mod gpu;
mod layout;
mod losses;
mod observer;
mod prepared;
mod proof;
#[cfg(feature = "mpi")]
mod ranks;
#[cfg(feature = "gpu")]
pub mod select;
pub mod share;
mod shortage;
mod source_wavefield;
mod split;
mod state;
#[cfg(feature = "files")]
mod state_file;
mod transposed;

pub use blow_up::{Cause, Place};
pub use focus::{FocusMap, FocusSummary, Summit};
pub use layout::Layout;
use losses::Losses;
pub use observer::{
    Gathers, Image, Observer, OffsetGathers, Snapshot, SnapshotView, Snapshots, TraceBlock,
};
pub use prepared::Prepared;
pub use proof::{prove, prove_in};
#[cfg(feature = "mpi")]
pub use ranks::{Ranks, World, WorldError};
pub use shortage::{Arrays, Limit, Shortage, binary};
pub use source_wavefield::{OnHost, SourceWavefield};
pub use split::Split;
pub use state::{ShotState, State, StateError, Values};
#[cfg(feature = "files")]
pub use state_file::StateFileError;

use crate::plan::Plan;
use ndarray::Array3;
use serde::Serialize;
pub use share::ShareTimings;
use share::{Share, ShareError, ShareRun};
use std::{any::Any, ops::ControlFlow, sync::Arc};
use web_time::Instant;

/// What an engine says of itself; goes into `run.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Description {
    /// Name of the backend as `--backend` takes it.
    pub backend: String,
    /// Name of the device.
    pub device: String,
    /// Driver and its version; empty for the CPU.
    pub driver: String,
    /// Kernel that steps the wavefield.
    pub kernel: String,
}

/// Why a run failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The watchdog saw the field pass its limit, or become NaN.
    #[error("the field blew up: {}; {cause}", blow_up::seen(*.value, *.step, *.time, *.shot, *.at))]
    BlowUp {
        /// Step at which it was seen.
        step: usize,
        /// Time of that step, s.
        time: f64,
        /// The last step at which it had looked and found nothing wrong; `None` where the field was wrong from the start.
        healthy: Option<usize>,
        /// Index of the shot.
        shot: usize,
        /// A node whose |p| is the largest but for a factor of 16; `None` where the field overflowed.
        at: Option<Place>,
        /// The largest |p|; not finite where it overflowed.
        value: f32,
        /// The likely cause.
        cause: Cause,
    },
    /// The observer asked to stop.
    #[error("stopped at step {step} of {steps}, as asked")]
    Stopped {
        /// Steps done.
        step: usize,
        /// Steps planned.
        steps: usize,
    },
    /// The device cannot hold the simulation.
    #[error("{0}")]
    DoesNotFit(Box<Shortage>),
    /// The device has no memory left.
    #[error(
        "the memory of {device} is full ({said}); use a smaller or coarser model, or --backend cpu"
    )]
    OutOfMemory {
        /// The device.
        device: String,
        /// What its driver said.
        said: String,
    },
    /// An array is too large for the device.
    #[error(
        "{what} takes {size} {unit}, but {device} takes at most {limit}; use a smaller or coarser model, \
         fewer receivers, or --backend cpu"
    )]
    TooLarge {
        /// Which array.
        what: &'static str,
        /// Its size.
        size: u64,
        /// The device's limit.
        limit: u64,
        /// What both are counted in.
        unit: &'static str,
        /// The device.
        device: String,
    },
    /// More slabs than a grid can be cut into, or none.
    #[error("{slabs} slabs of {pieces} {what} are not available; give from 1 to {most}")]
    Slabs {
        /// Slabs asked for.
        slabs: usize,
        /// The most there can be.
        most: usize,
        /// What is cut: planes or columns, layers included.
        pieces: usize,
        /// Which of them.
        what: &'static str,
    },
    /// A wave that goes back through a CPML, in slabs that cut its layers.
    #[error(
        "{slabs} slabs are too thin for a wave that goes back through a CPML: the first and the last take {least} {what} at the least, the \
         layer and what a stencil reaches; use fewer slabs, thinner layers, a sponge, or --backend cpu"
    )]
    AdjointSlabs {
        /// Slabs that it takes.
        slabs: usize,
        /// The fewest pieces of the first and the last.
        least: usize,
        /// What is cut: planes or columns, layers included.
        what: &'static str,
    },
    /// What is not run in shares, or not in so many.
    #[error(transparent)]
    Share(#[from] ShareError),
    /// A Plan that was changed after [`Plan::new`] made it.
    #[error("the Plan was changed since it was made: an array or a node no longer fits its grid")]
    Unsound,
    /// A Plan that images, in a run that was given no source wavefield, or one that does not fit.
    #[error(
        "no source wavefield to meet; start the run with that of a run of the same shots, model and imaging steps on the same engine \
         (Engine::start_with)"
    )]
    NoSourceWavefield,
    /// What was asked to be kept of the source wavefields does not fit.
    #[error(
        "{what}: this takes {}, and {} may be kept of the source wavefields; {}{remedy}",
        binary(*.bytes), binary(*.memory),
        match .fits.as_slice() {
            [] => String::new(),
            fits => format!("choose rtm.wavefield = \"{}\", or ", fits.join("\" or \"")),
        }
    )]
    SourceWavefieldSize {
        /// What was asked for.
        what: &'static str,
        /// What it takes for the fewest shots.
        bytes: u64,
        /// What there may be.
        memory: u64,
        /// What does fit, as a job says it.
        fits: Vec<&'static str>,
        /// What else helps.
        remedy: &'static str,
    },
    /// A state that the run cannot go on from.
    #[error(transparent)]
    State(#[from] StateError),
    /// A driver that computes something else.
    #[error(
        "{device} computes wrong waves: what it records of a small test differs from the oracle by {error:.1e} of its size, where \
         rounding is below 1e-4; update its driver"
    )]
    Wrong {
        /// The device.
        device: String,
        /// The difference over the size of the gather.
        error: f64,
    },
    /// The device failed or was lost.
    #[error("{device} failed: {message}")]
    Device {
        /// The device.
        device: String,
        /// What it said.
        message: String,
    },
}

/// A kind of GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuKind {
    /// A device with memory of its own.
    Hardware,
    /// A program that behaves like a GPU, in the memory of the host.
    Software,
}

/// Seconds spent, for `run.json`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Timings {
    /// Allocation, shaders, upload.
    pub setup: f64,
    /// Stepping, wall clock, taps included.
    pub stepping: f64,
    /// Stepping by the device's own clock, where it has one.
    pub device: Option<f64>,
}

impl std::ops::AddAssign for Timings {
    fn add_assign(&mut self, other: Self) {
        self.setup += other.setup;
        self.stepping += other.stepping;
        self.device = match (self.device, other.device) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
    }
}

/// A backend.
pub trait Engine: Send + Sync {
    /// What it is.
    fn describe(&self) -> Description;

    /// The engine as its own type, for callers that know it; `None` unless it says so.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }

    /// The GPUs that it runs on; empty where a CPU is among its devices.
    fn gpus(&self) -> Vec<GpuKind> {
        Vec::new()
    }

    /// The same engine, which cuts the waves of these shares alike, so that one can meet another; `None` where it does anyway.
    fn alike(&self, _shares: &[Share]) -> Result<Option<Box<dyn Engine>>, EngineError> {
        Ok(None)
    }

    /// What the shares of its runs have spent so far, where it splits simulations.
    fn shares(&self) -> Vec<ShareTimings> {
        Vec::new()
    }

    /// How many of the Plan's shots it advances together at best; at least 1.
    fn batch(&self, plan: &Plan) -> Result<usize, EngineError>;

    /// Allocates the fields and puts them to t = 0.
    fn start(&self, plan: Arc<Plan>) -> Result<Box<dyn Run>, EngineError>;

    /// The same for a Plan that meets the source wavefield of another run of this engine.
    fn start_with(
        &self,
        _plan: Arc<Plan>,
        _source: &SourceWavefield,
    ) -> Result<Box<dyn Run>, EngineError> {
        Err(EngineError::NoSourceWavefield)
    }

    /// Starts a share of a Plan, whose neighbours run elsewhere, where it meets one with the source wavefield of the same share.
    ///
    /// # Errors
    ///
    /// Where the engine runs none.
    fn start_share(
        &self,
        _share: Share,
        _source: Option<&SourceWavefield>,
    ) -> Result<Box<dyn ShareRun>, EngineError> {
        Err(ShareError::NoShares { engine: self.describe().device }.into())
    }

    /// Runs a Plan from beginning to end.
    fn run(&self, plan: &Plan, observer: &mut dyn Observer) -> Result<Timings, EngineError> {
        let started = Instant::now();
        let mut run = self.start(Arc::new(plan.clone()))?;
        let setup = started.elapsed().as_secs_f64();
        run.advance(plan.time.steps, observer)?;
        let timings = run.finish(observer)?;
        Ok(Timings { setup, ..timings })
    }
}

/// A simulation under way. At step n its field is p at n dt.
pub trait Run {
    /// Steps done.
    fn step(&self) -> usize;

    /// Advances by `steps`, serving the taps; the observer hears progress and may stop it.
    fn advance(&mut self, steps: usize, observer: &mut dyn Observer) -> Result<(), EngineError>;

    /// Seconds spent stepping so far.
    fn timings(&self) -> Timings;

    /// Serves the taps a last time, at the final step.
    fn finish(&mut self, observer: &mut dyn Observer) -> Result<Timings, EngineError>;

    /// Starts anew with another batch of the same survey ([`Plan::is_survey_of`]), for which it keeps what it has made; whether it could. A
    /// run that has failed may not.
    fn restart(&mut self, plan: &Arc<Plan>) -> Result<bool, EngineError>;

    /// A copy of its state in the host's memory.
    fn state(&mut self) -> Result<State, EngineError>;

    /// A state of this run's shots, worked out elsewhere, at a step.
    fn state_of(&self, step: usize, shots: Vec<ShotState>) -> State;

    /// Goes on from a state, on the same device by the same kernel with the same bits as the run that it was taken of. What taps
    /// have brought out stays as it is.
    ///
    /// # Errors
    ///
    /// Where it is of another job, grid, engine or version ([`StateError`]).
    fn restore(&mut self, state: &State) -> Result<(), EngineError>;

    /// A copy of its state where its fields live.
    fn keep(&mut self) -> Result<Kept, EngineError> {
        Ok(Kept(Box::new(self.state()?)))
    }

    /// Goes on from what this run has kept.
    fn put_back(&mut self, kept: &Kept) -> Result<(), EngineError> {
        self.restore(kept.of()?)
    }

    /// Begins as the end of another run of the same shots and nodes, which has kept it, backward in time: p before is what was p then, and p
    /// what was before; see [`Plan::rebuilt`].
    ///
    /// # Errors
    ///
    /// Where it is not of a run of as many shots and nodes on this engine.
    fn turn(&mut self, kept: &Kept) -> Result<(), EngineError>;

    /// What is kept of the wave, where the Plan has a [`crate::plan::Tap::Store`] or a [`crate::plan::Tap::Boundaries`].
    fn source_wavefield(&self) -> Option<SourceWavefield> {
        None
    }

    /// p of one shot on the computational grid, shape `[y][x][z]`.
    fn field(&mut self, shot: usize) -> Result<Array3<f32>, EngineError>;
}

/// The state of a run where its fields live; for that run alone.
pub struct Kept(Box<dyn Any + Send>);

impl Kept {
    /// What an engine put there.
    fn of<T: 'static>(&self) -> Result<&T, EngineError> {
        self.0.downcast_ref().ok_or(EngineError::State(StateError::Run))
    }
}

/// Refuses a Plan whose public fields were changed into what no engine may index.
pub(crate) fn check(plan: &Plan) -> Result<(), EngineError> {
    if plan.is_sound() { Ok(()) } else { Err(EngineError::Unsound) }
}

/// Tells the observer how far a run is; an error where it asks to stop.
pub(crate) fn report(
    plan: &Plan,
    step: usize,
    observer: &mut dyn Observer,
) -> Result<(), EngineError> {
    match observer.progress(step) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(EngineError::Stopped { step, steps: plan.time.steps }),
    }
}
