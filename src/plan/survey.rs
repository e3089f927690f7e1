//! Batches of the same survey.

use super::Plan;
use std::{iter::zip, sync::Arc};

impl Plan {
    /// Whether another batch differs in nothing but where its sources and receivers are, and in what their wavelets say: what an engine has made for the one serves the
    /// other. A scan's batches, which run through different models, never do.
    pub fn is_survey_of(&self, other: &Plan) -> bool {
        let one_model = self.velocities.len() == 1 && other.velocities.len() == 1;
        let initial = match (&self.initial, &other.initial) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        };
        let wavelets = self.wavelets.len() == other.wavelets.len()
            && zip(&self.wavelets, &other.wavelets).all(|(one, other)| one.len() == other.len());
        one_model
            && self.velocities[0].is(&other.velocities[0])
            && initial
            && wavelets
            && self.grid == other.grid
            && self.origin == other.origin
            && self.operator == other.operator
            && self.fourth == other.fourth
            && self.free_surface == other.free_surface
            && self.profile == other.profile
            && self.time == other.time
            && self.by_increments == other.by_increments
            && self.adjoint == other.adjoint
            && match (&self.scattering, &other.scattering) {
                (None, None) => true,
                (Some(one), Some(other)) => Arc::ptr_eq(one, other),
                _ => false,
            }
            && self.rebuilt == other.rebuilt
            && self.taps == other.taps
            && self.shots.len() == other.shots.len()
            && self.most_receivers() == other.most_receivers()
            && self.samples_between_nodes() == other.samples_between_nodes()
    }
}
