//! Memory variables of the CPML on the CPU: only where a layer is.
//!
//! A strip holds both ends of an axis, `[halo | low | halo | high | halo]` with zeros in the halos, so
//! that a stencil along the axis reads phi without a branch. Along the slowest axis a node of the strip is
//! a piece of the field: a column in 2-D, a plane in 3-D. Along z every column has a strip of its own; in
//! 3-D every plane has one along x, whose nodes are columns. phi is kept at two steps, because a stencil
//! reads neighbours that the same step moves on.

use super::aligned::Aligned;
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

    /// Place of a node in a padded strip.
    fn place(&self, node: usize) -> usize {
        let [low, high] = self.ends();
        let end = if node < low.len { low } else { high };
        end.place + node - end.node
    }

    /// b, a and da/dx of a node.
    fn coefficients(&self, node: usize) -> [f32; 3] {
        [self.decay[node], self.gain[node], self.gain_slope[node]]
    }

    /// The strip's node that lies so far along the axis, if one does.
    fn node_at(&self, at: usize) -> Option<usize> {
        self.within(&(at..at + 1)).next()
    }
}

/// phi and zeta of strips, `width` values a node.
pub struct Memory {
    strip: Strip,
    width: usize,
    /// Strips within a piece of the slowest axis; 0 where the strip runs along that axis.
    within: usize,
    phi: Aligned,
    phi_next: Aligned,
    zeta: Aligned,
}

/// A column of a strip whose nodes are columns or planes.
pub struct Wide<'a> {
    /// b, a and da/dx.
    pub coefficients: [f32; 3],
    /// Place of its first value in `phi`.
    pub place: usize,
    pub phi: &'a [f32],
    pub phi_next: &'a mut [f32],
    pub zeta: &'a mut [f32],
}

/// The nodes of the slowest axis' strip that lie in a band.
pub struct BandAlong<'a> {
    strip: &'a Strip,
    width: usize,
    nodes: Range<usize>,
    phi: &'a [f32],
    phi_next: &'a mut [f32],
    zeta: &'a mut [f32],
}

/// The strips within the pieces of a band, one after another.
pub struct BandWithin<'a> {
    pub strip: &'a Strip,
    width: usize,
    /// Of the band's first piece on.
    pub phi: &'a [f32],
    pub phi_next: &'a mut [f32],
    pub zeta: &'a mut [f32],
}

impl Memory {
    /// The layers along the slowest axis: a strip whose nodes are its pieces.
    pub fn slowest(plan: &Plan, layout: &Layout) -> Self {
        let profile = if layout.is_volume() { &plan.profile.y } else { &plan.profile.x };
        let (_, piece) = layout.slowest();
        Self::new(Strip::of(profile, layout.radius, 1), piece, 1, 0)
    }

    /// In 3-D the layers along x: a strip for each plane, whose nodes are columns.
    pub fn middle(plan: &Plan, layout: &Layout) -> Self {
        let strip = match layout.is_volume() {
            true => Strip::of(&plan.profile.x, layout.radius, 1),
            false => Strip::none(layout.n.x),
        };
        Self::new(strip, layout.column, layout.n.y, 1)
    }

    /// The layers along z: a strip for each column, its ends whole blocks of vectors.
    pub fn along_z(plan: &Plan, layout: &Layout, block: usize) -> Self {
        let strip = Strip::of(&plan.profile.z, layout.radius, block);
        let within = if layout.is_volume() { layout.n.x } else { 1 };
        Self::new(strip, 1, layout.n.x * layout.n.y, within)
    }

    fn new(strip: Strip, width: usize, strips: usize, within: usize) -> Self {
        let phi = || Aligned::zeros(strip.padded() * width * strips);
        let zeta = Aligned::zeros(strip.len() * width * strips);
        Memory { phi: phi(), phi_next: phi(), zeta, strip, width, within }
    }

    /// Makes the new phi the old one.
    pub fn swap(&mut self) {
        std::mem::swap(&mut self.phi, &mut self.phi_next);
    }

    /// The part of each band of pieces, for the memory along the slowest axis.
    pub fn bands_along(&mut self, bands: &[Range<usize>]) -> Vec<BandAlong<'_>> {
        let Memory { strip, width, phi, phi_next, zeta, .. } = self;
        let (strip, width, phi) = (&*strip, *width, &**phi);
        let nodes: Vec<_> = bands.iter().map(|band| strip.within(band)).collect();
        let places = nodes.iter().map(|nodes| {
            let first = strip.place(nodes.start);
            let last = nodes.clone().last().map_or(first, |node| strip.place(node) + 1);
            first * width..last * width
        });
        let zetas = nodes.iter().map(|nodes| nodes.start * width..nodes.end * width);
        let parts = split(phi_next, places).into_iter().zip(split(zeta, zetas));
        let parts = parts.zip(nodes.clone());
        parts
            .map(|((phi_next, zeta), nodes)| BandAlong { strip, width, nodes, phi, phi_next, zeta })
            .collect()
    }

    /// The part of each band of pieces, for a memory whose strips lie within them.
    pub fn bands_within(&mut self, bands: &[Range<usize>]) -> Vec<BandWithin<'_>> {
        let Memory { strip, width, within, phi, phi_next, zeta } = self;
        let (strip, width, phi) = (&*strip, *width, &**phi);
        let (padded, len) = (strip.padded() * width * *within, strip.len() * width * *within);
        let phi_next = split(phi_next, bands.iter().map(|b| b.start * padded..b.end * padded));
        let zeta = split(zeta, bands.iter().map(|b| b.start * len..b.end * len));
        let parts = bands.iter().zip(phi_next.into_iter().zip(zeta));
        parts
            .map(|(band, (phi_next, zeta))| {
                let phi = &phi[band.start * padded..band.end * padded];
                BandWithin { strip, width, phi, phi_next, zeta }
            })
            .collect()
    }
}

impl BandAlong<'_> {
    /// The column that starts at `offset` in the piece at `at`, if the piece lies in a layer.
    pub fn column(&mut self, at: usize, offset: usize, len: usize) -> Option<Wide<'_>> {
        let node = self.strip.node_at(at)?;
        let first = self.strip.place(self.nodes.start);
        let place = self.strip.place(node) * self.width + offset;
        let zeta = (node - self.nodes.start) * self.width + offset;
        Some(Wide {
            coefficients: self.strip.coefficients(node),
            place,
            phi: self.phi,
            phi_next: &mut self.phi_next[place - first * self.width..][..len],
            zeta: &mut self.zeta[zeta..][..len],
        })
    }
}

impl BandWithin<'_> {
    /// The column at `at` in the `i`th piece of this band, if it lies in a layer.
    pub fn column(&mut self, i: usize, at: usize, len: usize) -> Option<Wide<'_>> {
        let node = self.strip.node_at(at)?;
        let place = (i * self.strip.padded() + self.strip.place(node)) * self.width;
        let zeta = (i * self.strip.len() + node) * self.width;
        Some(Wide {
            coefficients: self.strip.coefficients(node),
            place,
            phi: self.phi,
            phi_next: &mut self.phi_next[place..][..len],
            zeta: &mut self.zeta[zeta..][..len],
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
