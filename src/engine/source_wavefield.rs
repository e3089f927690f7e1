//! The wave of a shot, stored at imaging steps to be correlated with the backward wave.

use super::EngineError;
use crate::{
    grid::Axes,
    plan::{Imaging, Plan},
};
use std::{any::Any, ops::Range, sync::Arc};

/// The output of [`crate::plan::Tap::Store`] in the memory of the run's fields; a clone shares the
/// memory. The run fills it, and another run that was started
/// with it ([`super::Engine::start_with`]) reads it.
#[derive(Clone)]
pub struct SourceWavefield {
    kept: Arc<dyn Any + Send + Sync>,
    /// The transfers to and from host memory, if it is on a device.
    staged: Option<Arc<dyn Staged>>,
    about: About,
}

/// An imaging step in host memory, in the layout of its engine.
#[derive(Clone, Debug, Default)]
pub struct OnHost {
    /// Slab by slab.
    #[cfg_attr(
        not(feature = "gpu"),
        expect(dead_code, reason = "the CPU engines keep it on the host")
    )]
    pub(super) slabs: Vec<Vec<f32>>,
    /// The parts of engines that share it.
    pub(super) shares: Vec<OnHost>,
}

/// Transfers between a device and host memory, during runs that neither read nor write the
/// transferred slots.
pub(super) trait Staged: Send + Sync {
    /// Copies some slots to the host, after everything submitted so far.
    fn bring(&self, slots: Range<usize>, to: Vec<&mut OnHost>) -> Result<(), EngineError>;

    /// Copies them back, before everything submitted from then on.
    fn send(&self, slots: Range<usize>, from: Vec<&OnHost>) -> Result<(), EngineError>;
}

/// The description that a reading Plan must match.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct About {
    imaging: Imaging,
    shots: usize,
    nodes: Axes<usize>,
}

impl About {
    /// For the shots of a Plan.
    pub(crate) fn new(plan: &Plan, imaging: Imaging) -> Self {
        About { imaging, shots: plan.shots.len(), nodes: plan.model_grid.n }
    }
}

impl SourceWavefield {
    pub(super) fn new<T: Any + Send + Sync>(kept: Arc<T>, about: About) -> Self {
        SourceWavefield { kept, staged: None, about }
    }

    /// With transfers to and from a device.
    #[cfg_attr(
        not(feature = "gpu"),
        expect(dead_code, reason = "the CPU engines keep it on the host")
    )]
    pub(super) fn staged_by(self, staged: Arc<dyn Staged>) -> Self {
        SourceWavefield { staged: Some(staged), ..self }
    }

    /// Copies some slots from the device to host memory. Another thread may advance runs that
    /// neither read nor write these slots.
    ///
    /// # Errors
    ///
    /// If it is not on a device, or the device fails.
    pub fn bring(&self, slots: Range<usize>, to: &mut [OnHost]) -> Result<(), EngineError> {
        self.staged()?.bring(slots, to.iter_mut().collect())
    }

    /// Copies them back, on the same conditions.
    pub fn send(&self, slots: Range<usize>, from: &[OnHost]) -> Result<(), EngineError> {
        self.staged()?.send(slots, from.iter().collect())
    }

    pub(super) fn staged(&self) -> Result<&dyn Staged, EngineError> {
        self.staged.as_deref().ok_or(EngineError::NoSourceWavefield)
    }

    /// Combines those of a run's shares.
    pub(super) fn of_shares(shares: Vec<Self>) -> Option<Self> {
        let about = shares.first()?.about.clone();
        let on_devices = shares.iter().all(|share| share.staged.is_some());
        let kept = Arc::new(shares);
        let staged = on_devices.then(|| kept.clone() as Arc<dyn Staged>);
        Some(SourceWavefield { kept, staged, about })
    }

    /// Those of `count` shares.
    pub(super) fn shares(&self, count: usize) -> Result<&[Self], EngineError> {
        let shares = self.kept.downcast_ref::<Vec<Self>>().filter(|all| all.len() == count);
        shares.map(Vec::as_slice).ok_or(EngineError::NoSourceWavefield)
    }

    /// The value of an engine of this kind, with the same shots, nodes and slots.
    pub(super) fn of<T: Any + Send + Sync>(
        given: Option<&Self>,
        plan: &Plan,
        imaging: Imaging,
    ) -> Result<Arc<T>, EngineError> {
        let about = About::new(plan, imaging);
        let fits = given.filter(|given| given.about == about);
        let kept = fits.and_then(|given| given.kept.clone().downcast().ok());
        kept.ok_or(EngineError::NoSourceWavefield)
    }
}
