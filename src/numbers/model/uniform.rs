//! A model of one velocity on the grid of another.

use super::VelocityModel;
use crate::grid::{Axes, Position};
use std::sync::Arc;

impl VelocityModel {
    /// A model with the velocity of the node nearest to a position in metres at all nodes.
    pub fn uniform_as_at(&self, at: Position) -> Self {
        let velocity = self.nearest(at);
        VelocityModel {
            grid: self.grid,
            velocity: Arc::new(vec![velocity; self.velocity.len()]),
            range: (velocity, velocity),
            placement: self.placement,
        }
    }

    /// The velocity of the node nearest to a position in metres, m/s.
    pub fn nearest(&self, at: Position) -> f32 {
        let Axes { z, x, y } = self.grid.in_nodes(at).unwrap_or_default();
        self.velocity()[[y, x, z].map(|node| node.round() as usize)]
    }
}
