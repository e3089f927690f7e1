//! Memory variables of the CPML on the CPU: only where a layer is.
//!
//! A strip holds both ends of an axis, `[halo | low | halo | high | halo]` with zeros in the halos, so
//! that a stencil along the axis reads phi without a branch. Along x a node of the strip is a column of
//! the grid; along z every column has a strip of its own. phi is kept at two steps, because a stencil
//! reads neighbours that the same step moves on.

use crate::{boundary::Profile, engine::Layout, plan::Plan};
use std::ops::Range;

/// Where a strip's nodes lie along their axis, and their coefficients.
pub struct Strip {
    halo: usize,
    low: usize,
    high: usize,
    /// Nodes along the axis.
    n: usize,
    /// b, a and da/dx at the low end's nodes, then at the high end's.
    pub decay: Vec<f32>,
    pub gain: Vec<f32>,
    pub gain_slope: Vec<f32>,
}

/// One end of a strip.
#[derive(Clone, Copy)]
pub struct End {
    /// Index of its first node among the strip's nodes.
    pub node: usize,
    /// Place of its first node in a padded strip.
    pub place: usize,
    /// Its first node along the axis.
    pub axis: usize,
    /// Its length, nodes.
    pub len: usize,
}

impl Strip {
    /// A strip whose ends are a multiple of `block` nodes long; what that adds lies inside the model,
    /// or in the zeros after a column, and has coefficients of zero.
    fn new(profile: &Profile, halo: usize, block: usize) -> Self {
        let n = profile.nodes.len();
        let [low, high] = profile.memory.map(|width| width.next_multiple_of(block));
        let (low, high) = if low + high > n { (n.next_multiple_of(block), 0) } else { (low, high) };
        let axis = (0..low).chain(n - high.min(n)..n);
        let nodes = axis.map(|i| profile.nodes.get(i).filter(|_| profile.has_memory(i)));
        let value = |of: fn(&crate::boundary::Coefficients) -> f64| {
            nodes.clone().map(|node| node.map_or(0.0, |node| of(node) as f32)).collect()
        };
        Strip {
            halo,
            low,
            high,
            n,
            decay: value(|node| node.decay),
            gain: value(|node| node.gain),
            gain_slope: value(|node| node.gain_slope),
        }
    }

    /// A strip without nodes.
    fn none(n: usize) -> Self {
        let none = Vec::new;
        Strip { halo: 0, low: 0, high: 0, n, decay: none(), gain: none(), gain_slope: none() }
    }

    fn of(profile: &Profile, halo: usize, block: usize) -> Self {
        match profile.memory {
            [0, 0] => Self::none(profile.nodes.len()),
            _ => Self::new(profile, halo, block),
        }
    }

    /// Nodes at both ends.
    pub fn len(&self) -> usize {
        self.low + self.high
    }

    /// Nodes and halos.
    pub fn padded(&self) -> usize {
        self.len() + 3 * self.halo
    }

    /// The low and the high end.
    pub fn ends(&self) -> [End; 2] {
        let (low, high) = (self.low, self.high);
        [
            End { node: 0, place: self.halo, axis: 0, len: low },
            End {
                node: low,
                place: 2 * self.halo + low,
                axis: self.n - high.min(self.n),
                len: high,
            },
        ]
    }

    /// The nodes of the strip that lie in a range along the axis.
    fn within(&self, range: &Range<usize>) -> Range<usize> {
        let [low, high] = self.ends();
        let before =
            |i: usize| i.min(low.len) + i.clamp(high.axis, high.axis + high.len) - high.axis;
        before(range.start)..before(range.end)
    }

    /// Place of a node in a padded strip, and where it lies along the axis.
    fn place(&self, node: usize) -> (usize, usize) {
        let [low, high] = self.ends();
        let end = if node < low.len { low } else { high };
        (end.place + node - end.node, end.axis + node - end.node)
    }
}

/// phi and zeta of a strip, `width` values a node.
pub struct Memory {
    pub strip: Strip,
    width: usize,
    phi: Vec<f32>,
    phi_next: Vec<f32>,
    zeta: Vec<f32>,
}

/// A layer node along x: a column.
pub struct ColumnX<'a> {
    /// Column of the computational grid.
    pub ix: usize,
    /// b, a and da/dx.
    pub coefficients: [f32; 3],
    /// Place of the column's first value in `phi`.
    pub at: usize,
    pub phi: &'a [f32],
    pub phi_next: &'a mut [f32],
    pub zeta: &'a mut [f32],
}

