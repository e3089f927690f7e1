//! Pieces of a simulation along its slowest axis, which need no more than their neighbours' nearest nodes.

use super::{Plan, PointShot, PointSource};
use crate::{boundary::Profile, grid::Axes};
use std::ops::Range;

impl Plan {
    /// Pieces along the slowest axis: planes or, in 2-D, columns.
    pub fn pieces(&self) -> usize {
        let n = self.grid.n;
        if self.grid.is_volume() { n.y } else { n.x }
    }

    /// What they are called.
    pub(crate) fn what_pieces_are(&self) -> &'static str {
        if self.grid.is_volume() { "planes" } else { "columns" }
    }

    /// The same simulation on some pieces alone, with the sources that lie there. Receivers, wavelets and taps stay as they are,
    /// and there is no initial field.
    pub(crate) fn cut(&self, pieces: Range<usize>) -> Plan {
        let volume = self.grid.is_volume();
        let within = |source: &&PointSource| {
            pieces.contains(if volume { &source.at.y } else { &source.at.x })
        };
        let moved = |source: &PointSource| PointSource {
            at: along(source.at, volume, |at| at - pieces.start),
            ..*source
        };
        let shot = |shot: &PointShot| PointShot {
            sources: shot.sources.iter().filter(within).map(moved).collect(),
            receivers: shot.receivers.clone(),
            asked: shot.asked.clone(),
            model: shot.model,
        };
        let mut part = Plan {
            velocities: self.velocities.iter().map(|all| all.cut(pieces.clone())).collect(),
            shots: self.shots.iter().map(shot).collect(),
            initial: None,
            ..self.clone()
        };
        part.grid.n = along(part.grid.n, volume, |_| pieces.len());
        let profile = if volume { &mut part.profile.y } else { &mut part.profile.x };
        *profile = profile.cut(pieces.clone());
        // Of the model what lies there.
        let first = if volume { self.origin.y } else { self.origin.x };
        let end = first + if volume { self.model_grid.n.y } else { self.model_grid.n.x };
        let model = first.clamp(pieces.start, pieces.end)..end.clamp(pieces.start, pieces.end);
        part.origin = along(part.origin, volume, |_| model.start - pieces.start);
        part.model_grid.n = along(part.model_grid.n, volume, |_| model.len());
        part
    }
}

/// Changes the value of the slowest axis.
fn along(axes: Axes<usize>, volume: bool, of: impl Fn(usize) -> usize) -> Axes<usize> {
    match volume {
        true => Axes { y: of(axes.y), ..axes },
        false => Axes { x: of(axes.x), ..axes },
    }
}

impl Profile {
    /// Of some nodes along the axis.
    fn cut(&self, nodes: Range<usize>) -> Self {
        let (low, high) = (self.memory[0], self.nodes.len() - self.memory[1]);
        let before = low.clamp(nodes.start, nodes.end) - nodes.start;
        let after = nodes.end - high.clamp(nodes.start, nodes.end);
        Profile { nodes: self.nodes[nodes].to_vec(), memory: [before, after] }
    }
}
