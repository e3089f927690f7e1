//! The kernels of the 3-D ladder, and their reads from memory per node.
//!
//! The read redundancies are those of Micikevicius (2009), section 3: values read per node as if
//! nothing were cached, for a stencil of order k and a tile of n x m nodes. His count of a march
//! omits that its queue must be filled; for a march over s slices instead of the whole axis, that
//! adds k / s.

use super::{
    Kernel, Workgroup,
    kernel::{Grids, LEVELS, TILE, TILE_UPDATE, UPDATE, WINDOW_4, kernel},
};

macro_rules! volume {
    ($($kernel:tt)*) => {
        Kernel { grids: Grids::Volumes, ..kernel!("ladder3d", $($kernel)*) }
    };
}

const fn group(z: usize, x: usize) -> Workgroup {
    Workgroup::new(z, x)
}

/// `(n m + k n + k m) / (n m)`: a tile with its halos.
fn tile(k: f64, group: Workgroup) -> f64 {
    1.0 + k / group.z as f64 + k / (group.x * group.columns) as f64
}

/// Reads per node that fill a queue, or go with several slices at once, besides the slices
/// themselves.
fn refill(k: f64, group: Workgroup) -> f64 {
    if group.planes == Workgroup::ALL { 0.0 } else { k / group.planes as f64 }
}

/// The neighbours of a four along z in whole quads on either side, per node.
fn quads(k: f64) -> f64 {
    2.0 * (k / 8.0).ceil()
}

/// Global memory.
pub static NAIVE: Kernel = Kernel {
    others: &[group(64, 4), group(32, 4).deep(4), group(128, 1).deep(2)],
    reads: Some(|k, _| 3.0 * k + 1.0),
    ..volume!("naive", UPDATE, Nodes, None, group(32, 8).deep(4))
};
/// Global memory by quads.
pub static NAIVE_4: Kernel = Kernel {
    others: &[group(16, 4).deep(4), group(8, 8).deep(4), group(16, 16)],
    reads: Some(|k, _| 1.0 + quads(k) + 2.0 * k),
    ..volume!("naive4", WINDOW_4, Fours, None, group(16, 8).deep(2))
};
/// The stencil within a plane through a tile.
pub static PLANE: Kernel = Kernel {
    others: &[group(32, 16), group(32, 32)],
    reads: Some(tile),
    ..volume!("plane", TILE, Nodes, Both, group(16, 16))
};
/// The stencil across the planes, added to the result within them.
pub static ACROSS: Kernel = Kernel {
    others: &[group(64, 4).over(32), group(64, 4).over(Workgroup::ALL)],
    // p once, and the partial sums.
    reads: Some(|k, group| 2.0 + refill(k, group)),
    ..volume!("across", UPDATE, Nodes, None, group(16, 16).over(32))
};
/// A front that marches along y, the current slice in a tile.
pub static FRONT: Kernel = Kernel {
    others: &[group(16, 16).over(Workgroup::ALL), group(16, 16).over(128)],
    reads: Some(|k, group| tile(k, group) + refill(k, group)),
    ..volume!("front", TILE_UPDATE, Nodes, Both, group(16, 16).over(32))
};
/// The front with several columns per invocation.
pub static FRONT_WIDE: Kernel = Kernel {
    others: &[
        group(32, 16).columns(2).over(Workgroup::ALL),
        group(32, 16).columns(2).over(128),
        group(32, 8).columns(4).over(32),
    ],
    reads: Some(|k, group| tile(k, group) + refill(k, group)),
    ..volume!("wide", UPDATE, Nodes, Both, group(32, 16).columns(2).over(32))
};
/// The front with two tiles in turns.
pub static FRONT_DOUBLE: Kernel = Kernel {
    others: &[group(32, 16).over(64), group(32, 8).over(32), group(64, 8).over(32)],
    reads: Some(|k, group| tile(k, group) + refill(k, group)),
    name: "double",
    ..volume!("front", TILE_UPDATE, Nodes, BothTwice, group(32, 16).over(32))
};
/// The front by quads, tiles for x alone.
pub static QUEUE_4: Kernel = Kernel {
    others: &[group(8, 16).over(64), group(16, 8).over(32), group(16, 16).over(32)],
    reads: Some(|k, group| 1.0 + quads(k) + k / group.x as f64 + refill(k, group)),
    ..volume!("queue4", WINDOW_4, Fours, FoursAlongXTwice, group(8, 16).over(32))
};
/// Several slices per invocation by quads, no tile.
pub static SLICES_4: Kernel = Kernel {
    others: &[
        group(16, 8).over(2),
        group(16, 16).over(4),
        group(16, 8).over(4),
        group(16, 8).over(8),
    ],
    reads: Some(|k, group| 1.0 + refill(k, group) + k + quads(k)),
    ..volume!("slices4", WINDOW_4, Fours, None, group(16, 16).over(2))
};
/// A march by quads, no tile.
pub static MARCH_4: Kernel = Kernel {
    others: &[
        group(32, 8).over(8),
        group(32, 16).over(8),
        group(32, 12).over(8),
        group(16, 16).over(6),
        group(16, 16).over(16),
    ],
    reads: Some(|k, group| 1.0 + refill(k, group) + k + quads(k)),
    ..volume!("march4", WINDOW_4, Fours, None, group(16, 16).over(8))
};

/// Tiles of several steps per pass, halos included, and planes of a march.
const TILES: &[Workgroup] = &[
    group(16, 32).over(64),
    group(24, 32).over(32),
    group(24, 32).over(64),
    group(16, 48).over(64),
    group(16, 16).over(64),
    group(32, 16).over(64),
    group(32, 24).over(64),
];

/// Two, three and four steps per pass in a front.
pub static FRONT_STEPS: [Kernel; 3] = [front_steps(2), front_steps(3), front_steps(4)];

const fn front_steps(steps: usize) -> Kernel {
    Kernel {
        steps,
        others: TILES,
        ..volume!("front_steps", LEVELS, Fronts, FoursAStep, group(16, 32).over(32))
    }
}

/// Every kernel of the 3-D ladder.
pub static VOLUME_KERNELS: [&Kernel; 13] = [
    &NAIVE,
    &NAIVE_4,
    &PLANE,
    &ACROSS,
    &FRONT,
    &FRONT_WIDE,
    &FRONT_DOUBLE,
    &QUEUE_4,
    &SLICES_4,
    &MARCH_4,
    &FRONT_STEPS[0],
    &FRONT_STEPS[1],
    &FRONT_STEPS[2],
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's numbers.
    #[test]
    fn redundancies_are_those_of_the_paper() {
        let of = |kernel: &Kernel, order, group: Workgroup| {
            kernel.redundancy(order, group.over(Workgroup::ALL)).expect("a 3-D kernel")
        };
        assert_eq!(of(&NAIVE, 8, NAIVE.workgroup), 25.0);
        assert_eq!(of(&FRONT, 8, group(16, 16)), 2.0);
        assert_eq!(of(&FRONT, 12, group(16, 16)), 2.5);
        assert_eq!(of(&FRONT_WIDE, 8, group(32, 16).columns(2)), 1.5);
        assert_eq!(of(&FRONT_WIDE, 12, group(32, 16).columns(2)), 1.75);
        let two_passes = of(&PLANE, 8, group(16, 16)) + of(&ACROSS, 8, group(16, 16));
        assert_eq!(two_passes, 4.0);
        // 32 slices per march: 8 more planes for 32.
        assert_eq!(FRONT.redundancy(8, group(16, 16).over(32)), Some(2.25));
    }
}
