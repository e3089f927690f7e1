//! The wave of a shot, kept at imaging steps for the wave that goes back to meet.

use super::EngineError;
use crate::{
    grid::Axes,
    plan::{Imaging, Plan},
};
use std::{any::Any, sync::Arc};

/// What [`crate::plan::Tap::Store`] keeps of a run, where its fields live; a clone is the same memory. It is filled while that run
/// advances, and read while another does that was started with it ([`super::Engine::start_with`]).
#[derive(Clone)]
pub struct SourceWavefield {
    kept: Arc<dyn Any + Send + Sync>,
    about: About,
}

/// What fits it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct About {
    imaging: Imaging,
    shots: usize,
    nodes: Axes<usize>,
}

impl About {
    /// Of the shots of a Plan.
    pub fn new(plan: &Plan, imaging: Imaging) -> Self {
        About { imaging, shots: plan.shots.len(), nodes: plan.model_grid.n }
    }
}

impl SourceWavefield {
    pub(super) fn new<T: Any + Send + Sync>(kept: Arc<T>, about: About) -> Self {
        SourceWavefield { kept, about }
    }

    /// What an engine of this kind put there, of as many shots, nodes and slots.
    pub(super) fn of<T: Any + Send + Sync>(
        given: Option<&Self>,
        plan: &Plan,
        imaging: Imaging,
    ) -> Result<Arc<T>, EngineError> {
        let fits = given.filter(|given| given.about == About::new(plan, imaging));
        let kept = fits.and_then(|given| given.kept.clone().downcast().ok());
        kept.ok_or(EngineError::NoSourceWavefield)
    }
}
