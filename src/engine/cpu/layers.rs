//! Memory variables of the CPML on the CPU, stored only inside the layers.
//!
//! A strip holds both ends of an axis, `[low | high]`. Along the slowest axis a node of the strip
//! is a piece of the field: a column in 2-D, a plane in 3-D. Along z every column has a strip; in
//! 3-D every plane has one along x, whose nodes are columns.

use super::aligned::Aligned;
use crate::{
    Layout,
    boundary::{Coefficients, Profile},
    plan::Plan,
};
use std::ops::Range;

/// The positions of a strip's nodes along their axis, and their coefficients.
pub struct Strip {
    low: usize,
    high: usize,
    /// Nodes along the axis.
    n: usize,
    /// Of the low end's nodes, then of the high end's.
    pub coefficients: Gains<Vec<f32>>,
}

/// One end of a strip.
#[derive(Clone, Copy)]
pub struct End {
    /// Index of its first node in the strip.
    pub node: usize,
    /// Index of its first node along the axis.
    pub axis: usize,
    /// Its length, nodes.
    pub len: usize,
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
    pub fn len(&self) -> usize {
        self.low + self.high
    }

    /// The low and the high end.
    pub fn ends(&self) -> [End; 2] {
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
        self.coefficients.each_ref().map(|values| values[node])
    }

    /// The strip's node at an index of the axis, if it has one there.
    fn node_at(&self, at: usize) -> Option<usize> {
        self.within(&(at..at + 1)).next()
    }
}

/// -e, f and -g, in this order.
pub type Gains<T> = [T; 3];

/// chi and zeta, in this order.
pub type Variables<T> = [T; 2];

/// The memory variables of strips, `width` values per node.
pub struct Memory {
    strip: Strip,
    width: usize,
    /// Strips within a piece of the slowest axis; 0 if the strip runs along that axis.
    within: usize,
    variables: Variables<Aligned>,
}

/// A column of a strip whose nodes are columns or planes.
pub struct Wide<'a> {
    pub coefficients: Gains<f32>,
    pub variables: Variables<&'a mut [f32]>,
}

/// The nodes of the slowest axis' strip that lie in a band.
pub struct BandAlong<'a> {
    strip: &'a Strip,
    width: usize,
    nodes: Range<usize>,
    variables: Variables<&'a mut [f32]>,
}

/// The memory variables of a band's layers: along the slowest axis, along x in 3-D, and along z.
pub struct BandLayers<'a> {
    pub slowest: BandAlong<'a>,
    pub middle: BandWithin<'a>,
    pub along_z: BandWithin<'a>,
}

/// The strips within the pieces of a band, one after another.
pub struct BandWithin<'a> {
    pub strip: &'a Strip,
    width: usize,
    /// From the band's first piece on.
    pub variables: Variables<&'a mut [f32]>,
}

impl Memory {
    /// The layers along the slowest axis: a strip whose nodes are its pieces.
    pub fn slowest(plan: &Plan, layout: &Layout) -> Self {
        let profile = if layout.is_volume() { &plan.profile.y } else { &plan.profile.x };
        let (_, piece) = layout.slowest();
        Self::new(Strip::of(profile, 1), piece, 1, 0)
    }

    /// In 3-D the layers along x: a strip for each plane, whose nodes are columns.
    pub fn middle(plan: &Plan, layout: &Layout) -> Self {
        let strip = match layout.is_volume() {
            true => Strip::of(&plan.profile.x, 1),
            false => Strip::none(layout.n.x),
        };
        Self::new(strip, layout.column, layout.n.y, 1)
    }

    /// The layers along z: a strip for each column, with ends of whole blocks of vectors.
    pub fn along_z(plan: &Plan, layout: &Layout, block: usize) -> Self {
        let strip = Strip::of(&plan.profile.z, block);
        let within = if layout.is_volume() { layout.n.x } else { 1 };
        Self::new(strip, 1, layout.n.x * layout.n.y, within)
    }

    fn new(strip: Strip, width: usize, strips: usize, within: usize) -> Self {
        let values = strip.len() * width * strips;
        let variables = std::array::from_fn(|_| Aligned::zeros(values));
        Memory { variables, strip, width, within }
    }

    /// All variables of all strips.
    pub fn values(&self) -> impl Iterator<Item = &[f32]> {
        self.variables.iter().map(|values| &**values)
    }

    /// [`Self::values`], for writing.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        self.variables.iter_mut().map(|values| &mut **values)
    }

    /// The variables of some pieces of the slowest axis.
    pub fn of_pieces(
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

    /// Splits the memory along the slowest axis into bands of pieces.
    pub fn bands_along(&mut self, bands: &[Range<usize>]) -> Vec<BandAlong<'_>> {
        let Memory { strip, width, variables, .. } = self;
        let (strip, width) = (&*strip, *width);
        let nodes: Vec<_> = bands.iter().map(|band| strip.within(band)).collect();
        let parts = nodes.iter().map(|nodes| nodes.start * width..nodes.end * width);
        let parts = split_each(variables, parts);
        let bands = parts.into_iter().zip(nodes.clone());
        bands.map(|(variables, nodes)| BandAlong { strip, width, nodes, variables }).collect()
    }

    /// Splits a memory whose strips lie within pieces into bands of pieces.
    pub fn bands_within(&mut self, bands: &[Range<usize>]) -> Vec<BandWithin<'_>> {
        let Memory { strip, width, within, variables } = self;
        let (strip, width) = (&*strip, *width);
        let piece = strip.len() * width * *within;
        let parts = bands.iter().map(|band| band.start * piece..band.end * piece);
        let parts = split_each(variables, parts).into_iter();
        parts.map(|variables| BandWithin { strip, width, variables }).collect()
    }
}

impl BandAlong<'_> {
    /// The column that starts at `offset` in the piece at `at`, if the piece lies in a layer.
    pub fn column(&mut self, at: usize, offset: usize, len: usize) -> Option<Wide<'_>> {
        let node = self.strip.node_at(at)?;
        let first = (node - self.nodes.start) * self.width + offset;
        Some(Wide {
            coefficients: self.strip.of_node(node),
            variables: self.variables.each_mut().map(|values| &mut values[first..][..len]),
        })
    }
}

impl BandWithin<'_> {
    /// The column at `at` in the `i`th piece, if it lies in a layer.
    pub fn column(&mut self, i: usize, at: usize, len: usize) -> Option<Wide<'_>> {
        let node = self.strip.node_at(at)?;
        let first = (i * self.strip.len() + node) * self.width;
        Some(Wide {
            coefficients: self.strip.of_node(node),
            variables: self.variables.each_mut().map(|values| &mut values[first..][..len]),
        })
    }
}

/// [`split`] of each variable.
fn split_each(
    variables: &mut Variables<Aligned>,
    parts: impl Iterator<Item = Range<usize>> + Clone,
) -> Vec<Variables<&mut [f32]>> {
    let [chi, zeta] = variables.each_mut().map(|values| split(values, parts.clone()));
    chi.into_iter().zip(zeta).map(|(chi, zeta)| [chi, zeta]).collect()
}

/// Ascending, disjoint parts of `values`.
pub fn split<T>(mut values: &mut [T], parts: impl Iterator<Item = Range<usize>>) -> Vec<&mut [T]> {
    let mut taken = 0;
    parts
        .map(|part| {
            let rest = std::mem::take(&mut values).split_at_mut(part.start - taken).1;
            let (piece, rest) = rest.split_at_mut(part.len());
            (values, taken) = (rest, part.end);
            piece
        })
        .collect()
}
