//! A simulation under way.

use super::{EngineError, Observer, ShotState, SourceWavefield, State, StateError};
use crate::{
    plan::{Plan, Tap},
    share::Share,
};
use ndarray::Array3;
use serde::Serialize;
use std::{any::Any, ops::ControlFlow, sync::Arc};

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
    fn restart(&mut self, _plan: &Arc<Plan>) -> Result<bool, EngineError> {
        Ok(false)
    }

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
    fn keep(&mut self) -> Result<KeptState, EngineError> {
        Ok(KeptState(Box::new(self.state()?)))
    }

    /// Continues from a state that this run has kept.
    fn put_back(&mut self, kept: &KeptState) -> Result<(), EngineError> {
        self.restore(kept.of()?)
    }

    /// The stored wave, if the Plan has a [`crate::plan::Tap::Store`].
    fn source_wavefield(&self) -> Option<SourceWavefield> {
        None
    }

    /// p of one shot on the computational grid, shape `[y][x][z]`.
    fn field(&mut self, shot: usize) -> Result<Array3<f32>, EngineError>;
}

/// The state of a run in the memory of its fields; only that run can use it.
pub struct KeptState(pub(super) Box<dyn Any + Send>);

impl KeptState {
    /// The engine's own value.
    pub(super) fn of<T: 'static>(&self) -> Result<&T, EngineError> {
        self.0.downcast_ref().ok_or(EngineError::State(StateError::Run))
    }
}

/// Returns an error for a Plan whose public fields were changed to have invalid indices, and for what engines do not
/// do with VTI.
pub(crate) fn check(plan: &Plan) -> Result<(), EngineError> {
    let gathers = |tap: &Tap| matches!(tap, Tap::OffsetGathers(..));
    if plan.medium.vti().is_some() && plan.taps.iter().any(gathers) {
        return Err(EngineError::VtiOffsets);
    }
    if plan.is_consistent() { Ok(()) } else { Err(EngineError::Unsound) }
}

/// Returns an error for a share of what is stepped whole only.
pub(crate) fn check_share(share: &Share) -> Result<(), EngineError> {
    let remedy = "use one device, or several shots over several devices";
    match share.plan.medium.vti() {
        Some(_) => Err(EngineError::VtiBackend { what: "split shots", remedy }),
        None => Ok(()),
    }
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
