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
    plan::Plan,
    remedy::{Refusal, Remedy, any_of, remedies},
};
use serde::{Deserialize, Serialize};

/// A failure of a device that another may make good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeviceFailure {
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
    #[error("{device} failed: {message}; {}", remedies(self))]
    Device { device: String, message: String },
    /// At a step of all, if a run was under way.
    #[error("the device {device} was lost{} ({said}); {}", at(*.step), remedies(self))]
    Lost { device: String, said: String, step: Option<[usize; 2]> },
    /// The same.
    #[error("the device {device} has not answered for {seconds} s{}; {}", at(*.step), remedies(self))]
    Silent { device: String, seconds: u64, step: Option<[usize; 2]> },
    #[error("{device} does not open ({said}); {}", remedies(self))]
    NotOpened { device: String, said: String },
    #[error("{device} lacks {lacks}; {}", remedies(self))]
    Lacks { device: String, lacks: String },
    /// A device of its own needs a thread of its own.
    #[error("no thread can be begun for {device} ({said}); {}", remedies(self))]
    NoThread { device: String, said: String },
    #[error("a browser cannot wait for {device}; {}", remedies(self))]
    CannotWait { device: String },
}

impl Refusal for EngineError {
    fn remedies(&self) -> Vec<Remedy> {
        let smaller = || "use a smaller or coarser model".into();
        let another = || "choose another adapter".into();
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
            EngineError::NoMemory(error) => error.remedies(),
            EngineError::Share(error) => error.remedies(),
            EngineError::State(error) => error.remedies(),
            EngineError::SourceWavefieldSize { remedies, .. } => remedies.clone(),
            EngineError::Wrong { .. } => vec!["update its driver".into()],
            EngineError::Device { .. } => vec!["update its driver".into(), another(), Remedy::Cpu],
            EngineError::Lost { .. } | EngineError::Silent { .. } => {
                vec!["run it again".into(), "update its driver".into(), another(), Remedy::Cpu]
            }
            EngineError::NotOpened { .. } => vec![Remedy::AnyAdapter, Remedy::Cpu],
            EngineError::Lacks { .. } => vec![another(), Remedy::Cpu],
            EngineError::NoThread { .. } => vec!["name fewer devices".into()],
            EngineError::CannotWait { .. } => vec!["drive a run with go_on and end".into()],
            _ => Vec::new(),
        }
    }
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
    EngineError::BlowUp {
        step,
        time: plan.time.at(step),
        healthy: step.checked_sub(1).map(|before| before / every * every),
        shot,
        at: node.map(|node| plan.position(node).in_model(plan.grid.is_volume())),
        value,
        cause: Cause::of(plan, shot, node),
    }
}
