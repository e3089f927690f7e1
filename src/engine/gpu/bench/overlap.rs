//! Overlap of tiles with several steps per pass, and its cost.
//!
//! Each step narrows the correct part of a tile by RADIUS nodes on every side: to be correct in its
//! own nodes after all of them a tile is read with a halo of steps x RADIUS nodes. Its neighbours
//! read and step the halo too (Nguyen et al. 2010, section IV).

use super::Workgroup;
use crate::grid::Axes;

/// Work of a workgroup along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AxisWork {
    /// Number of nodes at once, halos included.
    Tiled(usize),
    /// Number of nodes one after another, besides those that fill its queues at the start.
    Marched(usize),
    /// The only node of the axis.
    Single,
}

/// The tile of a kernel with several steps per pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Overlap {
    pub(crate) steps: usize,
    /// Reach of a step, nodes.
    pub(crate) radius: usize,
    pub(crate) along: Axes<AxisWork>,
}

impl Overlap {
    /// Nodes of the halo on one side along z, where tiles are of whole fours, and along the other
    /// axes, for a number of steps.
    fn halo(&self, steps: usize) -> Axes<usize> {
        let nodes = steps * self.radius;
        Axes { z: nodes.next_multiple_of(4), x: nodes, y: nodes }
    }

    /// Nodes that a workgroup writes, along each axis; 0 if halos leave none.
    pub(crate) fn own(&self) -> Axes<usize> {
        let halo = self.halo(self.steps);
        let own = |along: AxisWork, halo: usize| match along {
            AxisWork::Tiled(nodes) => nodes.saturating_sub(2 * halo),
            AxisWork::Marched(nodes) => nodes,
            AxisWork::Single => 1,
        };
        let Axes { z, x, y } = self.along;
        Axes { z: own(z, halo.z), x: own(x, halo.x), y: own(y, halo.y) }
    }

    /// Nodes read per node written, if they must be correct for a number of steps.
    fn redundancy(&self, steps: usize) -> f64 {
        let (own, halo) = (self.own(), self.halo(steps));
        let times = |along: AxisWork, own: usize, halo: usize| match along {
            AxisWork::Single | AxisWork::Marched(Workgroup::ALL) => 1.0,
            _ => (own + 2 * halo) as f64 / own as f64,
        };
        let Axes { z, x, y } = self.along;
        times(z, own.z, halo.z) * times(x, own.x, halo.x) * times(y, own.y, halo.y)
    }

    /// Bytes per node and step if every tile were read from memory: p with its halo, p_prev and the
    /// model with that of one step less, and two fields out.
    pub(crate) fn bytes(&self) -> f64 {
        let (all, less) = (self.redundancy(self.steps), self.redundancy(self.steps - 1));
        (4.0 * all + 8.0 * less + 8.0) / self.steps as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halos_are_counted_on_both_sides_and_in_fours_along_z() {
        // Two steps of order 4: halos of 4 and 2 nodes, along z of 4 and 4.
        let tile = Axes { z: AxisWork::Tiled(64), x: AxisWork::Tiled(64), y: AxisWork::Single };
        let overlap = Overlap { steps: 2, radius: 2, along: tile };
        assert_eq!(overlap.own(), Axes { z: 56, x: 56, y: 1 });
        let (p, others) = (64.0 * 64.0 / 3136.0, 64.0 * 60.0 / 3136.0);
        assert!((overlap.bytes() - (4.0 * p + 8.0 * others + 8.0) / 2.0).abs() < 1e-12);
        // A march through the whole axis fills its queues once.
        let front = Axes {
            z: AxisWork::Tiled(1 << 20),
            x: AxisWork::Marched(Workgroup::ALL),
            y: AxisWork::Single,
        };
        let overlap = Overlap { steps: 4, radius: 1, along: front };
        assert!((overlap.bytes() - 20.0 / 4.0).abs() < 1e-3);
        let none = Overlap { steps: 4, radius: 8, along: tile };
        assert_eq!(none.own().z, 0);
    }
}
