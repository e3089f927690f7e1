//! The kernels: where points are kept, by where weights are.

use super::{EteKernel, Form, Kept, Model, ONE, Sweep};
use crate::{
    engine::gpu::bench::{
        Kernel, Workgroup,
        kernel::{Cover, Grids, Memory},
    },
    stencil::ete::Points,
};

macro_rules! file {
    ($name:literal) => {
        include_str!(concat!("../../../../../shaders/ladder_ete/", $name, ".wgsl"))
    };
}

const WEIGHTS: &str = file!("weights");
const BINS: &str = file!("bins");
const SUMS: &str = file!("sums");
const WINDOW: &str = include_str!("../../../../../shaders/lib/window.wgsl");
const ROWS: &str = file!("rows");
const WORDS: &str = file!("words");
const PAIRS: &str = file!("pairs");

const GLOBAL: &[&str] = &[WEIGHTS, BINS, file!("from_global")];
const TEXTURE: &[&str] = &[WEIGHTS, BINS, file!("from_texture")];
const UNIFORM: &[&str] = &[WEIGHTS, BINS, file!("from_uniform")];
const WORKGROUP: &[&str] = &[WEIGHTS, BINS, file!("from_workgroup")];

const BY_TERMS: &[&str] = &[WEIGHTS, file!("from_terms")];

const ROWS_WORDS: &[&str] = &[WINDOW, SUMS, ROWS, WORDS, file!("rows_global")];
const ROWS_PAIRS: &[&str] = &[WINDOW, SUMS, ROWS, PAIRS, file!("rows_global")];
const ROWS_KEPT: &[&str] = &[WINDOW, SUMS, ROWS, PAIRS, file!("rows_workgroup")];
const ROWS_16: &[&str] = &[WINDOW, SUMS, ROWS, PAIRS, file!("rows16")];
const ROWS_16_KEPT: &[&str] = &[WINDOW, SUMS, ROWS, PAIRS, file!("rows16_workgroup")];
const TERMS: &[&str] = &[WINDOW, SUMS, file!("polynomial")];

const fn group(z: usize, x: usize) -> Workgroup {
    Workgroup::new(z, x)
}

const KEPT: Sweep = Sweep { kept: Kept::All, ..ONE };

/// `base!(name, library, cover, workgroup, others)`
macro_rules! base {
    ($name:literal, $library:expr, $cover:ident, $workgroup:expr, $others:expr) => {
        Kernel {
            name: $name,
            text: file!($name),
            library: $library,
            grids: Grids::Volumes,
            cover: Cover::$cover,
            memory: Memory::None,
            compact: false,
            coefficients_in_storage: false,
            reads: None,
            workgroup: $workgroup,
            others: $others,
            steps: 1,
        }
    };
}

const fn of(kernel: Kernel, weights: &'static str, form: Form) -> EteKernel {
    let model = match form {
        Form::Terms => Model::Squares,
        Form::Scalars | Form::Texture | Form::Uniform => Model::Words,
        Form::Fours | Form::Sixteen => Model::Pairs,
    };
    let sweeps: &[Sweep] = &[ONE];
    EteKernel { kernel, weights, form, model, sweeps, few: false, steps: 1, only: None }
}

const fn kept(kernel: EteKernel) -> EteKernel {
    EteKernel { sweeps: &[KEPT], ..kernel }
}

macro_rules! naive {
    ($library:expr) => {
        base!("naive", $library, Nodes, group(32, 8).deep(4), &[group(64, 4), group(32, 4).deep(4)])
    };
}

/// Marches with the table where it is.
const SHORT: &[Workgroup] = &[group(32, 16).over(32), group(32, 8).over(64), group(64, 8).over(32)];
/// Marches that bring a table along.
const LONG: &[Workgroup] =
    &[group(32, 16).over(228), group(32, 8).over(114), group(16, 16).over(228)];

