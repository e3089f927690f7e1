//! Backends: each runs the same Plans and gives the same results.
//!
//! An [`Engine`] starts a [`Run`]; the workflow advances it by any number of steps. An [`Observer`]
//! on the host receives the output of the Plan's taps, and progress.

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

pub use blow_up::Cause;
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

use crate::{
    grid::PerAxis,
    plan::Plan,
    remedy::{Refusal, Remedy, any_of, remedies},
};
use ndarray::Array3;
use serde::Serialize;
pub use share::ShareTimings;
use share::{Share, ShareError, ShareRun};
use std::{any::Any, ops::ControlFlow, sync::Arc};
use web_time::Instant;

/// The engine's description of itself, which goes into `run.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Description {
    /// Name of the backend.
    pub backend: String,
    /// Name of the device.
    pub device: String,
    /// Driver and its version; empty for the CPU.
    pub driver: String,
    /// Kernel that steps the wavefield.
    pub kernel: String,
}

/// Reasons why a run failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum EngineError {
    /// The watchdog saw the field pass its limit, or become NaN, at a step and its time, s. `healthy` is the last step at
    /// which it had looked and found nothing wrong; `None` where the field was wrong from the start. `at` is a node whose
    /// |p| is the largest but for a factor of 16; `None` where the field overflowed and `value` is not finite.
    #[error("the field blew up: {}; {cause}", blow_up::seen(*.value, *.step, *.time, *.shot, *.at))]
    BlowUp {
        step: usize,
        time: f64,
        healthy: Option<usize>,
        shot: usize,
        at: Option<PerAxis<f64>>,
        value: f32,
        cause: Cause,
    },
    /// By the observer.
    #[error("stopped at step {step} of {steps}, as asked")]
    Stopped { step: usize, steps: usize },
    #[error("{0}")]
    DoesNotFit(Box<Shortage>),
    #[error("the memory of {device} is full ({said}); {}", remedies(self))]
    OutOfMemory { device: String, said: String },
    /// An array of a size, in a unit, that a device does not take.
    #[error("{what} takes {size} {unit}, but {device} takes at most {limit}; {}", remedies(self))]
    TooLarge { what: &'static str, size: u64, limit: u64, unit: &'static str, device: String },
    /// Slabs of planes or columns, layers included.
    #[error("{slabs} slabs of {pieces} {what} are not available; {}", remedies(self))]
    Slabs { slabs: usize, most: usize, pieces: usize, what: &'static str },
    #[error(
        "{slabs} slabs are too thin for a wave that goes back through a CPML: the first and the last take {least} {what} at \
         the least, the layer and what a stencil reaches; {}",
        remedies(self)
    )]
    AdjointSlabs { slabs: usize, least: usize, what: &'static str },
    #[error(transparent)]
    Share(#[from] ShareError),
    /// A Plan that was changed after [`Plan::new`] made it.
    #[error("the Plan was changed since it was made: an array or a node no longer fits its grid")]
    Unsound,
    #[error(
        "no source wavefield to meet; start the run with that of a run of the same shots, model and imaging steps on the same engine \
         (Engine::start_with)"
    )]
    NoSourceWavefield,
    #[error(
        "{what}: this takes {}, and {} may be kept of the source wavefields; {}",
        binary(*.bytes), binary(*.memory), any_of(.remedies)
    )]
    SourceWavefieldSize { what: &'static str, bytes: u64, memory: u64, remedies: Vec<Remedy> },
    #[error(transparent)]
    State(#[from] StateError),
    /// A driver that computes something else; the difference over the size of the gather.
    #[error(
        "{device} computes wrong waves: what it records of a small test differs from the oracle by {error:.1e} of its size, where \
         rounding is below 1e-4; {}",
        remedies(self)
    )]
    Wrong { device: String, error: f64 },
    #[error("{device} failed: {message}")]
    Device { device: String, message: String },
}

impl Refusal for EngineError {
    fn remedies(&self) -> Vec<Remedy> {
        let smaller = || "use a smaller or coarser model".into();
        match self {
            EngineError::BlowUp { cause, .. } => cause.remedies(),
            EngineError::DoesNotFit(shortage) => shortage.remedies(),
            EngineError::OutOfMemory { .. } => vec![smaller(), Remedy::Cpu],
            EngineError::TooLarge { .. } => vec![smaller(), "fewer receivers".into(), Remedy::Cpu],
            EngineError::Slabs { most, .. } => vec![format!("give from 1 to {most}").into()],
            EngineError::AdjointSlabs { .. } => {
                let words = ["use fewer slabs", "thinner layers", "a sponge"];
                words.into_iter().map(Remedy::from).chain([Remedy::Cpu]).collect()
            }
            EngineError::Share(error) => error.remedies(),
            EngineError::SourceWavefieldSize { remedies, .. } => remedies.clone(),
            EngineError::Wrong { .. } => vec!["update its driver".into()],
            _ => Vec::new(),
        }
    }
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
    /// Stepping by the device's own clock, if it has one.
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
    /// Describes it.
    fn describe(&self) -> Description;

