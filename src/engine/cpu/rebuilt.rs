//! A wave that is rebuilt backward in time: what was saved of it on the ring around the model is put back after each step. The twin of `put` in
//! `shaders/boundaries.wgsl`.

use super::tap::Boundaries;
use crate::{
    engine::{EngineError, SourceWavefield},
    grid::Axes,
    plan::Plan,
};
use std::sync::Arc;

/// What was saved.
pub struct Rebuilt(Arc<Boundaries>);

impl Rebuilt {
    /// Of a Plan that goes backward in time.
    pub fn new(plan: &Plan, source: Option<&SourceWavefield>) -> Result<Option<Self>, EngineError> {
        let Some(saved) = plan.rebuilt else { return Ok(None) };
        SourceWavefield::of(source, plan, saved).map(|saved| Some(Rebuilt(saved)))
    }

    /// Tells, piece by piece, from which node on a shot's field has which values at a step that was just reached: that of N - 1 - step forward.
    pub fn put_back(
        &self,
        plan: &Plan,
        step: usize,
        shot: usize,
        mut to: impl FnMut(Axes<usize>, &[f32]),
    ) {
        let forward = (plan.time.steps - 1).checked_sub(step);
        let Some(forward) = forward.filter(|forward| plan.saved_steps().contains(forward)) else {
            return;
        };
        self.0.read(forward, shot, |ring, values| {
            for piece in &ring.pieces {
                to(piece.first, values.get(piece.at..piece.at + piece.len).unwrap_or_default());
            }
        });
    }
}
