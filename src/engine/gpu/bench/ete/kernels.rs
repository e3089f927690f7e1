//! The rungs, by the place of points and of weights, and the statements of the paper's text about
//! them, because its figure 8 is a picture without numbers.

use super::{EteKernel, Form, Model, ONE, Paper, Stored, Sweep};
use crate::{
    gpu::{
        bench::{
            Kernel, Workgroup,
            kernel::{Grids, UPDATE_4, kernel},
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
const QUADS: &str = text!("lib/quads");
const WINDOW: &str = text!("lib/window");
const ROWS: &str = file!("rows");
const ROWS_32: &str = file!("rows32");
const ROWS_16: &str = file!("rows16");
const PAIRS: &str = file!("pairs");
const IN_GLOBAL: &str = file!("rows_global");
const IN_WORKGROUP: &str = file!("rows_workgroup");

/// Where a kernel finds its weights.
struct Table {
    library: &'static [&'static str],
    /// In words.
    place: &'static str,
    form: Form,
}

macro_rules! table {
    ($place:literal, $form:ident, [$($file:expr),+]) => {
        Table { library: &[$($file),+], place: $place, form: Form::$form }
    };
}

const GLOBAL: Table = table!("global", Scalars, [WEIGHTS, BINS, file!("from_global")]);
const TEXTURE: Table = table!("texture", Texture, [WEIGHTS, BINS, file!("from_texture")]);
const UNIFORM: Table = table!("uniform", Uniform, [WEIGHTS, BINS, file!("from_uniform")]);
const WORKGROUP: Table = table!("workgroup", Scalars, [WEIGHTS, BINS, file!("from_workgroup")]);
const IN_TURNS: Table = Table { place: "workgroup, in turns", ..WORKGROUP };
const STAR_KEPT: Table = Table { place: "workgroup and global", ..WORKGROUP };
const BY_TERMS: Table = table!("two terms", Terms, [WEIGHTS, file!("from_terms")]);
const WORDS: Table = table!(
    "global, by fours",
    Fours,
    [QUADS, WINDOW, SUMS, ROWS, ROWS_32, file!("words"), IN_GLOBAL]
);
const FOURS: Table =
    table!("global, by fours", Fours, [QUADS, WINDOW, SUMS, ROWS, ROWS_32, PAIRS, IN_GLOBAL]);
const FOURS_KEPT: Table =
    table!("workgroup, by fours", Fours, [QUADS, WINDOW, SUMS, ROWS, ROWS_32, PAIRS, IN_WORKGROUP]);
const SIXTEEN: Table =
    table!("global, 16 bits", Sixteen, [QUADS, WINDOW, SUMS, ROWS, ROWS_16, PAIRS, IN_GLOBAL]);
const SIXTEEN_KEPT: Table = table!(
    "workgroup, 16 bits",
    Sixteen,
    [QUADS, WINDOW, SUMS, ROWS, ROWS_16, PAIRS, IN_WORKGROUP]
);
const TERMS: Table = table!("two terms", Terms, [QUADS, WINDOW, SUMS, file!("polynomial")]);

/// `base!(name, cover, workgroup, others)`: a kernel without a table.
macro_rules! base {
    ($name:literal, $cover:ident, $workgroup:expr, $others:expr) => {
        Kernel {
            grids: Grids::Volumes,
            others: &$others,
            ..kernel!("ladder_ete", $name, &[], $cover, None, $workgroup)
        }
    };
}

const fn group(z: usize, x: usize) -> Workgroup {
    Workgroup::new(z, x)
}

const NAIVE: Kernel =
    base!("naive", Nodes, group(32, 8).deep(4), [group(64, 4), group(32, 4).deep(4)]);
/// Marches with the table in place.
const SHORT: [Workgroup; 3] =
    [group(32, 16).over(32), group(32, 8).over(64), group(64, 8).over(32)];
const GATHER: Kernel = base!("gather", Nodes, group(32, 8).over(32), SHORT);
const GATHER_EACH: Kernel = base!("gather_each", Nodes, group(32, 8).over(32), SHORT);
const SCATTER: Kernel = base!("scatter", Nodes, group(32, 8).over(32), SHORT);
/// Marches that load a table.
const LONG: [Workgroup; 3] =
    [group(32, 16).over(228), group(32, 8).over(114), group(16, 16).over(228)];
const GATHER_LONG: Kernel = Kernel { others: &LONG, ..GATHER };
const SCATTER_LONG: Kernel = Kernel { others: &LONG, ..SCATTER };
/// Two steps in one march.
const TWICE: Kernel = base!("twice", Nodes, group(32, 32).over(114), [group(32, 16).over(57)]);
const TWICE_LONG: Kernel =
    base!("twice", Nodes, group(32, 24).over(228), [group(24, 24).over(114)]);
const BY_FOURS: Kernel = base!(
    "fours",
    Fours,
    group(16, 8).deep(2),
    [group(16, 16), group(16, 8).over(4), group(32, 8), group(16, 16).over(8)]
);
const BY_FOURS_LONG: Kernel = base!(
    "fours",
    Fours,
    group(16, 16).over(32),
    [group(16, 16).over(114), group(16, 32).over(57), group(16, 32).over(114)]
);
const MARCH: Kernel = base!(
    "march",
    Fours,
    group(16, 16).over(8),
    [group(16, 8).over(8), group(16, 16).over(16), group(16, 8).over(16), group(32, 8).over(8)]
);

const fn rung(name: &'static str, kernel: Kernel, table: Table) -> EteKernel {
    let model = match table.form {
        Form::Terms => Model::Squares,
        Form::Scalars | Form::Texture | Form::Uniform => Model::Words,
        Form::Fours | Form::Sixteen => Model::Pairs,
    };
    let Table { library, place: weights, form } = table;
    let kernel = Kernel { library, ..kernel };
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
        self.sweeps(&[Sweep { stored: Stored::All, ..ONE }])
    }

    const fn few(self) -> Self {
        EteKernel { few: true, ..self }
    }

    const fn for_few_points(self) -> Self {
        EteKernel { only: Some(Points::Few), ..self }
    }

    const fn for_many_points(self) -> Self {
        EteKernel { only: Some(Points::Many), ..self }
    }

    const fn twice(self) -> Self {
        EteKernel { steps: 2, ..self.for_few_points() }
    }

    /// The paper's statement about it against another rung.
    const fn paper(self, against: usize, says: &'static str) -> Self {
        EteKernel { paper: Some(Paper { against, says }), ..self }
    }
}

/// Three reads and a write of vec4 over the same arrays.
pub static ETE_STREAM: EteKernel = rung(
    "stream ceiling",
    kernel!("ladder", "stream", UPDATE_4, Array, None, Workgroup::new(256, 1)),
    Table { library: UPDATE_4, place: "none", form: Form::Terms },
);

/// Every rung of the ladder, in order. In `gather` (multi-to-one) the star has a queue, and the
/// points off the axes columns; in `scatter` (one-to-multi) the sums have the queue. Rungs 23 to 26
/// have the engine's two terms instead of a table. Rung 27 reads what the paper counts for 73 points.
pub static ETE_KERNELS: [EteKernel; 27] = [
    rung("global memory", NAIVE, GLOBAL),
    rung("multi-to-one", GATHER, GLOBAL),
    rung("multi-to-one", GATHER, TEXTURE),
    rung("multi-to-one", GATHER, UNIFORM),
    rung("multi-to-one", GATHER_LONG, WORKGROUP).kept(),
    rung("one-to-multi", SCATTER, GLOBAL).paper(2, "1.1 x multi-to-one"),
    rung("one-to-multi", SCATTER, TEXTURE),
    rung("one-to-multi", SCATTER, UNIFORM),
    rung("one-to-multi", SCATTER_LONG, WORKGROUP).kept().paper(6, "1.8 to 2.3 x global"),
    // Each sweep has its part of the table in workgroup memory.
    rung("two sweeps, star and diagonals", SCATTER_LONG, IN_TURNS)
        .sweeps(&[
            Sweep { star: true, diagonals: false, stored: Stored::Star },
            Sweep { star: false, diagonals: true, stored: Stored::Diagonals },
        ])
        .paper(6, "1.8 to 2.3 x global"),
    // The diagonals' weights come from the caches.
    rung("one sweep, star's weights kept", SCATTER_LONG, STAR_KEPT)
        .sweeps(&[Sweep { stored: Stored::Star, ..ONE }])
        .paper(10, "faster than two sweeps"),
    rung("two steps at once", TWICE, GLOBAL).twice(),
    rung("two steps at once", TWICE_LONG, WORKGROUP).twice().kept(),
    EteKernel { model: Model::Words, ..rung("vec4", BY_FOURS, WORDS) },
    rung("vec4, indices in pairs", BY_FOURS, FOURS),
    rung("vec4, table kept", BY_FOURS_LONG, FOURS_KEPT).kept(),
    rung("vec4, table of 16 bits", BY_FOURS, SIXTEEN),
    rung("vec4, table of 16 bits kept", BY_FOURS_LONG, SIXTEEN_KEPT).kept(),
    rung("vec4, few bins", BY_FOURS, FOURS).few(),
    rung("vec4, few bins kept", BY_FOURS, FOURS_KEPT).kept().few(),
    rung("vec4 march", MARCH, FOURS).for_few_points(),
    rung("vec4 march, table of 16 bits", MARCH, SIXTEEN).for_few_points(),
    rung("two terms, vec4", BY_FOURS, TERMS),
    rung("two terms, vec4 march", MARCH, TERMS).for_few_points(),
    rung("two terms, multi-to-one", GATHER, BY_TERMS),
    rung("two terms, one-to-multi", SCATTER, BY_TERMS).paper(25, "1.1 x multi-to-one"),
    rung("multi-to-one, each point read", GATHER_EACH, GLOBAL).for_many_points(),
];
