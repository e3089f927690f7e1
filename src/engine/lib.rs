//! Backends: each runs the same Plans and gives the same results.
//!
//! An [`Engine`] starts a [`Run`]; an operation advances it by any number of steps. An [`Observer`]
//! on the host receives the output of the Plan's taps, and progress.

#![warn(unreachable_pub)]
// Without all features, and on other systems than Linux, some code has no caller.
#![cfg_attr(
    not(all(feature = "ladder", feature = "files", target_os = "linux")),
    allow(dead_code, unused_imports)
)]

mod blow_up;
pub mod cpu;
mod error;
mod focus;
#[cfg(feature = "gpu")]
pub mod gpu;
mod launched;
mod layout;
mod observer;
mod prepared;
mod proof;
#[cfg(all(feature = "gpu", feature = "files"))]
mod proved;
#[cfg(feature = "mpi")]
mod ranks;
mod retry;
mod run;
#[cfg(feature = "gpu")]
pub mod select;
pub mod share;
mod shortage;
#[doc(hidden)]
pub mod shots;
mod source_wavefield;
mod split;
mod state;
#[cfg(feature = "files")]
mod state_file;
mod transposed;
#[cfg(feature = "gpu")]
pub mod tune;

pub use blow_up::Cause;
pub(crate) use error::DeviceFailure;
pub use error::EngineError;
pub use focus::{FocusMap, FocusSummary, Summit};
pub use launched::Launched;
pub use layout::Layout;
pub use observer::{
    Gathers, Image, Observer, OffsetGathers, Snapshot, SnapshotView, Snapshots, TraceBlock,
    apply_unit,
};
pub use prepared::Prepared;
pub(crate) use proof::prove_in;
pub use proof::{TrialShot, prove};
#[cfg(all(feature = "gpu", feature = "files"))]
pub use proved::prove_once;
#[cfg(feature = "mpi")]
pub use ranks::{Ranks, World, WorldError};
pub use retry::{Fallback, Retried, Retrying};
#[doc(hidden)]
pub use retry::{SnapshotFilter, with_retry};
pub(crate) use run::report;
pub use run::{KeptState, Run, Timings};
#[doc(hidden)]
pub(crate) use run::{check, check_share};
pub(crate) use shortage::Limit;
pub use shortage::{Arrays, Shortage};
pub use shots::DeviceWork;
pub use source_wavefield::{OnHost, SourceWavefield};
pub use split::Split;
pub use state::{ShotState, State, StateError, Values};
#[cfg(feature = "files")]
pub use state_file::StateFileError;

#[cfg(feature = "files")]
use huygens_io as io;
#[cfg(feature = "gpu")]
use huygens_numbers::fault;
use huygens_numbers::{
    acquisition, boundary, grid, host, medium, message, model, plan, program, simd, stencil,
};
use plan::Plan;
use serde::Serialize;
pub use share::ShareTimings;
use share::{Share, ShareError, ShareRun};
use std::{
    any::Any,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
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

/// A kind of GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuKind {
    /// A device with memory of its own.
    Hardware,
    /// A program that behaves like a GPU, in the memory of the host.
    Software,
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

    /// The engine as one that goes on when its device fails, if it is.
    fn retrying(&self) -> Option<&Retrying> {
        None
    }

    /// This engine on its devices opened anew; `None` where it has none that it could open.
    ///
    /// # Errors
    ///
    /// If one is gone, or does not open.
    fn reopened(&self) -> Result<Option<Box<dyn Engine>>, EngineError> {
        Ok(None)
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

/// True if the engine's arrays are in the host's memory.
pub fn is_on_host(engine: &dyn Engine) -> bool {
    engine.gpus().iter().all(|gpu| *gpu == GpuKind::Software)
}

/// A poisoned lock still holds a whole value.
fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
