//! The kernels of the 2-D ladder.

use super::{
    Kernel, Workgroup,
    kernel::{ALONG_AXES, Grids, LEVELS, STORED, UPDATE, WINDOW_4, kernel},
};

macro_rules! plane {
    ($($kernel:tt)*) => {
        Kernel { grids: Grids::Planes, ..kernel!("ladder2d", $($kernel)*) }
    };
}

const WIDE: Workgroup = Workgroup::new(64, 4);
const LINE: Workgroup = Workgroup::new(256, 1);
/// Other groupings worth trying for a kernel of one node per invocation.
const PLAIN: &[Workgroup] = &[LINE, Workgroup::new(32, 8), Workgroup::new(32, 16)];

/// Global memory, the wing cut at the edges.
pub static EXPLICIT: Kernel = Kernel {
    compact: true,
    coefficients_in_storage: true,
    others: PLAIN,
    ..plane!("explicit", STORED, Nodes, None, WIDE)
};
/// Global memory, zeros around the model.
pub static PADDED: Kernel = Kernel {
    coefficients_in_storage: true,
    others: PLAIN,
    ..plane!("padded", STORED, Nodes, None, WIDE)
};
/// Global memory, zeros around the model, the coefficients in a uniform buffer.
pub static UNIFORM: Kernel =
    Kernel { name: "uniform", others: PLAIN, ..plane!("padded", UPDATE, Nodes, None, WIDE) };
/// Along z through workgroup memory, one long strip.
pub static MAJOR: Kernel = Kernel {
    others: &[Workgroup::new(128, 1), Workgroup::new(512, 1)],
    ..plane!("major", ALONG_AXES, Strip, AlongZ, LINE)
};
/// Along z, whole columns in a 1-D workgroup.
pub static MAJOR_COLUMNS: Kernel =
    plane!("major_columns", ALONG_AXES, Columns, Columns, Workgroup::new(1, 1));
/// Along z, whole columns in a 2-D workgroup.
pub static MAJOR_PLANE: Kernel =
    plane!("major_plane", ALONG_AXES, Plane, Columns, Workgroup::new(1, 1));
/// Along x through workgroup memory, added to the result along z.
pub static MINOR: Kernel = Kernel {
    others: &[Workgroup::new(32, 8), Workgroup::new(32, 16)],
    ..plane!("minor", UPDATE, Nodes, AlongX, Workgroup::new(16, 16))
};
/// Both axes through workgroup memory.
pub static TILE: Kernel = Kernel {
    others: &[Workgroup::new(32, 8), Workgroup::new(64, 8), Workgroup::new(16, 16)],
    ..plane!("tile", UPDATE, Nodes, Both, Workgroup::new(32, 16))
};
/// vec4 along z, neighbours in registers.
pub static VECTOR: Kernel = Kernel {
    others: &[
        Workgroup::new(16, 8).columns(2),
        Workgroup::new(128, 1).columns(2),
        Workgroup::new(32, 4).columns(4),
    ],
    ..plane!("vector", WINDOW_4, Fours, None, Workgroup::new(16, 16))
};

/// Tiles of several steps per pass, halos included.
const TILES: &[Workgroup] = &[
    // The only one for 16 KiB.
    Workgroup::new(16, 16).columns(4),
    Workgroup::new(32, 16).columns(4),
    Workgroup::new(32, 8).columns(8),
    Workgroup::new(24, 16).columns(8),
];
/// Strips, halos included, and columns of a march.
const STRIPS: &[Workgroup] = &[
    Workgroup::new(32, 1).columns(32),
    Workgroup::new(32, 1).columns(128),
    Workgroup::new(64, 1).columns(64),
    Workgroup::new(64, 1).columns(128),
    Workgroup::new(128, 1).columns(64),
];

/// Two and four steps per pass in a tile.
pub static TILE_STEPS: [Kernel; 2] = [tile_steps(2), tile_steps(4)];
/// Two and four steps per pass in a front that marches along x.
pub static STRIP_STEPS: [Kernel; 2] = [strip_steps(2), strip_steps(4)];

const fn tile_steps(steps: usize) -> Kernel {
    Kernel {
        steps,
        others: TILES,
        ..plane!("tile_steps", LEVELS, Tiles, Fours, Workgroup::new(32, 16).columns(6))
    }
}

const fn strip_steps(steps: usize) -> Kernel {
    Kernel {
        steps,
        others: STRIPS,
        ..plane!("strip_steps", LEVELS, Strips, FoursAStepTwice, Workgroup::new(32, 1).columns(64))
    }
}

/// Every kernel of the 2-D ladder.
pub static PLANE_KERNELS: [&Kernel; 13] = [
    &EXPLICIT,
    &PADDED,
    &UNIFORM,
    &MAJOR,
    &MAJOR_COLUMNS,
    &MAJOR_PLANE,
    &MINOR,
    &TILE,
    &VECTOR,
    &TILE_STEPS[0],
    &TILE_STEPS[1],
    &STRIP_STEPS[0],
    &STRIP_STEPS[1],
];