macro_rules! marching {
    ($name:literal, $library:expr, $others:expr) => {
        base!($name, $library, Nodes, group(32, 8).over(32), $others)
    };
}

macro_rules! fours {
    ($library:expr) => {
        base!(
            "fours",
            $library,
            Fours,
            group(16, 8).deep(2),
            &[group(16, 16), group(16, 8).over(4), group(32, 8), group(16, 16).over(8)]
        )
    };
}

macro_rules! fours_kept {
    ($library:expr) => {
        base!(
            "fours",
            $library,
            Fours,
            group(16, 16).over(32),
            &[group(16, 16).over(114), group(16, 32).over(57), group(16, 32).over(114)]
        )
    };
}

macro_rules! march {
    ($library:expr) => {
        base!(
            "march",
            $library,
            Fours,
            group(16, 16).over(8),
            &[
                group(16, 8).over(8),
                group(16, 16).over(16),
                group(16, 8).over(16),
                group(32, 8).over(8)
            ]
        )
    };
}

/// Everything from global memory.
pub static ETE_NAIVE: EteKernel = of(naive!(GLOBAL), "global", Form::Scalars);
/// The star's queue, and columns for the points off the axes.
pub static ETE_GATHER: EteKernel = of(marching!("gather", GLOBAL, SHORT), "global", Form::Scalars);
/// The same with the table as a texture.
pub static ETE_GATHER_TEXTURE: EteKernel =
    of(marching!("gather", TEXTURE, SHORT), "texture", Form::Texture);
/// The same with the table in a uniform buffer.
pub static ETE_GATHER_UNIFORM: EteKernel =
    of(marching!("gather", UNIFORM, SHORT), "uniform", Form::Uniform);
/// The same with the table in workgroup memory.
pub static ETE_GATHER_KEPT: EteKernel =
    kept(of(marching!("gather", WORKGROUP, LONG), "workgroup", Form::Scalars));
/// Sums in the queue.
pub static ETE_SCATTER: EteKernel =
    of(marching!("scatter", GLOBAL, SHORT), "global", Form::Scalars);
/// The same with the table as a texture.
pub static ETE_SCATTER_TEXTURE: EteKernel =
    of(marching!("scatter", TEXTURE, SHORT), "texture", Form::Texture);
/// The same with the table in a uniform buffer.
pub static ETE_SCATTER_UNIFORM: EteKernel =
    of(marching!("scatter", UNIFORM, SHORT), "uniform", Form::Uniform);
/// The same with the table in workgroup memory.
pub static ETE_SCATTER_KEPT: EteKernel =
    kept(of(marching!("scatter", WORKGROUP, LONG), "workgroup", Form::Scalars));
/// The star in one sweep and the diagonals in another, each with its part of the table in workgroup memory.
pub static ETE_TWO_SWEEPS: EteKernel = EteKernel {
    sweeps: &[
        Sweep { star: true, diagonals: false, kept: Kept::Star },
        Sweep { star: false, diagonals: true, kept: Kept::Diagonals },
    ],
    ..of(marching!("scatter", WORKGROUP, LONG), "workgroup, in turns", Form::Scalars)
};
/// One sweep, the star's weights in workgroup memory and the diagonals' from the caches.
pub static ETE_ONE_SWEEP: EteKernel = EteKernel {
    sweeps: &[Sweep { kept: Kept::Star, ..ONE }],
    ..of(marching!("scatter", WORKGROUP, LONG), "workgroup and global", Form::Scalars)
};
/// Two steps in one march.
pub static ETE_TWICE: EteKernel = EteKernel {
    steps: 2,
    only: Some(Points::Few),
    ..of(
        base!("twice", GLOBAL, Nodes, group(32, 32).over(114), &[group(32, 16).over(57)]),
        "global",
        Form::Scalars,
    )
};
/// The same with the table in workgroup memory.
pub static ETE_TWICE_KEPT: EteKernel = EteKernel {
    steps: 2,
    only: Some(Points::Few),
    ..kept(of(
        base!("twice", WORKGROUP, Nodes, group(32, 24).over(228), &[group(24, 24).over(114)]),
        "workgroup",
        Form::Scalars,
    ))
};
/// Four nodes at once.
pub static ETE_FOURS: EteKernel =
    EteKernel { model: Model::Words, ..of(fours!(ROWS_WORDS), "global, by fours", Form::Fours) };