/// The x layers' columns within a band.
pub struct BandX<'a> {
    strip: &'a Strip,
    width: usize,
    nodes: Range<usize>,
    phi: &'a [f32],
    phi_next: &'a mut [f32],
    zeta: &'a mut [f32],
}

/// The z layers of a band of columns.
pub struct BandZ<'a> {
    pub strip: &'a Strip,
    /// Of the band's first column.
    pub phi: &'a [f32],
    pub phi_next: &'a mut [f32],
    pub zeta: &'a mut [f32],
}

impl Memory {
    /// The layers along x: a strip whose nodes are columns of the layout.
    pub fn along_x(plan: &Plan, layout: &Layout) -> Self {
        let strip = Strip::of(&plan.profile.x, layout.radius, 1);
        Self::new(strip, layout.stride, 1)
    }

    /// The layers along z: a strip for each column, its ends whole blocks of vectors.
    pub fn along_z(plan: &Plan, layout: &Layout, block: usize) -> Self {
        let strip = Strip::of(&plan.profile.z, layout.radius, block);
        Self::new(strip, 1, layout.nx)
    }

    fn new(strip: Strip, width: usize, strips: usize) -> Self {
        let phi = vec![0.0; strip.padded() * width * strips];
        let zeta = vec![0.0; strip.len() * width * strips];
        Memory { strip, width, phi_next: phi.clone(), phi, zeta }
    }

    /// Makes the new phi the old one.
    pub fn swap(&mut self) {
        std::mem::swap(&mut self.phi, &mut self.phi_next);
    }

    /// The part of each band of columns, for a memory along x.
    pub fn bands_x(&mut self, bands: &[Range<usize>]) -> Vec<BandX<'_>> {
        let Memory { strip, width, phi, phi_next, zeta } = self;
        let (strip, width, phi) = (&*strip, *width, phi.as_slice());
        let nodes: Vec<_> = bands.iter().map(|band| strip.within(band)).collect();
        let places = nodes.iter().map(|nodes| {
            let first = strip.place(nodes.start).0;
            let last = nodes.clone().last().map_or(first, |node| strip.place(node).0 + 1);
            first * width..last * width
        });
        let zetas = nodes.iter().map(|nodes| nodes.start * width..nodes.end * width);
        let parts = split(phi_next, places).into_iter().zip(split(zeta, zetas));
        let parts = parts.zip(nodes.clone());
        parts
            .map(|((phi_next, zeta), nodes)| BandX { strip, width, nodes, phi, phi_next, zeta })
            .collect()
    }

    /// The part of each band of columns, for a memory along z.
    pub fn bands_z(&mut self, bands: &[Range<usize>]) -> Vec<BandZ<'_>> {
        let Memory { strip, phi, phi_next, zeta, .. } = self;
        let (strip, phi) = (&*strip, phi.as_slice());
        let (padded, len) = (strip.padded(), strip.len());
        let phi_next = split(phi_next, bands.iter().map(|b| b.start * padded..b.end * padded));
        let zeta = split(zeta, bands.iter().map(|b| b.start * len..b.end * len));
        let parts = bands.iter().zip(phi_next.into_iter().zip(zeta));
        parts
            .map(|(band, (phi_next, zeta))| {
                let phi = &phi[band.start * padded..band.end * padded];
                BandZ { strip, phi, phi_next, zeta }
            })
            .collect()
    }
}

impl BandX<'_> {
    /// Every column of the layers in this band.
    pub fn columns(&mut self) -> impl Iterator<Item = ColumnX<'_>> {
        let (strip, width, phi) = (self.strip, self.width, self.phi);
        let first = strip.place(self.nodes.start).0;
        let mut phi_next = self.phi_next.chunks_exact_mut(width).enumerate();
        let zeta = self.zeta.chunks_exact_mut(width);
        self.nodes.clone().zip(zeta).filter_map(move |(node, zeta)| {
            let (place, ix) = strip.place(node);
            // Between the two ends lies a halo.
            let (_, phi_next) = phi_next.find(|(i, _)| first + i == place)?;
            let coefficients = [strip.decay[node], strip.gain[node], strip.gain_slope[node]];
            Some(ColumnX { ix, coefficients, at: place * width, phi, phi_next, zeta })
        })
    }
}

/// Ascending, disjoint parts of `values`.
fn split<T>(mut values: &mut [T], parts: impl Iterator<Item = Range<usize>>) -> Vec<&mut [T]> {
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
