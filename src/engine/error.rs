//! Reasons why a run fails.

use super::{
    blow_up::{Cause, seen},
    share::ShareError,
    shortage::{Limit, Shortage},
    state::StateError,
};
use crate::{
    grid::{Axes, PerAxis},
    host::{NoMemory, binary},
    message::any_of,
    plan::Plan,
};
use serde::{Deserialize, Serialize};

/// A failure of a device that another may make good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum DeviceFailure {
    /// It is there no more.
    Lost,
    /// It does not answer.
    Silent,
    /// Its memory is.
    Full,
}

/// Reasons why a run failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum EngineError {
    /// The watchdog saw the field pass its limit, or become NaN, at a step and its time, s. `healthy` is the last step at
    /// which it had looked and found nothing wrong; `None` where the field was wrong from the start. `at` is a node whose
    /// |p| is the largest but for a factor of 16; `None` where the field overflowed and `value` is not finite.
    #[error("the field blew up: {}; {cause}", seen(*.value, *.step, *.time, *.shot, *.at))]
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
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    #[error(
        "the memory of {device} is full ({said}); use a smaller or coarser model, or --backend cpu"
    )]
    OutOfMemory { device: String, said: String },
    /// An array of a size, in a unit, that a device does not take.
    #[error(
        "{what} takes {size} {unit}, but {device} takes at most {limit}; use a smaller or coarser model, fewer \
         receivers, or --backend cpu"
    )]
    TooLarge { what: &'static str, size: u64, limit: u64, unit: &'static str, device: String },
    /// Slabs of planes or columns, layers included.
    #[error("{slabs} slabs of {pieces} {what} are not available; give from 1 to {most}")]
    Slabs { slabs: usize, most: usize, pieces: usize, what: &'static str },
    #[error(
        "{slabs} slabs are too thin for a wave that goes back through a CPML: the first and the last take {least} {what} at \
         the least, the layer and what a stencil reaches; use fewer slabs, thinner layers, a sponge, or --backend cpu"
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
    SourceWavefieldSize { what: &'static str, bytes: u64, memory: u64, remedies: Vec<String> },
    #[error(transparent)]
    State(#[from] StateError),
    /// A driver that computes something else; the difference over the size of the gather, and the largest that is
    /// rounding.
    #[error(
        "{device} computes wrong waves: what it records of a small test differs from the oracle by {error:.1e} of \
         its size, where rounding is below {limit:.0e}; update its driver"
    )]
    Wrong { device: String, error: f64, limit: f64 },
    #[error(
        "{device} failed: {message}; update its driver, choose another adapter, or --backend cpu"
    )]
    Device { device: String, message: String },
    /// At a step of all, if a run was under way.
    #[error(
        "the device {device} was lost{} ({said}); run it again, update its driver, choose another adapter, or \
         --backend cpu",
        at(*.step)
    )]
    Lost { device: String, said: String, step: Option<[usize; 2]> },
    /// The same.
    #[error(
        "the device {device} has not answered for {seconds} s{}; run it again, update its driver, choose another \
         adapter, or --backend cpu",
        at(*.step)
    )]
    Silent { device: String, seconds: u64, step: Option<[usize; 2]> },
    #[error(
        "{device} does not open ({said}); choose one that `huygens devices` lists, or --backend cpu"
    )]
    NotOpened { device: String, said: String },
    #[error("{device} lacks {lacks}; choose another adapter, or --backend cpu")]
    Lacks { device: String, lacks: String },
    /// A device of its own needs a thread of its own.
    #[error("no thread can be begun for {device} ({said}); name fewer devices")]
    NoThread { device: String, said: String },
    #[error(
        "VTI has no offset gathers yet, as they need both of its fields; leave rtm.offsets and rtm.angles out"
    )]
    VtiOffsets,
    #[error("{what} do not step VTI yet; {remedy}")]
    VtiBackend { what: &'static str, remedy: &'static str },
    #[error("a browser cannot wait for {device}; drive a run with go_on and end")]
    CannotWait { device: String },
}

impl EngineError {
    /// How a device failed that may do the same work once it is opened again, or another in its place.
    pub(crate) fn of_device(&self) -> Option<DeviceFailure> {
        match self {
            EngineError::Lost { .. } => Some(DeviceFailure::Lost),
            EngineError::Silent { .. } => Some(DeviceFailure::Silent),
            EngineError::OutOfMemory { .. } => Some(DeviceFailure::Full),
            EngineError::DoesNotFit(shortage) => {
                matches!(shortage.limit, Limit::Memory { .. }).then_some(DeviceFailure::Full)
            }
            EngineError::Share(ShareError::Rank(failed)) => failed.device,
            _ => None,
        }
    }

    /// The error, at a step of a run.
    #[cfg(feature = "gpu")]
    pub(super) fn at_step(mut self, at: [usize; 2]) -> Self {
        if let EngineError::Lost { step, .. } | EngineError::Silent { step, .. } = &mut self {
            *step = Some(at);
        }
        self
    }
}

/// Where a run was, if one was under way.
fn at(step: Option<[usize; 2]>) -> String {
    step.map_or_else(String::new, |[step, steps]| format!(" at step {step} of {steps}"))
}

/// The error for a watchdog that looks every few steps and found too large a field at `node`.
pub(crate) fn blow_up(
    plan: &Plan,
    step: usize,
    every: usize,
    shot: usize,
    node: Axes<usize>,
    value: f32,
) -> EngineError {
    // An overflow spreads by a stencil per step: soon its first node is the field's first.
    let node = value.is_finite().then_some(node);
    let window = plan.shots.get(shot).map(|shot| shot.window);
    let factor = node.zip(window).map_or(1.0, |(node, window)| plan.pressure_factor(window, node));
    let value = (factor * f64::from(value)) as f32;
    EngineError::BlowUp {
        step,
        time: plan.time.at(step),
        healthy: step.checked_sub(1).map(|before| before / every * every),
        shot,
        at: node.map(|node| plan.position_in(shot, node).in_model(plan.grid.is_volume())),
        value,
        cause: Cause::of(plan, shot, node),
    }
}
