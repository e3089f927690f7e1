//! Cuts a field into regions, one dispatch each, and those into tiles, one workgroup each.
//!
//! A region is a box, or both ends of an axis: the nodes that need the same arithmetic. In the
//! simple case one region is the whole grid. If a kernel is to run without the layers' code, the
//! layers along y, x and z are one region each, and the remaining nodes are the fourth.

use super::{layers, part::Part};
use crate::{Layout, grid::Axes};

/// The nodes of a region along an axis: `len` of them from `first` on, of which those from `cut` on
/// lie `skip` further. Along z they are counted in quads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) first: usize,
    pub(crate) len: usize,
    pub(crate) cut: usize,
    pub(crate) skip: usize,
}

impl Span {
    fn from_to(first: usize, end: usize) -> Self {
        Span { first, len: end - first, cut: end - first, skip: 0 }
    }

    /// The first `low` and the last `high` of `n`.
    fn ends(low: usize, high: usize, n: usize) -> Self {
        Span { first: 0, len: low + high, cut: low, skip: n - low - high }
    }

    /// True if it is exactly the two ends.
    pub(crate) fn is_ends(&self, [low, high]: [usize; 2]) -> bool {
        self.first == 0 && self.cut == low && self.len == low + high && low + high > 0
    }

    /// The index of a node in the span, if the span has it.
    fn number(&self, at: usize) -> Option<usize> {
        let before = at.checked_sub(self.first)?;
        match before {
            _ if before < self.cut => Some(before),
            _ if before >= self.cut + self.skip && before - self.skip < self.len => {
                Some(before - self.skip)
            }
            _ => None,
        }
    }
}

/// Invocations per workgroup along each axis, and the planes that each steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) workgroup: Axes<usize>,
    pub(crate) slices: usize,
}

impl Shape {
    pub(crate) const fn new(z: usize, x: usize, y: usize, slices: usize) -> Self {
        Shape { workgroup: Axes { z, x, y }, slices }
    }

    /// Invocations per workgroup.
    pub(crate) fn invocations(&self) -> usize {
        self.workgroup.z * self.workgroup.x * self.workgroup.y
    }
}

/// The nodes of one dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) span: Axes<Span>,
    /// Axes along which it reaches into the layers.
    pub(crate) layers: Axes<bool>,
    pub(crate) shape: Shape,
    /// Tiles along each axis.
    pub(crate) tiles: Axes<usize>,
    /// Tiles along x that are stepped through all planes before the next block of tiles.
    pub(crate) block: usize,
    /// Index of its first tile among those of a shot.
    pub(crate) first_tile: usize,
}

/// The most last-level cache, in bytes, for the tiles of a block between one plane and the later
/// ones that read it along y. On an H200 with 50 MB, 47 MB of the marching kernel run at the speed
/// of small planes; with 86 MB they lose a fortieth, with 150 MB a seventh.
const CACHED: usize = 64 << 20;

impl Region {
    fn new(layout: &Layout, span: Axes<Span>, layers: Axes<bool>, shape: Shape) -> Self {
        let Axes { z, x, y } = shape.workgroup;
        let planes = y * shape.slices;
        let all = span.x.len.div_ceil(x);
        // The planes of p that the stencil reaches, and those of (v dt)^2, p_prev and p_next.
        let tile = size_of::<f32>() * x * layout.column * (2 * layout.radius + 4 * planes);
        let blocks = if layout.is_volume() { (all * tile).div_ceil(CACHED) } else { 1 };
        let block = all.div_ceil(blocks.clamp(1, all.max(1))).max(1);
        let tiles = Axes {
            z: span.z.len.div_ceil(z),
            x: all.next_multiple_of(block),
            y: span.y.len.div_ceil(planes),
        };
        Region { span, layers, shape, tiles, block, first_tile: 0 }
    }

    /// Number of its tiles.
    pub(crate) fn count(&self) -> usize {
        self.tiles.z * self.tiles.x * self.tiles.y
    }

    /// The tile that a node lies in, if it lies in this region.
    fn tile(&self, node: Axes<usize>) -> Option<usize> {
        let Axes { z, x, y } = self.shape.workgroup;
        let along_z = self.span.z.number(node.z / 4)? / z;
        let along_x = self.span.x.number(node.x)? / x;
        let along_y = self.span.y.number(node.y)? / (y * self.shape.slices);
        Some(self.first_tile + (along_y * self.tiles.x + along_x) * self.tiles.z + along_z)
    }

    /// True if any part of it is a layer.
    pub(crate) fn has_layers(&self) -> bool {
        self.layers.z || self.layers.x || self.layers.y
    }

    /// Workgroups along x, after the tiles, that record this many receivers.
    pub(crate) fn recording(&self, receivers: usize) -> usize {
        receivers.div_ceil(self.tiles.z * self.tiles.y * self.shape.invocations())
    }
}

