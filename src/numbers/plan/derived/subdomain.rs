//! Pieces of a simulation along its slowest axis, which need only their neighbours' nearest nodes.

use crate::{
    boundary::Profile,
    grid::Axes,
    plan::{Offsets, Plan, PointShot, PointSource},
};
use ndarray::{Array3, ArrayView3, Axis};
use std::ops::Range;

impl Plan {
    /// Pieces along the slowest axis: planes or, in 2-D, columns.
    pub fn pieces(&self) -> usize {
        let n = self.grid.n;
        if self.grid.is_volume() { n.y } else { n.x }
    }

    /// The word for pieces: `planes` or `columns`.
    pub fn pieces_name(&self) -> &'static str {
        if self.grid.is_volume() { "planes" } else { "columns" }
    }

    /// The range of the model's pieces among some pieces.
    pub fn in_model(&self, pieces: &Range<usize>) -> Range<usize> {
        let volume = self.grid.is_volume();
        let along = |axes: Axes<usize>| if volume { axes.y } else { axes.x };
        let (first, n) = (along(self.origin), along(self.model_grid.n));
        let within = |at: usize| at.clamp(first, first + n) - first;
        within(pieces.start)..within(pieces.end)
    }

    /// Offset gathers of some pieces, with the line counted from their first.
    pub fn offsets_of(&self, pieces: &Range<usize>, offsets: Offsets) -> Offsets {
        let line = offsets.line.saturating_sub(self.in_model(pieces).start);
        Offsets { line, ..offsets }
    }

    /// True if some pieces make offset gathers: in a volume those with the line, in a plane all.
    pub fn makes_offsets(&self, pieces: &Range<usize>, offsets: &Offsets) -> bool {
        let model = self.in_model(pieces);
        if self.grid.is_volume() { model.contains(&offsets.line) } else { !model.is_empty() }
    }

    /// The part of an array of the model's nodes, `[y][x][z]`, in some pieces.
    pub fn of_model<'a, T>(&self, pieces: &Range<usize>, all: &'a Array3<T>) -> ArrayView3<'a, T> {
        all.slice_axis(self.cut_axis(), self.in_model(pieces).into())
    }

    /// The part of an array of the whole model's nodes, `[y][x][z]`, in some pieces of a shot's window.
    pub fn of_shot<'a, T>(
        &self,
        shot: usize,
        pieces: &Range<usize>,
        all: &'a Array3<T>,
    ) -> ArrayView3<'a, T> {
        let (first, n) = (self.shots[shot].window.first, self.model_grid.n);
        let mut part = all.view();
        for (axis, from, count) in [(0, first.y, n.y), (1, first.x, n.x), (2, first.z, n.z)] {
            part.slice_axis_inplace(Axis(axis), (from..from + count).into());
        }
        part.slice_axis_inplace(self.cut_axis(), self.in_model(pieces).into());
        part
    }

    /// The axis of `[y][x][z]` that is cut.
    pub fn cut_axis(&self) -> Axis {
        Axis(usize::from(!self.grid.is_volume()))
    }

    /// The simulation of some pieces alone, with their sources. Receivers, wavelets and taps do not
    /// change, and there is no initial field.
    pub fn subdomain(&self, pieces: Range<usize>) -> Plan {
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
            window: shot.window,
            unit: shot.unit,
        };
        // Of a model with windows, these pieces of any window.
        let whole = self.whole_nodes();
        let beyond = if volume { whole.y } else { whole.x } - self.pieces();
        let all_windows = pieces.start..pieces.end + beyond;
        let mut part = Plan {
            velocities: self.velocities.iter().map(|all| all.cut(all_windows.clone())).collect(),
            medium: self.medium.cut(all_windows),
            shots: self.shots.iter().map(shot).collect(),
            initial: None,
            ..self.clone()
        };
        part.grid.n = along(part.grid.n, volume, |_| pieces.len());
        let profile = if volume { &mut part.profile.y } else { &mut part.profile.x };
        *profile = profile.cut(pieces.clone());
        let within = |first: usize| first.clamp(pieces.start, pieces.end) - pieces.start;
        part.origin = along(part.origin, volume, within);
        part.model_grid.n = along(part.model_grid.n, volume, |_| self.in_model(&pieces).len());
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
    /// Some nodes along the axis.
    fn cut(&self, nodes: Range<usize>) -> Self {
        let (low, high) = (self.memory[0], self.nodes.len() - self.memory[1]);
        let before = low.clamp(nodes.start, nodes.end) - nodes.start;
        let after = nodes.end - high.clamp(nodes.start, nodes.end);
        Profile { nodes: self.nodes[nodes].to_vec(), memory: [before, after] }
    }
}
