//! The wave of a shot, kept at imaging steps for the wave that goes back to meet, or saved on the model's boundaries to be rebuilt.

use super::EngineError;
use crate::{
    grid::Axes,
    plan::{Imaging, Plan, Saved},
};
use std::{any::Any, ops::Range, sync::Arc};

/// What [`crate::plan::Tap::Store`] or [`crate::plan::Tap::Boundaries`] keeps of a run, where its fields live; a clone is the same memory. It is filled while that run
/// advances, and read while another does that was started with it ([`super::Engine::start_with`]).
#[derive(Clone)]
pub struct SourceWavefield {
    kept: Arc<dyn Any + Send + Sync>,
    /// The same, where it is on a device.
    staged: Option<Arc<dyn Staged>>,
    about: About,
}

/// An imaging step in the host's memory, as its engine has it.
#[derive(Clone, Debug, Default)]
pub struct OnHost {
    /// Slab by slab.
    #[cfg_attr(
        not(feature = "gpu"),
        expect(dead_code, reason = "the CPU engines keep it on the host")
    )]
    pub(super) slabs: Vec<Vec<f32>>,
    /// Where engines share it.
    pub(super) shares: Vec<OnHost>,
}

/// What is on a device goes to the host's memory and comes back, while runs go on that neither read nor write it.
pub(super) trait Staged: Send + Sync {
    /// Brings some slots to the host, once what was submitted so far is done.
    fn bring(&self, slots: Range<usize>, to: Vec<&mut OnHost>) -> Result<(), EngineError>;

    /// Sends them back, before what is submitted from then on.
    fn send(&self, slots: Range<usize>, from: Vec<&OnHost>) -> Result<(), EngineError>;
}

/// What fits it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct About {
    what: What,
    shots: usize,
    nodes: Axes<usize>,
    /// Where the ring is, and how often it is saved: the grid, the model's first node, the width, the steps.
    ring: Option<(Axes<usize>, Axes<usize>, usize, usize)>,
}

/// What is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum What {
    Steps(Imaging),
    Boundaries(Saved),
}

impl From<Imaging> for What {
    fn from(imaging: Imaging) -> Self {
        What::Steps(imaging)
    }
}

impl From<Saved> for What {
    fn from(saved: Saved) -> Self {
        What::Boundaries(saved)
    }
}

impl About {
    /// Of the shots of a Plan.
    pub fn new(plan: &Plan, what: impl Into<What>) -> Self {
        let what = what.into();
        let ring = matches!(what, What::Boundaries(_))
            .then(|| (plan.grid.n, plan.origin, plan.radius(), plan.time.steps));
        About { what, shots: plan.shots.len(), nodes: plan.model_grid.n, ring }
    }
}

impl SourceWavefield {
    pub(super) fn new<T: Any + Send + Sync>(kept: Arc<T>, about: About) -> Self {
        SourceWavefield { kept, staged: None, about }
    }

    /// The same on a device.
    #[cfg_attr(
        not(feature = "gpu"),
        expect(dead_code, reason = "the CPU engines keep it on the host")
    )]
    pub(super) fn staged_by(self, staged: Arc<dyn Staged>) -> Self {
        SourceWavefield { staged: Some(staged), ..self }
    }

    /// Brings some slots from the device to the host's memory. Runs may go on, on another thread, that neither read nor write these.
    ///
    /// # Errors
    ///
    /// Where it is not on a device, or that fails.
    pub fn bring(&self, slots: Range<usize>, to: &mut [OnHost]) -> Result<(), EngineError> {
        self.staged()?.bring(slots, to.iter_mut().collect())
    }

    /// Sends them back; the same holds.
    ///
    /// # Errors
    ///
    /// Where it is not on a device, or that fails.
    pub fn send(&self, slots: Range<usize>, from: &[OnHost]) -> Result<(), EngineError> {
        self.staged()?.send(slots, from.iter().collect())
    }

    pub(super) fn staged(&self) -> Result<&dyn Staged, EngineError> {
        self.staged.as_deref().ok_or(EngineError::NoSourceWavefield)
    }

    /// Those of the shares of a run.
    pub(super) fn of_shares(shares: Vec<Self>) -> Option<Self> {
        let about = shares.first()?.about.clone();
        let on_devices = shares.iter().all(|share| share.staged.is_some());
        let kept = Arc::new(shares);
        let staged = on_devices.then(|| kept.clone() as Arc<dyn Staged>);
        Some(SourceWavefield { kept, staged, about })
    }

    /// That of each of so many shares.
    pub(super) fn shares(&self, count: usize) -> Result<&[Self], EngineError> {
        let shares = self.kept.downcast_ref::<Vec<Self>>().filter(|all| all.len() == count);
        shares.map(Vec::as_slice).ok_or(EngineError::NoSourceWavefield)
    }

    /// What an engine of this kind put there, of as many shots, nodes and slots.
    pub(super) fn of<T: Any + Send + Sync>(
        given: Option<&Self>,
        plan: &Plan,
        what: impl Into<What>,
    ) -> Result<Arc<T>, EngineError> {
        let about = About::new(plan, what);
        let fits = given.filter(|given| given.about == about);
        let kept = fits.and_then(|given| given.kept.clone().downcast().ok());
        kept.ok_or(EngineError::NoSourceWavefield)
    }
}
