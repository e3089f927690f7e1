//! The wave of a shot, kept at imaging steps for the wave that goes back to meet, or saved on the model's boundaries to be rebuilt.

use super::EngineError;
use crate::{
    grid::Axes,
    plan::{Imaging, Plan, Saved},
};
use std::{any::Any, sync::Arc};

/// What [`crate::plan::Tap::Store`] or [`crate::plan::Tap::Boundaries`] keeps of a run, where its fields live; a clone is the same memory. It is filled while that run
/// advances, and read while another does that was started with it ([`super::Engine::start_with`]).
#[derive(Clone)]
pub struct SourceWavefield {
    kept: Arc<dyn Any + Send + Sync>,
    about: About,
}

/// What fits it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct About {
    what: What,
    shots: usize,
    nodes: Axes<usize>,
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
        About { what: what.into(), shots: plan.shots.len(), nodes: plan.model_grid.n }
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
        what: impl Into<What>,
    ) -> Result<Arc<T>, EngineError> {
        let about = About::new(plan, what);
        let fits = given.filter(|given| given.about == about);
        let kept = fits.and_then(|given| given.kept.clone().downcast().ok());
        kept.ok_or(EngineError::NoSourceWavefield)
    }
}