    /// The engine as its own type, for callers that know it; `None` unless it says so.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }

    /// The GPUs that it runs on; empty where a CPU is among its devices.
    fn gpus(&self) -> Vec<GpuKind> {
        Vec::new()
    }

    /// This engine, cutting the waves of these shares alike so that they can be correlated; `None`
    /// if it does so anyway.
    fn alike(&self, _shares: &[Share]) -> Result<Option<Box<dyn Engine>>, EngineError> {
        Ok(None)
    }

    /// The times of its runs' shares so far, if it splits simulations.
    fn shares(&self) -> Vec<ShareTimings> {
        Vec::new()
    }

    /// The best number of the Plan's shots to advance together; at least 1.
    fn batch(&self, plan: &Plan) -> Result<usize, EngineError>;

    /// Allocates the fields and sets them to t = 0.
    fn start(&self, plan: Arc<Plan>) -> Result<Box<dyn Run>, EngineError>;

    /// [`Engine::start`] for a Plan that needs the source wavefield of another run of this engine.
    fn start_with(
        &self,
        _plan: Arc<Plan>,
        _source: &SourceWavefield,
    ) -> Result<Box<dyn Run>, EngineError> {
        Err(EngineError::NoSourceWavefield)
    }

    /// Starts a share of a Plan whose neighbours run elsewhere, with the source wavefield of the
    /// same share if the Plan needs one.
    ///
    /// # Errors
    ///
    /// If the engine runs no shares.
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

    /// Advances by `steps` and serves the taps. The observer gets progress and may stop the run.
    fn advance(&mut self, steps: usize, observer: &mut dyn Observer) -> Result<(), EngineError>;

    /// Seconds spent stepping so far.
    fn timings(&self) -> Timings;

    /// Serves the taps a last time, at the final step.
    fn finish(&mut self, observer: &mut dyn Observer) -> Result<Timings, EngineError>;

    /// Restarts with another batch of the same survey ([`Plan::is_survey_of`]) and keeps its
    /// pipelines and buffers; false if it cannot, as after a failure.
    fn restart(&mut self, plan: &Arc<Plan>) -> Result<bool, EngineError>;

    /// A copy of its state in the host's memory.
    fn state(&mut self) -> Result<State, EngineError>;

    /// A state of this run's shots at a step, computed elsewhere.
    fn state_of(&self, step: usize, shots: Vec<ShotState>) -> State;

    /// Continues from a state. On the same device with the same kernel, the bits are those of the
    /// run that the state was taken from. Results that taps have reported stay valid.
    ///
    /// # Errors
    ///
    /// If the state is of another job, grid, engine or version ([`StateError`]).
    fn restore(&mut self, state: &State) -> Result<(), EngineError>;

    /// A copy of its state in the memory of its fields.
    fn keep(&mut self) -> Result<Kept, EngineError> {
        Ok(Kept(Box::new(self.state()?)))
    }

    /// Continues from a state that this run has kept.
    fn put_back(&mut self, kept: &Kept) -> Result<(), EngineError> {
        self.restore(kept.of()?)
    }

    /// Starts backward in time from the kept end of another run of the same shots and nodes: its
    /// last p becomes p_prev, and its p_prev becomes p; see [`Plan::rebuilt`].
    ///
    /// # Errors
    ///
    /// If the state is not of a run with as many shots and nodes on this engine.
    fn turn(&mut self, kept: &Kept) -> Result<(), EngineError>;

    /// The stored wave, if the Plan has a [`crate::plan::Tap::Store`] or a
    /// [`crate::plan::Tap::Boundaries`].
    fn source_wavefield(&self) -> Option<SourceWavefield> {
        None
    }

    /// p of one shot on the computational grid, shape `[y][x][z]`.
    fn field(&mut self, shot: usize) -> Result<Array3<f32>, EngineError>;
}

/// The state of a run in the memory of its fields; only that run can use it.
pub struct Kept(Box<dyn Any + Send>);

impl Kept {
    /// The engine's own value.
    fn of<T: 'static>(&self) -> Result<&T, EngineError> {
        self.0.downcast_ref().ok_or(EngineError::State(StateError::Run))
    }
}

/// Returns an error for a Plan whose public fields were changed to have invalid indices.
pub(crate) fn check(plan: &Plan) -> Result<(), EngineError> {
    if plan.is_sound() { Ok(()) } else { Err(EngineError::Unsound) }
}

/// Reports progress to the observer; an error if it stops the run.
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
