//! A wavefield in parts along its slowest axis.
//!
//! A part is a separate simulation of some pieces: planes, in 2-D columns. In place of the whole
//! field's halo of zeros it has ghosts: the pieces of its neighbours that a stencil, or a receiver
//! between nodes, reaches.

use super::layers;
use crate::{
    EngineError, Layout,
    grid::Axes,
    plan::{Plan, Sampling},
    share::{Share, Side, piece_of},
};
use ndarray::{Array3, ArrayViewMut3, Axis};
use std::{iter, ops::Range, sync::Arc};

/// Some pieces of a Plan's grid.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Their range.
    pub(crate) pieces: Range<usize>,
    /// The simulation of these pieces alone.
    pub(crate) plan: Arc<Plan>,
    pub(crate) layout: Layout,
    /// Axes along which the whole has layers: all parts run the same code, to be rounded alike.
    pub(crate) layers: Axes<bool>,
    /// Pieces of all parts.
    all: usize,
}

/// The most parts that a share can be cut into.
pub(crate) fn most(share: &Share) -> usize {
    let ends = if share.ghost_steps > 1 { share.sides().count() * share.apart() } else { 0 };
    ((share.pieces.len() - ends) / share.least()).max(1)
}

/// Returns an error for more parts than that.
pub(crate) fn check(share: &Share, parts: usize) -> Result<(), EngineError> {
    let most = most(share);
    match (1..=most).contains(&parts) {
        true => Ok(()),
        false => Err(EngineError::Slabs {
            slabs: parts,
            most,
            pieces: share.pieces.len(),
            what: share.plan.pieces_name(),
        }),
    }
}

/// Returns an error if a cut of an adjoint through a CPML goes through a layer or the stencil's
/// reach of its nodes: parts exchange nothing but p there.
pub(crate) fn check_adjoint(layers: &Plan, parts: &[Part]) -> Result<(), EngineError> {
    if !(layers.adjoint && layers.has_cpml()) {
        return Ok(());
    }
    let slowest = &layers.profile;
    let [low, high] = if layers.grid.is_volume() { &slowest.y } else { &slowest.x }.memory;
    let (all, radius) = (layers.pieces(), layers.radius());
    let cuts_it = |part: &Part| {
        let at = part.pieces.start;
        low > 0 && at < low + radius || high > 0 && at + radius > all - high
    };
    match parts.iter().any(|part| part.pieces.start > 0 && cuts_it(part)) {
        false => Ok(()),
        true => {
            let (least, what) = (low.max(high) + radius, layers.pieces_name());
            Err(EngineError::AdjointSlabs { slabs: parts.len(), least, what })
        }
    }
}

impl Part {
    /// Cuts a share into `count` parts of about the same size. The pieces that a neighbour waits
    /// for form a thin part of their own, if there is room, so that they can be stepped first.
    pub(crate) fn all(share: &Share, count: usize) -> Result<Vec<Part>, EngineError> {
        check(share, count)?;
        let Range { start, end } = share.pieces;
        let apart = share.apart();
        let mut ends = [Side::Low, Side::High].map(|side| share.sides().any(|there| there == side));
        let all_apart = apart * ends.iter().filter(|end| **end).count();
        if share.pieces.len() < share.least() * count + all_apart {
            ends = [false; 2];
        }
        let [low, high] = ends.map(|end| if end { apart } else { 0 });
        let (first, pieces) = (start + low, end - high - start - low);
        let between =
            (0..count).map(|i| first + pieces * i / count..first + pieces * (i + 1) / count);
        let all = iter::once(start..first).chain(between).chain(iter::once(end - high..end));
        Ok(all.filter(|part| !part.is_empty()).map(|part| Part::of(share, part)).collect())
    }

