//! Memory variables of the CPML on the CPU, stored only inside the layers.
//!
//! A strip holds both ends of an axis, `[low | high]`. Along the slowest axis a node of the strip
//! is a piece of the field: a column in 2-D, a plane in 3-D. Along z every column has a strip; in
//! 3-D every plane has one along x, whose nodes are columns.

use super::{
    aligned::Aligned,
    pool::Pool,
    shared::{Shared, Writer},
};
use crate::{
    Layout,
    boundary::{Coefficients, Profile},
    plan::Plan,
};
use std::ops::Range;

/// The positions of a strip's nodes along their axis, and their coefficients.
pub(crate) struct Strip {
    low: usize,
    high: usize,
    /// Nodes along the axis.
    n: usize,
    /// Of the low end's nodes, then of the high end's.
    pub(crate) coefficients: Gains<Vec<f32>>,
}

/// One end of a strip.
#[derive(Clone, Copy)]
pub(crate) struct End {
    /// Index of its first node in the strip.
    pub(crate) node: usize,
    /// Index of its first node along the axis.
    pub(crate) axis: usize,
    /// Its length, nodes.
    pub(crate) len: usize,
}

impl Strip {
    /// A strip whose ends are multiples of `block` nodes long. The added nodes lie inside the
    /// model, in the other end's layer or in the zeros after a column; their coefficients are zero.
    fn new(profile: &Profile, block: usize) -> Self {
        let n = profile.nodes.len();
        let [low, high] = profile.memory.map(|width| width.next_multiple_of(block));
        let first = n.saturating_sub(high);
        let of_low = (0..low).map(|i| (i < profile.memory[0]).then_some(i));
        let of_high = (first..first + high).map(|i| (i + profile.memory[1] >= n).then_some(i));
        let nodes = of_low.chain(of_high).map(|i| i.and_then(|i| profile.nodes.get(i)));
        let value = |of: fn(&Coefficients) -> f64| {
            nodes.clone().map(|node| node.map_or(0.0, |node| of(node) as f32)).collect()
        };
        let coefficients =
            [value(|node| -node.loss), value(|node| node.share), value(|node| -node.slope)];
        Strip { low, high, n, coefficients }
    }

    fn none(n: usize) -> Self {
        Strip { low: 0, high: 0, n, coefficients: Default::default() }
    }

    fn of(profile: &Profile, block: usize) -> Self {
        match profile.memory {
            [0, 0] => Self::none(profile.nodes.len()),
            _ => Self::new(profile, block),
        }
    }

    /// Nodes at both ends.
    pub(crate) fn len(&self) -> usize {
        self.low + self.high
    }

    /// The low and the high end.
    pub(crate) fn ends(&self) -> [End; 2] {
        let (low, high) = (self.low, self.high);
        [
            End { node: 0, axis: 0, len: low },
            End { node: low, axis: self.n.saturating_sub(high), len: high },
        ]
    }

    /// The nodes of the strip that lie in a range along the axis.
    fn within(&self, range: &Range<usize>) -> Range<usize> {
        let [low, high] = self.ends();
        let before =
            |i: usize| i.min(low.len) + i.clamp(high.axis, high.axis + high.len) - high.axis;
        before(range.start)..before(range.end)
    }

    fn of_node(&self, node: usize) -> Gains<f32> {
        let [loss, share, slope] = &self.coefficients;
        [loss[node], share[node], slope[node]]
    }

    /// The strip's node at an index of the axis, if it has one there.
    pub(crate) fn node_at(&self, at: usize) -> Option<usize> {
        self.within(&(at..at + 1)).next()
    }
}

/// -e, f and -g, in this order.
pub(crate) type Gains<T> = [T; 3];

/// chi and zeta, in this order.
pub(crate) type Variables<T> = [T; 2];

/// The memory variables of strips, `width` values per node.
pub(crate) struct Memory {
    strip: Strip,
    width: usize,
    /// Strips within a piece of the slowest axis; 0 if the strip runs along that axis.
    within: usize,
    variables: Variables<Aligned>,
}

/// A column of a strip whose nodes are columns or planes.
pub(crate) struct Wide<'a> {
    pub(crate) coefficients: Gains<f32>,
    pub(crate) variables: Variables<&'a mut [f32]>,
}

/// A [`Memory`] that several threads advance, each at its own nodes.
#[derive(Clone, Copy)]
pub(crate) struct SharedMemory<'a> {
    strip: &'a Strip,
    width: usize,
    variables: Variables<Shared<'a>>,
}

