//! A wave reconstructed backward in time: after each step the values saved on the ring around the
//! model are restored. The twin of `put` in `shaders/boundaries.wgsl`.

use super::tap::Boundaries;
use crate::{EngineError, SourceWavefield, grid::Axes, plan::Plan};
use std::sync::Arc;

/// The saved values.
pub struct Rebuilt(Arc<Boundaries>);

impl Rebuilt {
    /// For a Plan that runs backward in time.
    pub fn new(plan: &Plan, source: Option<&SourceWavefield>) -> Result<Option<Self>, EngineError> {
        let Some(saved) = plan.rebuilt else { return Ok(None) };
        SourceWavefield::of(source, plan, saved).map(|saved| Some(Rebuilt(saved)))
    }

    /// Calls back, piece by piece, with a first node of a shot's field and the values from there
    /// on, at the step just reached: those of step N - 1 - step of the forward run.
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
