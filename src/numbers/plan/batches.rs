//! Batches of the same survey.

use super::Plan;
use std::{iter::zip, sync::Arc};

impl Plan {
    /// True if another batch differs only in the positions of sources and receivers and the samples
    /// of wavelets, so that an engine can reuse everything it has made. False for a scan's batches,
    /// which run through different models.
    pub fn is_survey_of(&self, other: &Plan) -> bool {
        let one_model = self.velocities.len() == 1 && other.velocities.len() == 1;
        let wavelets = self.wavelets.len() == other.wavelets.len()
            && zip(&self.wavelets, &other.wavelets).all(|(one, other)| one.len() == other.len());
        one_model
            && self.velocities[0].is_same(&other.velocities[0])
            && self.medium.is_same(&other.medium)
            && same_arc(self.initial.as_ref(), other.initial.as_ref())
            && wavelets
            && self.grid == other.grid
            && self.windows == other.windows
            && self.origin == other.origin
            && self.operator == other.operator
            && self.fourth == other.fourth
            && self.free_surface == other.free_surface
            && self.profile == other.profile
            && self.time == other.time
            && self.by_increments == other.by_increments
            && self.adjoint == other.adjoint
            && same_arc(self.scattering.as_ref(), other.scattering.as_ref())
            // Each window has its own part of a perturbation.
            && (self.scattering.is_none() || self.windows.is_none())
            && self.taps == other.taps
            && self.shots.len() == other.shots.len()
            && self.most_receivers() == other.most_receivers()
            && self.samples_between_nodes() == other.samples_between_nodes()
    }
}

/// True if both are one value in memory, or both none.
fn same_arc<T>(one: Option<&Arc<T>>, other: Option<&Arc<T>>) -> bool {
    one.map(Arc::as_ptr) == other.map(Arc::as_ptr)
}
