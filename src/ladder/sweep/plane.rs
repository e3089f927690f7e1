//! The 2-D sweeps, and the thesis' measurements of them.

use super::{Draft, draft, series};
use crate::engine::gpu::bench::{
    Kernel, MAJOR, MAJOR_COLUMNS, MAJOR_PLANE, MINOR, PADDED, STRIP_STEPS, TILE, TILE_STEPS,
    UNIFORM, Update, VECTOR, Workgroup,
};

/// Invocations per workgroup of [`Sweep::Threads`].
const THREADS: [usize; 6] = [1024, 512, 256, 128, 64, 32];

/// Shapes of [`Sweep::Geometry`], z x x.
#[rustfmt::skip]
const SHAPES: [(usize, usize); 18] = [
    (32, 32), (64, 16), (16, 64), (128, 8), (256, 4), (32, 16), (64, 8), (16, 32), (16, 16),
    (32, 8), (64, 4), (128, 2), (256, 1), (8, 32), (32, 4), (16, 8), (128, 1), (32, 2),
];

/// Columns per invocation of the vectorised kernel.
const COLUMNS: [usize; 4] = [1, 2, 4, 8];

/// Tiles of several steps per pass, z x x by columns per invocation.
#[rustfmt::skip]
const TILES: [(usize, usize, usize); 12] = [
    (16, 16, 2), (16, 16, 4), (16, 16, 8), (16, 32, 4), (32, 8, 4), (32, 8, 8), (32, 16, 2),
    (32, 16, 4), (32, 16, 6), (32, 32, 2), (24, 16, 8), (48, 16, 4),
];
/// Strips of several steps per pass, and columns of a march.
#[rustfmt::skip]
const STRIPS: [(usize, usize); 14] = [
    (32, 16), (32, 32), (32, 64), (32, 128), (64, 16), (64, 32), (64, 64), (64, 128), (128, 32),
    (128, 64), (128, 128), (256, 32), (256, 64), (256, 128),
];

/// The thesis' figures 13, 18 and 19 as far as its text gives them: microseconds on a Tesla K20m.
pub(crate) fn thesis(kernel: &Kernel, workgroup: Workgroup) -> Option<f64> {
    const CALLS: f64 = 1999.0;
    let known: &[(usize, usize, f64)] = match kernel.name {
        "padded" => &[(1024, 1, 318.42), (512, 1, 299.84), (256, 1, 291.16), (128, 1, 290.46)],
        "major" => {
            &[(1024, 1, 112.3e3 / CALLS), (128, 1, 93.514e3 / CALLS), (64, 1, 149.14e3 / CALLS)]
        }
        "minor" => &[(32, 32, 144.07e3 / CALLS), (16, 16, 111.28e3 / CALLS)],
        _ => &[],
    };
    let same = |(z, x, _): &&(usize, usize, f64)| (*z, *x) == (workgroup.z, workgroup.x);
    known.iter().find(same).map(|(_, _, us)| *us)
}

pub(crate) fn threads() -> Vec<Draft> {
    let line = |threads: &usize| Workgroup::new(*threads, 1);
    let lines = || THREADS.iter().map(line);
    let whole = |update| {
        vec![
            series("3 zero-padded", &PADDED, update, lines()),
            series("4 uniform coefficients", &UNIFORM, update, lines()),
            series("6 one pass through a tile", &TILE, update, lines()),
            series("7 vec4, 4 columns", &VECTOR, update, lines().map(|line| line.columns(4))),
        ]
    };
    let mut laplacian = whole(Update::Laplacian);
    laplacian.insert(2, series("5 major axis", &MAJOR, Update::Laplacian, lines()));
    vec![
        draft("threads-laplacian", "the Laplacian", laplacian),
        draft("threads-wave", "the wave equation", whole(Update::Wave)),
    ]
}

pub(crate) fn geometry(stride: usize) -> Vec<Draft> {
    let shapes = || SHAPES.iter().map(|(z, x)| Workgroup::new(*z, *x));
    let whole = |update| {
        let plain = [
            series("4 uniform coefficients", &UNIFORM, update, shapes()),
            series("6 one pass through a tile", &TILE, update, shapes()),
        ];
        let vector = |columns: usize| {
            let name = format!("7 vec4, {columns} column{}", if columns == 1 { "" } else { "s" });
            series(name, &VECTOR, update, shapes().map(|shape| shape.columns(columns)))
        };
        plain.into_iter().chain(COLUMNS.map(vector)).collect::<Vec<_>>()
    };
    let mut laplacian = whole(Update::Laplacian);
    laplacian.insert(1, series("5 minor axis", &MINOR, Update::Laplacian, shapes()));
    let lines = THREADS.map(|n| Workgroup::new(n, 1));
    let columns = |most: usize| (1..=most).map(|x| Workgroup::new(stride, x));
    let segments = vec![
        series("1: one long strip", &MAJOR, Update::Laplacian, lines),
        series("2: the exact column", &MAJOR_COLUMNS, Update::Laplacian, columns(1)),
        series("3: several columns", &MAJOR_COLUMNS, Update::Laplacian, columns(3)),
        series("4: 2-D workgroup", &MAJOR_PLANE, Update::Laplacian, columns(3)),
    ];
    let tiles = || TILES.iter().map(|(z, x, columns)| Workgroup::new(*z, *x).columns(*columns));
    let strips = || STRIPS.iter().map(|(z, columns)| Workgroup::new(*z, 1).columns(*columns));
    let steps = |number: usize, what: &str, kernel: &'static Kernel, groups: Vec<Workgroup>| {
        let name = format!("{number} {} steps, {what}", kernel.steps);
        series(name, kernel, Update::Wave, groups)
    };
    let several = vec![
        steps(9, "tile", &TILE_STEPS[0], tiles().collect()),
        steps(10, "tile", &TILE_STEPS[1], tiles().collect()),
        steps(11, "front", &STRIP_STEPS[0], strips().collect()),
        steps(12, "front", &STRIP_STEPS[1], strips().collect()),
    ];
    vec![
        draft("geometry-laplacian", "the Laplacian", laplacian),
        draft("geometry-wave", "the wave equation", whole(Update::Wave)),
        draft("segmentation", "the pass along the major axis", segments),
        draft("geometry-steps", "the wave equation, several steps a pass", several),
    ]
}
