//! How the f32 engines lay a wavefield out in memory.
//!
//! Columns along z, one after another along x; in 3-D planes of columns, one after another along y. Every
//! column's first node lies on a boundary of 256 bytes (on the CPU of 64, a line of its caches) and is followed by at least `radius` zeros, which serve
//! as the halo below it and above the next column; so do `radius` columns of zeros after those of a plane,
//! and `radius` planes (in 2-D: columns) of zeros on either side of all. So a stencil reads without a
//! branch.

use crate::{grid::Axes, plan::Plan};
use ndarray::{Array3, ArrayView3, ArrayViewMut3, ShapeBuilder};
use rayon::prelude::*;
use std::ops::Range;

/// 256 bytes of f32.
const ALIGN: usize = 64;
/// 64 bytes of f32. Wider, the zeros between columns cost the CPU a tenth of its speed in 3-D: they are fetched with what
/// lies beside them.
const LINE: usize = 16;
/// Values that a core copies at once.
const AT_ONCE: usize = 1 << 20;
/// The most columns that an invocation works on; fewer must divide it.
pub const GROUP: usize = 16;

/// Copies nodes, shape `[y][x][z]`: a core alone, node by node, takes longer than a device does for many steps.
pub(super) fn copy(from: ArrayView3<'_, f32>, mut to: ArrayViewMut3<'_, f32>) {
    if let (Some(to), Some(from)) = (to.as_slice_mut(), from.as_slice()) {
        let parts = to.par_chunks_mut(AT_ONCE).zip(from.par_chunks(AT_ONCE));
        return parts.for_each(|(to, from)| to.copy_from_slice(from));
    }
    let planes: Vec<_> = to.outer_iter_mut().zip(from.outer_iter()).collect();
    planes.into_par_iter().for_each(|(mut to, from)| {
        for (mut to, from) in to.outer_iter_mut().zip(from.outer_iter()) {
            match (to.as_slice_mut(), from.as_slice()) {
                (Some(to), Some(from)) => to.copy_from_slice(from),
                _ => to.assign(&from),
            }
        }
    });
}

/// A padded wavefield.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Nodes along each axis.
    pub n: Axes<usize>,
    /// Values from one column to the next.
    pub column: usize,
    /// Values from one plane to the next; in 2-D what a single plane takes.
    pub plane: usize,
    /// Values before the first node.
    pub lead: usize,
    /// Width of the halo, cells.
    pub radius: usize,
}

impl Layout {
    /// The layout of a Plan's wavefield.
    pub fn new(plan: &Plan) -> Self {
        Layout::of(plan.grid.n, plan.radius())
    }

    /// The same for the CPU, which steps a column by whole blocks of values.
    pub fn of_lines(plan: &Plan, block: usize) -> Self {
        let (n, radius) = (plan.grid.n, plan.radius());
        // The blocks of a neighbour along a diagonal begin and end as much further on.
        let tilted = if plan.fourth.is_some() { LINE } else { 0 };
        let column =
            (n.z + radius).next_multiple_of(LINE).max(n.z.next_multiple_of(block) + tilted);
        Layout::with_columns(n, radius, column, LINE)
    }

    /// The same with so many ghosts at either end of the slowest axis. What lies within a piece stays where it is.
    #[must_use]
    pub fn with_ghosts(self, ghosts: usize) -> Self {
        let more = ghosts.saturating_sub(self.radius);
        let ends = more * self.slowest().1;
        let plane = self.plane + if self.is_volume() { 0 } else { ends };
        Layout { lead: self.lead + ends, plane, radius: self.radius + more, ..self }
    }

    /// The layout of so many nodes, for stencils of a radius.
    pub fn of(n: Axes<usize>, radius: usize) -> Self {
        Layout::with_columns(n, radius, (n.z + radius).next_multiple_of(ALIGN), ALIGN)
    }

    fn with_columns(n: Axes<usize>, radius: usize, column: usize, align: usize) -> Self {
        // In 2-D columns count in whole groups of 16, so that a kernel that works on several at once may
        // read those that are not there.
        let columns = if n.y > 1 { n.x } else { n.x.next_multiple_of(GROUP) };
        let plane = (columns + radius) * column;
        // The halo above the first column needs `radius` values before the columns of zeros end.
        let before = radius.next_multiple_of(align) + radius * column;
        let lead = if n.y > 1 { before + radius * plane } else { before };
        Layout { n, column, plane, lead, radius }
    }

    /// Whether it is 3-D.
    pub fn is_volume(&self) -> bool {
        self.n.y > 1
    }

    /// Values in one wavefield, halos included.
    pub fn len(&self) -> usize {
        let after = if self.is_volume() { self.radius * self.plane } else { 0 };
        self.lead + self.n.y * self.plane + after
    }

    /// Whether there is no node; never, by construction.
    pub fn is_empty(&self) -> bool {
        self.n.x * self.n.y * self.n.z == 0
    }

    /// Place of a node.
    pub fn index(&self, node: Axes<usize>) -> usize {
        self.lead + node.y * self.plane + node.x * self.column + node.z
    }

    /// Places of the nodes of a column.
    pub fn column_at(&self, x: usize, y: usize) -> Range<usize> {
        let first = self.index(Axes { z: 0, x, y });
        first..first + self.n.z
    }

