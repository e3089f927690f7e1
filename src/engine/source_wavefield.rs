//! The wave of a shot, kept at imaging steps for the wave that goes back to meet.

use std::{any::Any, sync::Arc};

/// What [`crate::plan::Tap::Store`] keeps of a run, where its fields live; a clone is the same memory. It is filled while that run
/// advances, and read while another does that was started with it ([`super::Engine::start_with`]).
#[derive(Clone)]
pub struct SourceWavefield(Arc<dyn Any + Send + Sync>);

impl SourceWavefield {
    pub(super) fn new<T: Any + Send + Sync>(kept: Arc<T>) -> Self {
        SourceWavefield(kept)
    }

    /// What an engine of this kind put there.
    pub(super) fn of<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.0.clone().downcast().ok()
    }
}
