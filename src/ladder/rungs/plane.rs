//! The rungs of the 2-D ladder, and the thesis' own measurements.

use super::{Rung, Runner, rung};
use crate::engine::gpu::bench::{
    EXPLICIT, MAJOR, MINOR, PADDED, STRIP_STEPS, TILE, TILE_STEPS, UNIFORM, VECTOR,
};

/// Convolution time of the Fortran code, 5.0653 s, over its 1,999 steps.
const FORTRAN_US: f64 = 5.0653e6 / 1999.0;

/// Every rung, in order.
pub(crate) static PLANE_RUNGS: [Rung; 16] = [
    rung(1, "CPU, one thread", "the Fortran's loops", Runner::OneThread).thesis(FORTRAN_US),
    rung(1, "CPU, every core", "cores and vectors", Runner::Parallel),
    rung(2, "global memory, explicit boundary", "a GPU", Runner::Kernel(&EXPLICIT)).thesis(320.49),
    rung(3, "global memory, zero-padded", "no branch at the edges", Runner::Kernel(&PADDED))
        .thesis(318.42),
    rung(4, "uniform coefficients", "where coefficients are", Runner::Kernel(&UNIFORM))
        .thesis(147.50),
    rung(
        5,
        "workgroup memory, two passes",
        "each axis through a tile",
        Runner::Pair(&MAJOR, &MINOR),
    )
    .thesis(58.57 + 42.24),
    rung(5, "major axis alone", "1-D stripes", Runner::Kernel(&MAJOR)).part().thesis(42.24),
    rung(5, "minor axis alone", "2-D tiles", Runner::Kernel(&MINOR))
        // p and the other pass' result in, the Laplacian out.
        .bytes(12.0)
        .part()
        .thesis(58.57),
    rung(6, "workgroup memory, one pass", "both axes at once", Runner::Kernel(&TILE)),
    rung(7, "vec4, neighbours in registers", "4 nodes an access", Runner::Kernel(&VECTOR)),
    rung(7, "the same, checked", "every index checked", Runner::Kernel(&VECTOR)).part().checked(),
    rung(8, "the step of shot", "sources, watchdog", Runner::Shot),
    rung(9, "2 steps a pass, tile", "tiles overlap", Runner::Kernel(&TILE_STEPS[0])),
    rung(10, "4 steps a pass, tile", "wider halos", Runner::Kernel(&TILE_STEPS[1])),
    rung(11, "2 steps a pass, front", "a march along x", Runner::Kernel(&STRIP_STEPS[0])),
    rung(12, "4 steps a pass, front", "4 queues", Runner::Kernel(&STRIP_STEPS[1])),
];
