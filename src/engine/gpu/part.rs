//! A wavefield in parts along its slowest axis.
//!
//! A part is a simulation of its own on some pieces, planes or in 2-D columns. Where a whole field has a halo of zeros it has
//! ghosts: the pieces of its neighbours that a stencil, or a receiver between nodes, reaches.

use super::layers;
use crate::{
    acquisition::spread::HALF_WIDTH,
    engine::{EngineError, Layout},
    grid::Axes,
    plan::{Plan, Sampling},
};
use ndarray::{Array3, ArrayViewMut3, Axis};
use std::{ops::Range, sync::Arc};

/// Some pieces of a Plan's grid.
#[derive(Clone, Debug)]
pub struct Part {
    /// Which they are.
    pub pieces: Range<usize>,
    /// The simulation on them alone.
    pub plan: Arc<Plan>,
    pub layout: Layout,
    /// Along which axes the whole has layers: every part is stepped by the same code, which a driver then rounds alike.
    pub layers: Axes<bool>,
    /// Pieces of all parts.
    all: usize,
}

/// Pieces that a part reads of either neighbour.
fn ghosts(plan: &Plan) -> usize {
    let between = plan.samples_between_nodes();
    if between { plan.radius().max(HALF_WIDTH) } else { plan.radius() }
}

/// The most parts that a grid can be cut into: each gives its neighbours their ghosts, and a volume has more than a plane.
pub fn most(plan: &Plan) -> usize {
    let least = ghosts(plan).max(if plan.grid.is_volume() { 2 } else { 1 });
    (plan.pieces() / least).max(1)
}

/// Refuses more parts than that.
pub fn check(plan: &Plan, parts: usize) -> Result<(), EngineError> {
    let most = most(plan);
    match (1..=most).contains(&parts) {
        true => Ok(()),
        false => Err(EngineError::Slabs {
            slabs: parts,
            most,
            pieces: plan.pieces(),
            what: if plan.grid.is_volume() { "planes" } else { "columns" },
        }),
    }
}

impl Part {
    /// A Plan in so many parts of about the same size.
    pub fn all(plan: &Arc<Plan>, count: usize) -> Result<Vec<Part>, EngineError> {
        check(plan, count)?;
        let pieces = plan.pieces();
        let Axes { z, x, y } = layers::reach(plan);
        let [z, x, y] = [z, x, y].map(|[low, high]| low + high > 0);
        let part = |i: usize| {
            let pieces = pieces * i / count..pieces * (i + 1) / count;
            let (cut, layout) = match count {
                1 => (plan.clone(), Layout::new(plan)),
                _ => {
                    let part = plan.cut(pieces.clone());
                    let layout = Layout::of(part.grid.n, ghosts(plan));
                    (Arc::new(part), layout)
                }
            };
            Part { pieces, plan: cut, layout, layers: Axes { z, x, y }, all: plan.pieces() }
        };
        Ok((0..count).map(part).collect())
    }

    /// Whether there are others.
    pub fn is_split(&self) -> bool {
        self.pieces.len() < self.all
    }

    /// The node of the whole grid that lies in the piece `at`.
    fn node(&self, node: Axes<usize>, at: usize) -> Axes<usize> {
        match self.layout.is_volume() {
            true => Axes { y: at, ..node },
            false => Axes { x: at, ..node },
        }
    }

    /// A field of the whole grid, with the ghosts of this part.
    pub fn padded(&self, field: impl Fn(Axes<usize>) -> f32) -> Vec<f32> {
        let (layout, ghosts) = (&self.layout, self.layout.radius);
        let mut padded = vec![0.0; layout.len()];
        let known =
            self.pieces.start.saturating_sub(ghosts)..(self.pieces.end + ghosts).min(self.all);
        let columns = if layout.is_volume() { layout.n.x } else { 1 };
        for (at, x) in known.flat_map(|at| (0..columns).map(move |x| (at, x))) {
            let node = |z| self.node(Axes { z, x, y: 0 }, at);
            let first = self.index(node(0));
            for (z, value) in padded[first..first + layout.n.z].iter_mut().enumerate() {
                *value = field(node(z));
            }
        }
        padded
    }

    /// The place in a field here of a node of the whole grid that lies among the pieces or ghosts.
    pub fn index(&self, node: Axes<usize>) -> usize {
        let (layout, (_, piece)) = (&self.layout, self.layout.slowest());
        let (at, within) = match layout.is_volume() {
            true => (node.y, node.x * layout.column + node.z),
            false => (node.x, node.z),
        };
        layout.lead + at * piece + within - self.pieces.start * piece
    }

    /// Whether a receiver of a Plan is read here: where the middle of its window lies, whose ends are then ghosts at most.
    pub fn reads(&self, receiver: &Sampling, whole: &Plan, between: bool) -> bool {
        let volume = self.layout.is_volume();
        let middle = match receiver {
            Sampling::Node(node) if !between => (if volume { node.y } else { node.x }) as usize,
            _ => {
                let spread = receiver.spread(whole.grid.n);
                let first = if volume { spread.y.first } else { spread.x.first };
                (first + HALF_WIDTH - 1).min(self.all - 1)
            }
        };
        self.pieces.contains(&middle)
    }

    /// Of an array of the whole grid, shape `[y][x][z]`, the nodes that lie here.
    pub fn of_grid<'a, T>(&self, all: &'a mut Array3<T>) -> ArrayViewMut3<'a, T> {
        self.slice(all, self.pieces.clone())
    }

    /// The same of an array of a Plan's model.
    pub fn of_model<'a, T>(&self, whole: &Plan, all: &'a mut Array3<T>) -> ArrayViewMut3<'a, T> {
        let (here, before, n, most) = match self.layout.is_volume() {
            true => (self.plan.origin.y, whole.origin.y, self.plan.model_grid.n.y, all.dim().0),
            false => (self.plan.origin.x, whole.origin.x, self.plan.model_grid.n.x, all.dim().1),
        };
        // A part of layers alone has none.
        let first = (self.pieces.start + here).saturating_sub(before).min(most);
        self.slice(all, first..first + n)
    }

    fn slice<'a, T>(&self, all: &'a mut Array3<T>, pieces: Range<usize>) -> ArrayViewMut3<'a, T> {
        let axis = if self.layout.is_volume() { Axis(0) } else { Axis(1) };
        all.slice_axis_mut(axis, pieces.into())
    }
}
