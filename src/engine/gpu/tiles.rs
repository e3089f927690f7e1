//! How a field is cut into tiles, a workgroup each.

use crate::{engine::Layout, grid::Axes, plan::Plan};

/// Invocations of a workgroup, each of four nodes along z.
pub const WORKGROUP: Axes<usize> = Axes { z: 16, x: 16, y: 1 };
/// Nodes that a workgroup steps, along z and x.
pub const TILE: Axes<usize> = Axes { z: 4 * WORKGROUP.z, x: WORKGROUP.x, y: 1 };

/// The tiles of a field and the receivers of a shot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiles {
    /// Tiles along z.
    pub z: usize,
    /// Tiles along x.
    pub x: usize,
    /// Planes of tiles; 1 in 2-D.
    pub planes: usize,
    /// Receivers of the shot that has most.
    pub receivers: usize,
}

impl Tiles {
    pub fn new(plan: &Plan, layout: &Layout) -> Self {
        Tiles {
            z: layout.n.z.div_ceil(TILE.z),
            x: layout.n.x.div_ceil(TILE.x),
            planes: layout.n.y,
            receivers: plan.most_receivers(),
        }
    }

    /// Tiles of a shot.
    pub fn count(&self) -> usize {
        self.z * self.x * self.planes
    }

    /// Workgroups along x that record, beyond the tiles.
    pub fn recording(&self) -> usize {
        self.receivers.div_ceil(self.z * self.planes * WORKGROUP.z * WORKGROUP.x)
    }

    /// Workgroups that record where nothing is stepped.
    pub fn recording_only(&self) -> usize {
        self.receivers.div_ceil(WORKGROUP.z * WORKGROUP.x)
    }
}