/// A [`Memory`] as one task advances it.
pub(crate) struct Layer<'a> {
    pub(crate) strip: &'a Strip,
    width: usize,
    variables: Variables<Writer<'a>>,
}

/// The layers along the slowest axis, along x in 3-D, and along z.
pub(crate) struct Layers<'a> {
    pub(crate) slowest: Layer<'a>,
    pub(crate) middle: Layer<'a>,
    pub(crate) along_z: Layer<'a>,
}

impl Memory {
    /// The layers along the slowest axis: one strip, whose nodes are its pieces.
    pub(crate) fn slowest(plan: &Plan, layout: &Layout, pool: &Pool) -> Self {
        let profile = if layout.is_volume() { &plan.profile.y } else { &plan.profile.x };
        let (_, piece) = layout.slowest();
        Self::new(Strip::of(profile, 1), piece, 1, 0, pool)
    }

    /// In 3-D the layers along x: a strip for each plane, whose nodes are columns.
    pub(crate) fn middle(plan: &Plan, layout: &Layout, pool: &Pool) -> Self {
        let strip = match layout.is_volume() {
            true => Strip::of(&plan.profile.x, 1),
            false => Strip::none(layout.n.x),
        };
        Self::new(strip, layout.column, layout.n.y, 1, pool)
    }

    /// The layers along z: a strip for each column, with ends of whole blocks of vectors.
    pub(crate) fn along_z(plan: &Plan, layout: &Layout, block: usize, pool: &Pool) -> Self {
        let strip = Strip::of(&plan.profile.z, block);
        let within = if layout.is_volume() { layout.n.x } else { 1 };
        Self::new(strip, 1, layout.n.x * layout.n.y, within, pool)
    }

    /// All zero: `width` values per node, `strips` strips, `within` of them in a piece.
    fn new(strip: Strip, width: usize, strips: usize, within: usize, pool: &Pool) -> Self {
        let values = strip.len() * width * strips;
        let variables = std::array::from_fn(|_| Aligned::zeros(values, pool));
        Memory { variables, strip, width, within }
    }

    /// All variables of all strips.
    pub(crate) fn values(&self) -> impl Iterator<Item = &[f32]> {
        self.variables.iter().map(|values| &**values)
    }

    /// [`Self::values`], for writing.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        self.variables.iter_mut().map(|values| &mut **values)
    }

    /// The variables of some pieces of the slowest axis.
    pub(crate) fn of_pieces(
        &mut self,
        pieces: &Range<usize>,
    ) -> impl Iterator<Item = &mut [f32]> + use<'_> {
        let nodes = match self.within {
            0 => self.strip.within(pieces),
            strips => {
                pieces.start * strips * self.strip.len()..pieces.end * strips * self.strip.len()
            }
        };
        let places = nodes.start * self.width..nodes.end * self.width;
        self.variables.iter_mut().map(move |values| &mut values[places.clone()])
    }

    /// Shares it among threads.
    pub(crate) fn shared(&mut self) -> SharedMemory<'_> {
        let Memory { strip, width, variables, .. } = self;
        let variables = variables.each_mut().map(|values| Shared::new(values));
        SharedMemory { strip, width: *width, variables }
    }
}

impl<'a> SharedMemory<'a> {
    /// # Safety
    ///
    /// As [`Shared::writer`].
    #[allow(unsafe_code, reason = "as Shared::writer")]
    pub(crate) unsafe fn writer(self) -> Layer<'a> {
        let SharedMemory { strip, width, variables } = self;
        // SAFETY: as the caller promises.
        let variables = variables.map(|values| unsafe { values.writer() });
        Layer { strip, width, variables }
    }
}

impl Layer<'_> {
    /// The column that starts at `offset` in the node at `at` of a strip, if it lies in a layer.
    #[inline(always)]
    pub(crate) fn column(
        &mut self,
        strip: usize,
        at: usize,
        offset: usize,
        len: usize,
    ) -> Option<Wide<'_>> {
        let node = self.strip.node_at(at)?;
        let coefficients = self.strip.of_node(node);
        Some(Wide { coefficients, variables: self.nodes(strip, node, offset, len) })
    }

    /// Values from `offset` on in a node of a strip.
    #[inline(always)]
    pub(crate) fn nodes(
        &mut self,
        strip: usize,
        node: usize,
        offset: usize,
        len: usize,
    ) -> Variables<&mut [f32]> {
        let first = (strip * self.strip.len() + node) * self.width + offset;
        let [chi, zeta] = &mut self.variables;
        [chi.part(first, len), zeta.part(first, len)]
    }
}