    /// From one piece of the slowest axis to the next: a plane, or in 2-D a column.
    pub fn slowest(&self) -> (usize, usize) {
        if self.is_volume() { (self.n.y, self.plane) } else { (self.n.x, self.column) }
    }

    /// The node so many pieces of the slowest axis further on.
    pub fn ahead(&self, node: Axes<usize>, pieces: usize) -> Axes<usize> {
        match self.is_volume() {
            true => Axes { y: node.y + pieces, ..node },
            false => Axes { x: node.x + pieces, ..node },
        }
    }

    /// The places of all pieces of the slowest axis, with the zeros that belong to them.
    pub fn pieces(&self) -> Range<usize> {
        let (count, size) = self.slowest();
        self.lead..self.lead + count * size
    }

    /// Columns of a piece of the slowest axis.
    pub fn columns(&self) -> usize {
        if self.is_volume() { self.n.x } else { 1 }
    }

    /// The place of the first node of a piece of the slowest axis.
    pub fn of_piece(&self, piece: usize) -> usize {
        self.lead + piece * self.slowest().1
    }

    /// The places of some pieces of the slowest axis; before the first and after the last the zeros too.
    pub fn of_pieces(&self, pieces: &Range<usize>) -> Range<usize> {
        let last = pieces.end == self.slowest().0;
        let start = if pieces.start == 0 { 0 } else { self.of_piece(pieces.start) };
        start..if last { self.len() } else { self.of_piece(pieces.end) }
    }

    /// A wavefield or model with zeros around it.
    pub fn padded<T: Copy + Default + Send>(
        &self,
        values: impl Fn(Axes<usize>) -> T + Sync,
    ) -> Vec<T> {
        self.part(0..self.len(), values)
    }

    /// Its places in consecutive parts of about so many, which begin where columns do.
    pub fn parts(&self, values: usize) -> impl Iterator<Item = Range<usize>> {
        let (all, size) = (self.len(), values.next_multiple_of(self.column));
        let first = move |i: usize| if i == 0 { 0 } else { self.lead + i * size };
        let parts = (0..).map(move |i| first(i)..first(i + 1).min(all));
        parts.take_while(|part| !part.is_empty())
    }

    /// One of the parts of such a wavefield or model.
    pub fn part<T: Copy + Default + Send>(
        &self,
        places: Range<usize>,
        values: impl Fn(Axes<usize>) -> T + Sync,
    ) -> Vec<T> {
        let before = self.lead.saturating_sub(places.start);
        let mut part = vec![T::default(); places.len()];
        let columns = part[before.min(places.len())..].par_chunks_mut(self.column);
        columns.enumerate().for_each(|(i, column)| {
            let at = places.start + before - self.lead + i * self.column;
            let (x, y) = (at % self.plane / self.column, at / self.plane);
            // After the columns of a plane lie columns of zeros, after the planes planes.
            if x < self.n.x && y < self.n.y {
                for (z, value) in column[..self.n.z].iter_mut().enumerate() {
                    *value = values(Axes { z, x, y });
                }
            }
        });
        part
    }

    /// The nodes of a padded wavefield one after another, `[y][x][z]`.
    pub fn flat(&self, padded: &[f32]) -> Vec<f32> {
        let columns = (0..self.n.y).flat_map(|y| (0..self.n.x).map(move |x| (y, x)));
        columns.flat_map(|(y, x)| &padded[self.column_at(x, y)]).copied().collect()
    }

    /// Puts them back; zeros for none.
    pub fn put(&self, flat: Option<&[f32]>, padded: &mut [f32]) {
        let columns = (0..self.n.y).flat_map(|y| (0..self.n.x).map(move |x| (y, x)));
        for (i, (y, x)) in columns.enumerate() {
            let to = &mut padded[self.column_at(x, y)];
            match flat {
                Some(flat) => to.copy_from_slice(&flat[i * self.n.z..][..self.n.z]),
                None => to.fill(0.0),
            }
        }
    }

    /// The nodes of a box of a padded wavefield, shape `[y][x][z]`: its first node, and how many.
    pub fn window(&self, padded: &[f32], first: Axes<usize>, n: Axes<usize>) -> Array3<f32> {
        let mut nodes = Array3::zeros((n.y, n.x, n.z));
        self.copy_window(padded, first, nodes.view_mut());
        nodes
    }

    /// The same where they lie.
    pub fn window_view<'a>(
        &self,
        padded: &'a [f32],
        first: Axes<usize>,
        n: Axes<usize>,
    ) -> ArrayView3<'a, f32> {
        let shape = (n.y, n.x, n.z).strides((self.plane, self.column, 1));
        let from = padded.get(self.index(first)..).unwrap_or(&[]);
        ArrayView3::from_shape(shape, from).expect("a box within the field")
    }

    /// The same into an array of their shape.
    pub fn copy_window(&self, padded: &[f32], first: Axes<usize>, to: ArrayViewMut3<'_, f32>) {
        let (y, x, z) = to.dim();
        copy(self.window_view(padded, first, Axes { z, x, y }), to);
    }

    /// All nodes of a padded wavefield, shape `[y][x][z]`.
    pub fn nodes(&self, padded: &[f32]) -> Array3<f32> {
        self.window(padded, Axes::default(), self.n)
    }
}
