//! The rungs of the 3-D ladder: those of Micikevicius (2009), and further ones.

use super::{Rung, Runner, rung};
use crate::{
    engine::gpu::bench::{
        ACROSS, FRONT, FRONT_DOUBLE, FRONT_STEPS, FRONT_WIDE, MARCH_4, NAIVE, NAIVE_4, PLANE,
        QUEUE_4, SLICES_4,
    },
    s1060::Tile,
};

/// Every rung, in order.
pub static VOLUME_RUNGS: [Rung; 18] = [
    rung(1, "CPU, one thread", "plain loops", Runner::OneThread),
    rung(1, "CPU, every core", "cores and vectors", Runner::Parallel),
    rung(2, "global memory", "a GPU", Runner::Kernel(&NAIVE)),
    rung(3, "global memory, vec4", "4 nodes an access", Runner::Kernel(&NAIVE_4)),
    rung(4, "two passes", "planes through a tile", Runner::Pair(&PLANE, &ACROSS)),
    rung(4, "within planes alone", "2-D tiles", Runner::Kernel(&PLANE)).part(),
    rung(4, "across planes alone", "a queue in registers", Runner::Kernel(&ACROSS))
        // p and the other pass' result in, the Laplacian out.
        .bytes(12.0)
        .part(),
    rung(5, "marching front, 16x16 tile", "both in one pass", Runner::Kernel(&FRONT))
        .paper(Tile::Of16),
    rung(6, "32x32 tile", "2 nodes an invocation", Runner::Kernel(&FRONT_WIDE)).paper(Tile::Of32),
    rung(7, "two tiles in turns", "1 barrier a slice", Runner::Kernel(&FRONT_DOUBLE)),
    rung(8, "vec4 queue", "4 nodes, tile for x only", Runner::Kernel(&QUEUE_4)),
    rung(9, "slices in registers, vec4", "no tile, all at once", Runner::Kernel(&SLICES_4)),
    rung(10, "march in registers, vec4", "one slice at a time", Runner::Kernel(&MARCH_4)),
    rung(10, "the fastest, checked", "every index checked", Runner::Fastest).part().checked(),
    rung(11, "the step of shot", "sources, watchdog", Runner::Shot),
    rung(12, "2 steps a pass", "2 queues, tiles overlap", Runner::Kernel(&FRONT_STEPS[0])),
    rung(13, "3 steps a pass", "wider halos", Runner::Kernel(&FRONT_STEPS[1])),
    rung(14, "4 steps a pass", "wider halos", Runner::Kernel(&FRONT_STEPS[2])),
];
