//! How the f32 engines lay a wavefield out in memory.
//!
//! Columns along z, one after another along x. Every column's first node lies on a 128-byte boundary
//! and is followed by at least `radius` zeros, which serve as the halo below it and above the next
//! column; `radius` columns of zeros stand on either side. So a stencil reads without a branch.

use crate::plan::Plan;
use ndarray::Array2;
use std::ops::Range;

/// 128 bytes of f32.
const ALIGN: usize = 32;

/// The most columns that an invocation works on; fewer must divide it. `Layout::len` says it too.
pub const GROUP: usize = 16;

/// A padded wavefield.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Nodes along x.
    pub nx: usize,
    /// Nodes along z.
    pub nz: usize,
    /// Values from one column to the next.
    pub stride: usize,
    /// Values before the first node.
    pub lead: usize,
    /// Width of the halo, cells.
    pub radius: usize,
}

impl Layout {
    /// The layout of a Plan's wavefield.
    pub fn new(plan: &Plan) -> Self {
        Layout::of(plan.grid.n.z, plan.grid.n.x, plan.radius())
    }

    /// The layout of so many nodes along z and x, for stencils of a radius.
    pub fn of(nz: usize, nx: usize, radius: usize) -> Self {
        let stride = (nz + radius).next_multiple_of(ALIGN);
        // The halo above the first column needs `radius` values before the columns of zeros end.
        let lead = radius.next_multiple_of(ALIGN) + radius * stride;
        Layout { nx, nz, stride, lead, radius }
    }

    /// The layout of an array without zeros around the model.
    pub fn compact(plan: &Plan) -> Self {
        let (nx, nz) = (plan.grid.n.x, plan.grid.n.z);
        Layout { nx, nz, stride: nz, lead: 0, radius: plan.radius() }
    }

    /// Values in one wavefield, halos included. Columns count in whole groups of 16, so that a
    /// kernel that works on several at once may read those that are not there.
    pub fn len(&self) -> usize {
        self.lead + (self.nx.next_multiple_of(GROUP) + self.radius) * self.stride
    }

    /// Whether there is no node; never, by construction.
    pub fn is_empty(&self) -> bool {
        self.nx == 0 || self.nz == 0
    }

    /// Place of a node.
    pub fn index(&self, ix: usize, iz: usize) -> usize {
        self.lead + ix * self.stride + iz
    }

    /// Places of a column's nodes.
    pub fn column(&self, ix: usize) -> Range<usize> {
        self.index(ix, 0)..self.index(ix, self.nz)
    }

    /// The places of all columns, their tails included.
    pub fn columns(&self) -> Range<usize> {
        self.lead..self.index(self.nx, 0)
    }

    /// A wavefield or model of shape `[x][z]` with zeros around it.
    pub fn padded(&self, values: impl Fn(usize, usize) -> f32) -> Vec<f32> {
        let mut padded = vec![0.0; self.len()];
        for ix in 0..self.nx {
            for (iz, value) in padded[self.column(ix)].iter_mut().enumerate() {
                *value = values(ix, iz);
            }
        }
        padded
    }

    /// The nodes of a rectangle of a padded wavefield, shape `[x][z]`.
    pub fn window(&self, padded: &[f32], x: Range<usize>, z: Range<usize>) -> Array2<f32> {
        Array2::from_shape_fn((x.len(), z.len()), |(ix, iz)| {
            padded[self.index(x.start + ix, z.start + iz)]
        })
    }
}

/// The rectangle of the computational grid that is the model: along x and along z.
pub(crate) fn model_window(plan: &Plan) -> (Range<usize>, Range<usize>) {
    let (origin, n) = (plan.origin, plan.model_grid.n);
    (origin.x..origin.x + n.x, origin.z..origin.z + n.z)
}
