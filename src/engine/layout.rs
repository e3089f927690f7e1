//! The memory layout of a wavefield in the f32 engines.
//!
//! Columns lie one after another along x; in 3-D planes of columns one after another along y. Every
//! column's first node is aligned to 256 bytes (on the CPU to a 64-byte cache line). The column is
//! followed by at least `radius` zeros, which are the halo below it and above the next column.
//! Likewise, `radius` columns of zeros follow those of a plane, and `radius` planes (in 2-D:
//! columns) of zeros lie on either side of all. So a stencil reads without a branch.

use crate::{grid::Axes, plan::Plan};
use ndarray::{Array3, ArrayView3, ArrayViewMut3, ShapeBuilder};
use rayon::prelude::*;
use std::ops::Range;

/// 256 bytes in f32 values.
const ALIGN: usize = 64;
/// 64 bytes in f32 values. With wider alignment, the zeros between columns cost the CPU a tenth of
/// its speed in 3-D, because they are fetched with the values beside them.
const LINE: usize = 16;
/// Values per copying task.
const AT_ONCE: usize = 1 << 20;
/// The most columns that an invocation works on; smaller numbers must divide it.
pub(crate) const GROUP: usize = 16;

/// Copies nodes, shape `[y][x][z]`, with all cores: one core, node by node, takes longer than a
/// device takes for many steps.
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
    pub(crate) n: Axes<usize>,
    /// Values from one column to the next.
    pub column: usize,
    /// Values from one plane to the next; in 2-D the length of the single plane.
    pub(crate) plane: usize,
    /// Values before the first node.
    pub(crate) lead: usize,
    /// Width of the halo, cells.
    pub(crate) radius: usize,
}

impl Layout {
    /// The layout of a Plan's wavefield.
    pub fn new(plan: &Plan) -> Self {
        Layout::of(plan.grid.n, plan.radius())
    }

    /// [`Layout::new`] for the CPU, which steps a column by whole blocks of values.
    pub(crate) fn of_lines(plan: &Plan, block: usize) -> Self {
        let (n, radius) = (plan.grid.n, plan.radius());
        // A diagonal neighbour's blocks begin and end as much further on.
        let tilted = if plan.fourth.is_some() { LINE } else { 0 };
        let column =
            (n.z + radius).next_multiple_of(LINE).max(n.z.next_multiple_of(block) + tilted);
        Layout::with_columns(n, radius, column, LINE)
    }

    /// The same with `ghosts` ghosts at both ends of the slowest axis; pieces keep their layout.
    #[must_use]
    pub(crate) fn with_ghosts(self, ghosts: usize) -> Self {
        let more = ghosts.saturating_sub(self.radius);
        let ends = more * self.slowest().1;
        let plane = self.plane + if self.is_volume() { 0 } else { ends };
        Layout { lead: self.lead + ends, plane, radius: self.radius + more, ..self }
    }

    /// The layout of a grid, for stencils of a radius.
    pub fn of(n: Axes<usize>, radius: usize) -> Self {
        Layout::with_columns(n, radius, (n.z + radius).next_multiple_of(ALIGN), ALIGN)
    }

    fn with_columns(n: Axes<usize>, radius: usize, column: usize, align: usize) -> Self {
        // In 2-D columns count in whole groups of 16, so that a kernel that works on several at
        // once may read padding columns.
        let columns = if n.y > 1 { n.x } else { n.x.next_multiple_of(GROUP) };
        let plane = (columns + radius) * column;
        // The halo above the first column needs `radius` values before the columns of zeros end.
        let before = radius.next_multiple_of(align) + radius * column;
        let lead = if n.y > 1 { before + radius * plane } else { before };
        Layout { n, column, plane, lead, radius }
    }

    /// True in 3-D.
    pub(crate) fn is_volume(&self) -> bool {
        self.n.y > 1
    }

    /// Values in one wavefield, halos included.
    pub fn len(&self) -> usize {
        let after = if self.is_volume() { self.radius * self.plane } else { 0 };
        self.lead + self.n.y * self.plane + after
    }

    /// False: a layout has nodes by construction.
    pub fn is_empty(&self) -> bool {
        self.n.x * self.n.y * self.n.z == 0
    }

    /// Offset of a node.
    pub(crate) fn index(&self, node: Axes<usize>) -> usize {
        self.lead + node.y * self.plane + node.x * self.column + node.z
    }

    /// Offsets of the nodes of a column.
    pub(crate) fn column_at(&self, x: usize, y: usize) -> Range<usize> {
        let first = self.index(Axes { z: 0, x, y });
        first..first + self.n.z
    }

    /// Pieces of the slowest axis, and values from one to the next: a plane, or in 2-D a column.
    pub(crate) fn slowest(&self) -> (usize, usize) {
        if self.is_volume() { (self.n.y, self.plane) } else { (self.n.x, self.column) }
    }

