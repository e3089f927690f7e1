//! The 3-D sweeps.

use super::{Draft, OfKernel, draft, series};
use crate::engine::gpu::bench::{
    FRONT, FRONT_DOUBLE, FRONT_STEPS, FRONT_WIDE, Kernel, MARCH_4, NAIVE, NAIVE_4, QUEUE_4,
    SLICES_4, Update, Workgroup,
};

/// Shapes of [`geometry`], z x x.
#[rustfmt::skip]
const SHAPES: [(usize, usize); 14] = [
    (32, 32), (64, 16), (128, 8), (16, 32), (32, 16), (64, 8), (128, 4), (8, 32), (16, 16), (32, 8),
    (64, 4), (8, 16), (16, 8), (32, 4),
];

/// The series of a sweep, once for each update.
fn both(name: [&'static str; 2], series: impl Fn(Update) -> Vec<OfKernel>) -> Vec<Draft> {
    let titles = ["the Laplacian", "the wave equation"];
    let updates = [Update::Laplacian, Update::Wave];
    let all = name.into_iter().zip(titles).zip(updates);
    all.map(|((name, title), update)| draft(name, title, series(update))).collect()
}

/// Tiles of several steps per pass, z x x over planes.
#[rustfmt::skip]
const TILES: [(usize, usize); 10] = [
    (32, 32), (16, 64), (16, 48), (24, 40), (24, 32), (16, 32), (32, 16), (32, 24), (64, 16),
    (16, 16),
];

/// Several steps per pass, with each of some workgroups.
fn steps(name: &'static str, groups: impl Fn(&'static Kernel) -> Vec<Workgroup>) -> Draft {
    let series = (12..).zip(&FRONT_STEPS).map(|(number, kernel)| {
        let name = format!("{number} {} steps a pass", kernel.steps);
        series(name, kernel, Update::Wave, groups(kernel))
    });
    draft(name, "the wave equation, several steps a pass", series.collect())
}

/// Shapes of the workgroup: for the naive kernels one node along y, for the marches 32 slices.
pub(crate) fn geometry() -> Vec<Draft> {
    let shapes =
        |planes: usize| SHAPES.iter().map(move |(z, x)| Workgroup::new(*z, *x).over(planes));
    let wide = || shapes(32).map(|shape| shape.columns(2));
    let several = steps("geometry-steps", |_| {
        TILES.iter().map(|(z, x)| Workgroup::new(*z, *x).over(64)).collect()
    });
    let one = both(["geometry-laplacian", "geometry-wave"], |update| {
        vec![
            series("2 global memory", &NAIVE, update, shapes(1)),
            series("3 global memory, vec4", &NAIVE_4, update, shapes(1)),
            series("5 marching front", &FRONT, update, shapes(32)),
            series("6 two nodes an invocation", &FRONT_WIDE, update, wide()),
            series("7 two tiles in turns", &FRONT_DOUBLE, update, shapes(32)),
            series("8 vec4 queue", &QUEUE_4, update, shapes(32)),
            series("9 four slices in registers", &SLICES_4, update, shapes(4)),
            series("10 march in registers", &MARCH_4, update, shapes(8)),
        ]
    });
    one.into_iter().chain([several]).collect()
}

/// Slices of a workgroup's march, doubling up to the whole axis, and slices per invocation, 1 to
/// 16; with the usual shapes.
pub(crate) fn slices(ny: usize) -> Vec<Draft> {
    let marched = || {
        let doubled = std::iter::successors(Some(4), |n| Some(2 * n));
        doubled.take_while(move |n| *n < ny).chain([ny.max(2)])
    };
    let over = |kernel: &Kernel| {
        let usual = kernel.workgroup;
        marched().map(move |planes| usual.over(planes))
    };
    let slices = [1, 2, 4, 8, 16].map(|planes| SLICES_4.workgroup.over(planes));
    let several = steps("slices-steps", |kernel| over(kernel).collect());
    let one = both(["slices-laplacian", "slices-wave"], |update| {
        let march = |name, kernel| series(name, kernel, update, over(kernel));
        vec![
            march("5 marching front", &FRONT),
            march("6 32x32 tile", &FRONT_WIDE),
            march("7 two tiles in turns", &FRONT_DOUBLE),
            march("8 vec4 queue", &QUEUE_4),
            series("9 slices in registers", &SLICES_4, update, slices),
            march("10 march in registers", &MARCH_4),
        ]
    });
    one.into_iter().chain([several]).collect()
}