/// The same with two indices a word.
pub static ETE_FOURS_PAIRS: EteKernel = of(fours!(ROWS_PAIRS), "global, by fours", Form::Fours);
/// The same with the table in workgroup memory.
pub static ETE_FOURS_KEPT: EteKernel =
    kept(of(fours_kept!(ROWS_KEPT), "workgroup, by fours", Form::Fours));
/// The same with a table of 16 bits where it is.
pub static ETE_FOURS_16: EteKernel = of(fours!(ROWS_16), "global, 16 bits", Form::Sixteen);
/// The same in workgroup memory.
pub static ETE_FOURS_16_KEPT: EteKernel =
    kept(of(fours_kept!(ROWS_16_KEPT), "workgroup, 16 bits", Form::Sixteen));
/// Few bins.
pub static ETE_FOURS_FEW: EteKernel =
    EteKernel { few: true, ..of(fours!(ROWS_PAIRS), "global, by fours", Form::Fours) };
/// The same in workgroup memory.
pub static ETE_FOURS_FEW_KEPT: EteKernel =
    EteKernel { few: true, ..kept(of(fours!(ROWS_KEPT), "workgroup, by fours", Form::Fours)) };
/// A march of fours.
pub static ETE_MARCH: EteKernel = EteKernel {
    only: Some(Points::Few),
    ..of(march!(ROWS_PAIRS), "global, by fours", Form::Fours)
};
/// The same with a table of 16 bits.
pub static ETE_MARCH_16: EteKernel =
    EteKernel { only: Some(Points::Few), ..of(march!(ROWS_16), "global, 16 bits", Form::Sixteen) };
/// The engine's two terms in the place of a table.
pub static ETE_TERMS: EteKernel = of(fours!(TERMS), "two terms", Form::Terms);
/// The same in a march.
pub static ETE_TERMS_MARCH: EteKernel =
    EteKernel { only: Some(Points::Few), ..of(march!(TERMS), "two terms", Form::Terms) };
/// Multi-to-one with the two terms.
pub static ETE_GATHER_TERMS: EteKernel =
    of(marching!("gather", BY_TERMS, SHORT), "two terms", Form::Terms);
/// One-to-multi with the two terms.
pub static ETE_SCATTER_TERMS: EteKernel =
    of(marching!("scatter", BY_TERMS, SHORT), "two terms", Form::Terms);

/// Every kernel of the ladder.
pub static ETE_KERNELS: [&EteKernel; 26] = [
    &ETE_NAIVE,
    &ETE_GATHER,
    &ETE_GATHER_TEXTURE,
    &ETE_GATHER_UNIFORM,
    &ETE_GATHER_KEPT,
    &ETE_SCATTER,
    &ETE_SCATTER_TEXTURE,
    &ETE_SCATTER_UNIFORM,
    &ETE_SCATTER_KEPT,
    &ETE_TWO_SWEEPS,
    &ETE_ONE_SWEEP,
    &ETE_TWICE,
    &ETE_TWICE_KEPT,
    &ETE_FOURS,
    &ETE_FOURS_PAIRS,
    &ETE_FOURS_KEPT,
    &ETE_FOURS_16,
    &ETE_FOURS_16_KEPT,
    &ETE_FOURS_FEW,
    &ETE_FOURS_FEW_KEPT,
    &ETE_MARCH,
    &ETE_MARCH_16,
    &ETE_TERMS,
    &ETE_TERMS_MARCH,
    &ETE_GATHER_TERMS,
    &ETE_SCATTER_TERMS,
];
