//! Memory variables of the CPML on the CPU: only where a layer is.
//!
//! Strips hold both ends of an axis, `[halo | low | halo | high | halo]` with zeros in the halos, so
//! that a stencil along the axis reads phi without a branch.

use crate::{boundary::Profile, plan::Plan};
use rayon::prelude::*;

/// The layer coefficients of a node as f32.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub decay: f32,
    pub gain: f32,
    pub gain_slope: f32,
}

/// Where a strip's nodes lie along their axis.
#[derive(Clone, Debug)]
pub struct Strip {
    pub halo: usize,
    pub low: usize,
    pub high: usize,
    /// Nodes along the axis.
    pub n: usize,
    /// Coefficients at each node of the low end, then of the high end.
    pub nodes: Vec<Node>,
}

impl Strip {
    fn new(profile: &Profile, halo: usize) -> Self {
        let n = profile.nodes.len();
        let [low, high] = profile.memory;
        let ends = profile.nodes[..low].iter().chain(&profile.nodes[n - high..]);
        let nodes = ends.map(|node| Node {
            decay: node.decay as f32,
            gain: node.gain as f32,
            gain_slope: node.gain_slope as f32,
        });
        Strip { halo, low, high, n, nodes: nodes.collect() }
    }

    /// Layer nodes at both ends.
    pub fn len(&self) -> usize {
        self.low + self.high
    }

    /// Nodes and halos.
    pub fn padded(&self) -> usize {
        if self.len() == 0 { 0 } else { self.len() + 3 * self.halo }
    }

    /// The two ends: (place of the first node among the layer's nodes, in the padded strip, along the
    /// axis, number of nodes).
    pub fn ends(&self) -> [(usize, usize, usize, usize); 2] {
        let high_place = self.halo + self.low + self.halo;
        [(0, self.halo, 0, self.low), (self.low, high_place, self.n - self.high, self.high)]
    }
}

/// Layers at the low and high end of x: whole columns.
pub struct LayersX {
    strip: Strip,
    nz: usize,
    phi: Vec<f32>,
    phi_next: Vec<f32>,
    zeta: Vec<f32>,
}

/// One column of the layers along x.
pub struct ColumnX<'a> {
    /// Column of the computational grid.
    pub ix: usize,
    /// Place of the column's first node in `phi`.
    pub at: usize,
    pub node: Node,
    pub phi: &'a [f32],
    pub phi_next: &'a mut [f32],
    pub zeta: &'a mut [f32],
}

impl LayersX {
    pub fn new(plan: &Plan) -> Self {
        let strip = Strip::new(&plan.profile.x, plan.radius());
        let nz = plan.grid.n.z;
        let phi = vec![0.0; strip.padded() * nz];
        LayersX { phi_next: phi.clone(), zeta: vec![0.0; strip.len() * nz], phi, strip, nz }
    }

    pub fn is_empty(&self) -> bool {
        self.strip.len() == 0
    }

    /// Columns at the low and the high end.
    pub fn widths(&self) -> (usize, usize) {
        (self.strip.low, self.strip.high)
    }

    /// Every column, low end first.
    pub fn columns_mut(&mut self) -> impl IndexedParallelIterator<Item = ColumnX<'_>> {
        let (strip, nz, phi) = (&self.strip, self.nz, &self.phi);
        let [low, high] = strip.ends();
        let (first, second) = self.phi_next.split_at_mut(high.1 * nz);
        let next_low = first[low.1 * nz..][..low.3 * nz].par_chunks_mut(nz);
        let next_high = second[..high.3 * nz].par_chunks_mut(nz);
        let zeta = self.zeta.par_chunks_mut(nz);
        next_low.chain(next_high).zip(zeta).enumerate().map(move |(i, (phi_next, zeta))| {
            let (first, place, axis, _) = if i < strip.low { low } else { high };
            let (ix, at) = (axis + i - first, (place + i - first) * nz);
            ColumnX { ix, at, node: strip.nodes[i], phi, phi_next, zeta }
        })
    }

    /// Makes the new phi the old one.
    pub fn swap(&mut self) {
        std::mem::swap(&mut self.phi, &mut self.phi_next);
    }
}

/// Layers at the low and high end of z: the ends of every column.
pub struct LayersZ {
    strip: Strip,
    nx: usize,
    phi: Vec<f32>,
    zeta: Vec<f32>,
}

/// The z layers of a band of columns.
pub struct BandZ<'a> {
    pub strip: &'a Strip,
    pub phi: &'a mut [f32],
    pub zeta: &'a mut [f32],
}

impl LayersZ {
    pub fn new(plan: &Plan) -> Self {
        let strip = Strip::new(&plan.profile.z, plan.radius());
        let nx = plan.grid.n.x;
        let (phi, zeta) = (vec![0.0; strip.padded() * nx], vec![0.0; strip.len() * nx]);
        LayersZ { strip, nx, phi, zeta }
    }

    /// The layers of each band of `columns` columns.
    pub fn bands_mut(&mut self, columns: usize) -> impl IndexedParallelIterator<Item = BandZ<'_>> {
        let strip = &self.strip;
        let bands = self.nx.div_ceil(columns);
        let (padded, len) = (columns * strip.padded(), columns * strip.len());
        split(&mut self.phi, padded, bands)
            .into_par_iter()
            .zip(split(&mut self.zeta, len, bands))
            .map(move |(phi, zeta)| BandZ { strip, phi, zeta })
    }
}

/// `count` pieces of `size` values, the last ones shorter or empty.
fn split(mut values: &mut [f32], size: usize, count: usize) -> Vec<&mut [f32]> {
    (0..count)
        .map(|_| {
            let size = size.min(values.len());
            let (piece, rest) = std::mem::take(&mut values).split_at_mut(size);
            values = rest;
            piece
        })
        .collect()
}