    /// The node `pieces` pieces of the slowest axis further on.
    pub(crate) fn ahead(&self, node: Axes<usize>, pieces: usize) -> Axes<usize> {
        match self.is_volume() {
            true => Axes { y: node.y + pieces, ..node },
            false => Axes { x: node.x + pieces, ..node },
        }
    }

    /// The offsets of all pieces of the slowest axis, with their zeros.
    pub(crate) fn pieces(&self) -> Range<usize> {
        let (count, size) = self.slowest();
        self.lead..self.lead + count * size
    }

    /// Columns of a piece of the slowest axis.
    pub(crate) fn columns(&self) -> usize {
        if self.is_volume() { self.n.x } else { 1 }
    }

    /// A wavefield or model with zeros around it.
    pub(crate) fn padded<T: Copy + Default + Send>(
        &self,
        values: impl Fn(Axes<usize>) -> T + Sync,
    ) -> Vec<T> {
        self.part(0..self.len(), values)
    }

    /// Splits it into consecutive parts of about `values` values, which begin where columns do.
    pub(crate) fn parts(&self, values: usize) -> impl Iterator<Item = Range<usize>> {
        let (all, size) = (self.len(), values.next_multiple_of(self.column));
        let first = move |i: usize| if i == 0 { 0 } else { self.lead + i * size };
        let parts = (0..).map(move |i| first(i)..first(i + 1).min(all));
        parts.take_while(|part| !part.is_empty())
    }

    /// A part of such a wavefield or model.
    pub(crate) fn part<T: Copy + Default + Send>(
        &self,
        places: Range<usize>,
        values: impl Fn(Axes<usize>) -> T + Sync,
    ) -> Vec<T> {
        self.part_by_columns(places, |first, column| {
            for (z, value) in column.iter_mut().enumerate() {
                *value = values(Axes { z, ..first });
            }
        })
    }

    /// [`Layout::part`] by columns: each is filled from its first node on.
    pub(crate) fn part_by_columns<T: Copy + Default + Send>(
        &self,
        places: Range<usize>,
        fill: impl Fn(Axes<usize>, &mut [T]) + Sync,
    ) -> Vec<T> {
        let before = self.lead.saturating_sub(places.start);
        let mut part = vec![T::default(); places.len()];
        let columns = part[before.min(places.len())..].par_chunks_mut(self.column);
        columns.enumerate().for_each(|(i, column)| {
            let at = places.start + before - self.lead + i * self.column;
            let (x, y) = (at % self.plane / self.column, at / self.plane);
            // Columns of zeros follow the columns of a plane, and planes of zeros the planes.
            if x < self.n.x && y < self.n.y {
                fill(Axes { z: 0, x, y }, &mut column[..self.n.z]);
            }
        });
        part
    }

    /// The nodes of a padded wavefield without the padding, `[y][x][z]`.
    pub(crate) fn flat(&self, padded: &[f32]) -> Vec<f32> {
        let columns = (0..self.n.y).flat_map(|y| (0..self.n.x).map(move |x| (y, x)));
        columns.flat_map(|(y, x)| &padded[self.column_at(x, y)]).copied().collect()
    }

    /// Writes the nodes back; zeros for `None`.
    pub(crate) fn put(&self, flat: Option<&[f32]>, padded: &mut [f32]) {
        let columns = (0..self.n.y).flat_map(|y| (0..self.n.x).map(move |x| (y, x)));
        for (i, (y, x)) in columns.enumerate() {
            let to = &mut padded[self.column_at(x, y)];
            match flat {
                Some(flat) => to.copy_from_slice(&flat[i * self.n.z..][..self.n.z]),
                None => to.fill(0.0),
            }
        }
    }

    /// The nodes of a box of a padded wavefield, shape `[y][x][z]`, by its first node and size.
    pub(crate) fn window(&self, padded: &[f32], first: Axes<usize>, n: Axes<usize>) -> Array3<f32> {
        let mut nodes = Array3::zeros((n.y, n.x, n.z));
        self.copy_window(padded, first, nodes.view_mut());
        nodes
    }

    /// [`Layout::window`] as a view.
    pub(crate) fn window_view<'a>(
        &self,
        padded: &'a [f32],
        first: Axes<usize>,
        n: Axes<usize>,
    ) -> ArrayView3<'a, f32> {
        let shape = (n.y, n.x, n.z).strides((self.plane, self.column, 1));
        let from = padded.get(self.index(first)..).unwrap_or(&[]);
        ArrayView3::from_shape(shape, from).expect("a box within the field")
    }

    /// [`Layout::window`] into an array of its shape.
    pub(crate) fn copy_window(
        &self,
        padded: &[f32],
        first: Axes<usize>,
        to: ArrayViewMut3<'_, f32>,
    ) {
        let (y, x, z) = to.dim();
        copy(self.window_view(padded, first, Axes { z, x, y }), to);
    }

    /// All nodes of a padded wavefield, shape `[y][x][z]`.
    pub(crate) fn nodes(&self, padded: &[f32]) -> Array3<f32> {
        self.window(padded, Axes::default(), self.n)
    }
}