    /// Some pieces of a share.
    pub(crate) fn of(share: &Share, pieces: Range<usize>) -> Part {
        let (plan, all) = (&share.plan, share.plan.pieces());
        let Axes { z, x, y } = layers::reach(plan);
        let [z, x, y] = [z, x, y].map(|[low, high]| low + high > 0);
        let (cut, layout) = match pieces.len() < all {
            false => (plan.clone(), Layout::new(plan)),
            true => {
                let part = plan.subdomain(pieces.clone());
                let layout = Layout::of(part.grid.n, share.ghosts);
                (Arc::new(part), layout)
            }
        };
        Part { pieces, plan: cut, layout, layers: Axes { z, x, y }, all }
    }

    /// True if there are other parts.
    pub(crate) fn is_split(&self) -> bool {
        self.pieces.len() < self.all
    }

    /// A field of `own`, which contains these pieces, cut to this part and its known ghosts.
    pub(crate) fn padded(&self, own: &Part, field: impl Fn(Axes<usize>) -> f32) -> Vec<f32> {
        let (layout, ghosts) = (&self.layout, self.layout.radius);
        let mut padded = vec![0.0; layout.len()];
        let Range { start, end } = own.pieces;
        let known = self.pieces.start.saturating_sub(ghosts).max(start)
            ..(self.pieces.end + ghosts).min(end);
        let columns = if layout.is_volume() { layout.n.x } else { 1 };
        for (at, x) in known.flat_map(|at| (0..columns).map(move |x| (at, x))) {
            let node = |at: usize, z| match layout.is_volume() {
                true => Axes { z, x, y: at },
                false => Axes { z, x: at, y: 0 },
            };
            let first = self.index(node(at, 0));
            for (z, value) in padded[first..first + layout.n.z].iter_mut().enumerate() {
                *value = field(node(at - start, z));
            }
        }
        padded
    }

    /// The offset here of a node of the whole grid among the pieces or ghosts.
    pub(crate) fn index(&self, node: Axes<usize>) -> usize {
        let (layout, (_, piece)) = (&self.layout, self.layout.slowest());
        let (at, within) = match layout.is_volume() {
            true => (node.y, node.x * layout.column + node.z),
            false => (node.x, node.z),
        };
        layout.lead + at * piece + within - self.pieces.start * piece
    }

    /// True if a receiver of a Plan is read here.
    pub(crate) fn reads(&self, receiver: &Sampling, whole: &Plan) -> bool {
        self.pieces.contains(&piece_of(receiver, whole))
    }

    /// The nodes of this part in an array of `own`'s pieces, shape `[y][x][z]`.
    pub(crate) fn of_grid<'a, T>(
        &self,
        own: &Part,
        all: &'a mut Array3<T>,
    ) -> ArrayViewMut3<'a, T> {
        let first = self.pieces.start - own.pieces.start;
        self.slice(all, first..first + self.pieces.len())
    }

    /// [`Self::of_grid`], for an array of the model's nodes.
    pub(crate) fn of_model<'a, T>(
        &self,
        own: &Part,
        all: &'a mut Array3<T>,
    ) -> ArrayViewMut3<'a, T> {
        self.slice(all, self.in_model(own))
    }

    /// The range of this part among the model's pieces in `own`, which contains these.
    pub(crate) fn in_model(&self, own: &Part) -> Range<usize> {
        let along = |of: Axes<usize>| if self.layout.is_volume() { of.y } else { of.x };
        let first = |part: &Part| part.pieces.start + along(part.plan.origin);
        // A part that lies in the layers has none.
        let most = along(own.plan.model_grid.n);
        let first = first(self).saturating_sub(first(own)).min(most);
        first..first + along(self.plan.model_grid.n)
    }

    fn slice<'a, T>(&self, all: &'a mut Array3<T>, pieces: Range<usize>) -> ArrayViewMut3<'a, T> {
        let axis = if self.layout.is_volume() { Axis(0) } else { Axis(1) };
        all.slice_axis_mut(axis, pieces.into())
    }
}
