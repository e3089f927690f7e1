//! The rungs, by the place of points and of weights, and the statements of the paper's text about
//! them, because its figure 8 is a picture without numbers.

use super::{EteKernel, Form, Kept, Model, ONE, Paper, Sweep};
use crate::{
    gpu::{
        bench::{
            Kernel, Workgroup,
            kernel::{Grids, kernel},
        },
        shader::text,
    },
    stencil::ete::Points,
};

macro_rules! file {
    ($name:literal) => {
        text!("ladder_ete/", $name)
    };
}

const WEIGHTS: &str = file!("weights");
const BINS: &str = file!("bins");
const SUMS: &str = file!("sums");
const WINDOW: &str = text!("lib/window");
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
            grids: Grids::Volumes,
            others: $others,
            ..kernel!("ladder_ete", $name, $library, $cover, None, $workgroup)
        }
    };
}

const fn rung(name: &'static str, kernel: Kernel, weights: &'static str, form: Form) -> EteKernel {
    let model = match form {
        Form::Terms => Model::Squares,
        Form::Scalars | Form::Texture | Form::Uniform => Model::Words,
        Form::Fours | Form::Sixteen => Model::Pairs,
    };
    let sweeps: &[Sweep] = &[ONE];
    let (few, steps, only, paper) = (false, 1, None, None);
    EteKernel { name, kernel, weights, form, model, sweeps, few, steps, only, paper }
}

impl EteKernel {
    const fn sweeps(self, sweeps: &'static [Sweep]) -> Self {
        EteKernel { sweeps, ..self }
    }

    /// With the whole table in workgroup memory.
    const fn kept(self) -> Self {
        self.sweeps(&[KEPT])
    }

    const fn few(self) -> Self {
        EteKernel { few: true, ..self }
    }

    const fn for_few_points(self) -> Self {
        EteKernel { only: Some(Points::Few), ..self }
    }

    const fn twice(self) -> Self {
        EteKernel { steps: 2, ..self.for_few_points() }
    }

    /// The paper's statement about it against another rung.
    const fn paper(self, against: usize, says: &'static str) -> Self {
        EteKernel { paper: Some(Paper { against, says }), ..self }
    }
}

macro_rules! naive {
    ($library:expr) => {
        base!("naive", $library, Nodes, group(32, 8).deep(4), &[group(64, 4), group(32, 4).deep(4)])
    };
}

/// Marches with the table in place.
const SHORT: &[Workgroup] = &[group(32, 16).over(32), group(32, 8).over(64), group(64, 8).over(32)];
/// Marches that load a table.
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

/// Two steps in one march.
macro_rules! twice {
    ($library:expr, $workgroup:expr, $other:expr) => {
        base!("twice", $library, Nodes, $workgroup, &[$other])
    };
}

/// The star in one sweep and the diagonals in another, each with its part of the table in workgroup
/// memory.
const IN_TURNS: &[Sweep] = &[
    Sweep { star: true, diagonals: false, kept: Kept::Star },
    Sweep { star: false, diagonals: true, kept: Kept::Diagonals },
];
/// One sweep, the star's weights in workgroup memory and the diagonals' from the caches.
const STAR_KEPT: &[Sweep] = &[Sweep { kept: Kept::Star, ..ONE }];

/// Every rung of the ladder, in order. In `gather` (multi-to-one) the star has a queue, and the
/// points off the axes columns; in `scatter` (one-to-multi) the sums have the queue. The last four
/// have the engine's two terms instead of a table.
pub static ETE_KERNELS: [EteKernel; 26] = {
    use Form::{Fours, Scalars, Sixteen, Terms, Texture, Uniform};
    const GATHER: &str = "multi-to-one";
    const SCATTER: &str = "one-to-multi";
    const TWICE: &str = "two steps at once";
    const BY_FOURS: &str = "global, by fours";
    [
        rung("global memory", naive!(GLOBAL), "global", Scalars),
        rung(GATHER, marching!("gather", GLOBAL, SHORT), "global", Scalars),
        rung(GATHER, marching!("gather", TEXTURE, SHORT), "texture", Texture),
        rung(GATHER, marching!("gather", UNIFORM, SHORT), "uniform", Uniform),
        rung(GATHER, marching!("gather", WORKGROUP, LONG), "workgroup", Scalars).kept(),
        rung(SCATTER, marching!("scatter", GLOBAL, SHORT), "global", Scalars)
            .paper(2, "1.1 x multi-to-one"),
        rung(SCATTER, marching!("scatter", TEXTURE, SHORT), "texture", Texture),
        rung(SCATTER, marching!("scatter", UNIFORM, SHORT), "uniform", Uniform),
        rung(SCATTER, marching!("scatter", WORKGROUP, LONG), "workgroup", Scalars)
            .kept()
            .paper(6, "1.8 to 2.3 x global"),
        rung(
            "two sweeps, star and diagonals",
            marching!("scatter", WORKGROUP, LONG),
            "workgroup, in turns",
            Scalars,
        )
        .sweeps(IN_TURNS)
        .paper(6, "1.8 to 2.3 x global"),
        rung(
            "one sweep, star's weights kept",
            marching!("scatter", WORKGROUP, LONG),
            "workgroup and global",
            Scalars,
        )
        .sweeps(STAR_KEPT)
        .paper(10, "faster than two sweeps"),
        rung(
            TWICE,
            twice!(GLOBAL, group(32, 32).over(114), group(32, 16).over(57)),
            "global",
            Scalars,
        )
        .twice(),
        rung(
            TWICE,
            twice!(WORKGROUP, group(32, 24).over(228), group(24, 24).over(114)),
            "workgroup",
            Scalars,
        )
        .twice()
        .kept(),
        EteKernel { model: Model::Words, ..rung("vec4", fours!(ROWS_WORDS), BY_FOURS, Fours) },
        rung("vec4, indices in pairs", fours!(ROWS_PAIRS), BY_FOURS, Fours),
        rung("vec4, table kept", fours_kept!(ROWS_KEPT), "workgroup, by fours", Fours).kept(),
        rung("vec4, table of 16 bits", fours!(ROWS_16), "global, 16 bits", Sixteen),
        rung(
            "vec4, table of 16 bits kept",
            fours_kept!(ROWS_16_KEPT),
            "workgroup, 16 bits",
            Sixteen,
        )
        .kept(),
        rung("vec4, few bins", fours!(ROWS_PAIRS), BY_FOURS, Fours).few(),
        rung("vec4, few bins kept", fours!(ROWS_KEPT), "workgroup, by fours", Fours).kept().few(),
        rung("vec4 march", march!(ROWS_PAIRS), BY_FOURS, Fours).for_few_points(),
        rung("vec4 march, table of 16 bits", march!(ROWS_16), "global, 16 bits", Sixteen)
            .for_few_points(),
        rung("two terms, vec4", fours!(TERMS), "two terms", Terms),
        rung("two terms, vec4 march", march!(TERMS), "two terms", Terms).for_few_points(),
        rung("two terms, multi-to-one", marching!("gather", BY_TERMS, SHORT), "two terms", Terms),
        rung("two terms, one-to-multi", marching!("scatter", BY_TERMS, SHORT), "two terms", Terms)
            .paper(25, "1.1 x multi-to-one"),
    ]
};