/// The best shape for the layers on an H200; others with as many invocations are within 1 %.
pub(crate) const LAYERS: Shape = Shape::new(16, 4, 2, 1);

/// Quads in 256 bytes. Tiles that begin elsewhere lose up to a third of the speed.
const LINE: usize = 16;

/// The most regions of a field: the nodes without layers, and the layers of each axis.
pub(crate) const MOST_REGIONS: usize = 4;

/// The regions of a field, which cover it without overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Regions(Vec<Region>);

impl Regions {
    /// The whole grid as one region.
    pub(crate) fn whole(part: &Part, shape: Shape) -> Self {
        let n = part.layout.n;
        let span = Axes {
            z: Span::from_to(0, n.z.div_ceil(4)),
            x: Span::from_to(0, n.x),
            y: Span::from_to(0, n.y),
        };
        Regions::numbered(vec![Region::new(&part.layout, span, part.layers, shape)])
    }

    /// Separates the nodes without layers from each axis' layers; those along z only if `z_apart`.
    /// Layers along z are widened to whole lines of memory. One region if the layers leave nothing.
    pub(crate) fn apart(part: &Part, inner: Shape, z_apart: bool) -> Self {
        let n = Axes { z: part.layout.n.z.div_ceil(4), ..part.layout.n };
        let mut reach = layers::reach(&part.plan);
        if z_apart {
            let [low, high] = reach.z;
            reach.z = [low.next_multiple_of(LINE), n.z - (n.z - high) / LINE * LINE];
        }
        let leaves = |[low, high]: [usize; 2], n: usize| low + high < n;
        let z_leaves = !z_apart || leaves(reach.z, n.z);
        if !(z_leaves && leaves(reach.x, n.x) && leaves(reach.y, n.y)) {
            return Regions::whole(part, LAYERS);
        }
        let between = |[low, high]: [usize; 2], n: usize| Span::from_to(low, n - high);
        let ends = |[low, high]: [usize; 2], n: usize| Span::ends(low, high, n);
        let all = Span::from_to(0, n.z);
        let inner_z = if z_apart { between(reach.z, n.z) } else { all };
        let inside = Axes { z: inner_z, x: between(reach.x, n.x), y: between(reach.y, n.y) };
        let along_y = Axes { z: all, x: Span::from_to(0, n.x), y: ends(reach.y, n.y) };
        let along_x = Axes { z: all, x: ends(reach.x, n.x), y: inside.y };
        let along_z = Axes { z: ends(reach.z, n.z), ..inside };
        let Axes { z, x, y } = part.layers;
        let mut regions = vec![
            Region::new(&part.layout, inside, Axes { z: z && !z_apart, x: false, y: false }, inner),
            Region::new(&part.layout, along_y, Axes { z, x, y }, LAYERS),
            Region::new(&part.layout, along_x, Axes { z, x, y: false }, LAYERS),
        ];
        if z_apart {
            let layers = Axes { z, x: false, y: false };
            regions.push(Region::new(&part.layout, along_z, layers, LAYERS));
        }
        regions.retain(|region| region.count() > 0);
        Regions::numbered(regions)
    }

    fn numbered(mut regions: Vec<Region>) -> Self {
        let mut first_tile = 0;
        for region in &mut regions {
            region.first_tile = first_tile;
            first_tile += region.count();
        }
        Regions(regions)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Region> {
        self.0.iter()
    }

    /// The region that records.
    pub(crate) fn first(&self) -> &Region {
        &self.0[0]
    }

    /// Tiles of a shot.
    pub(crate) fn tiles(&self) -> usize {
        self.0.iter().map(Region::count).sum()
    }

    /// The tile that a node lies in.
    pub(crate) fn tile(&self, node: Axes<usize>) -> Option<usize> {
        self.0.iter().find_map(|region| region.tile(node))
    }

    /// The most workgroups along an axis of a dispatch for one shot with this many receivers.
    pub(crate) fn most_groups(&self, receivers: usize) -> usize {
        let along = |(index, region): (usize, &Region)| {
            let recording = if index == 0 { region.recording(receivers) } else { 0 };
            region.tiles.z.max(region.tiles.x + recording).max(region.tiles.y)
        };
        self.0.iter().enumerate().map(along).max().unwrap_or(0)
    }

    /// The most planes of tiles of any region, which are multiplied by the shots of a batch.
    pub(crate) fn most_planes(&self) -> usize {
        self.0.iter().map(|region| region.tiles.y).max().unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_of_two_ends_numbers_its_nodes() {
        let span = Span::ends(3, 2, 10);
        let numbers: Vec<_> = (0..11).map(|at| span.number(at)).collect();
        let expected = [Some(0), Some(1), Some(2), None, None, None, None, None, Some(3), Some(4)];
        assert_eq!(numbers[..10], expected);
        assert_eq!(numbers[10], None);
        let span = Span::from_to(4, 6);
        assert_eq!([3, 4, 5, 6].map(|at| span.number(at)), [None, Some(0), Some(1), None]);
    }
}
