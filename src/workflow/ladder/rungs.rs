//! The rungs of the 2-D ladder, and what the thesis measured on its own.

use crate::engine::gpu::bench::{
    EXPLICIT, Kernel, MAJOR, MINOR, PADDED, TILE, UNIFORM, Update, VECTOR, Workgroup,
};

/// What runs on a rung.
#[derive(Clone, Copy, Debug)]
pub enum Runner {
    /// One thread of the CPU with plain loops.
    OneThread,
    /// The CPU engine.
    Parallel,
    /// A kernel.
    Kernel(&'static Kernel),
    /// Two kernels, one after the other.
    Pair(&'static Kernel, &'static Kernel),
    /// The GPU engine, as `shot` runs it.
    Shot,
}

/// A line of the ladder.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// 1 to 8.
    pub number: usize,
    /// What it is.
    pub name: &'static str,
    /// The one thing that differs from the rung before.
    pub change: &'static str,
    /// What runs.
    pub runner: Runner,
    /// A part of a rung, timed apart; the next rung is not compared with it.
    pub part: bool,
    /// With the shader's run-time checks, and the grouping of the rung before.
    pub checked: bool,
    /// Bytes that it must move for a node, where they are not those of its update.
    pub bytes: Option<f64>,
    /// Sadahiro (2014), chapter II: microseconds for the Laplacian of 310 x 775 nodes with a wing of 8 on
    /// a Tesla K20m, or on one thread of a Xeon E5.
    pub thesis_us: Option<f64>,
}

const fn rung(number: usize, name: &'static str, change: &'static str, runner: Runner) -> Rung {
    Rung { number, name, change, runner, part: false, checked: false, bytes: None, thesis_us: None }
}

impl Rung {
    const fn thesis(self, us: f64) -> Self {
        Rung { thesis_us: Some(us), ..self }
    }

    const fn part(self) -> Self {
        Rung { part: true, ..self }
    }

    const fn bytes(self, bytes: f64) -> Self {
        Rung { bytes: Some(bytes), ..self }
    }

    const fn checked(self) -> Self {
        Rung { checked: true, ..self }
    }

    /// Whether the CPU runs it.
    pub fn is_on_the_host(&self) -> bool {
        matches!(self.runner, Runner::OneThread | Runner::Parallel)
    }

    /// Its kernels, in every grouping that is worth trying; none where an engine runs.
    pub fn kernels(&self) -> Vec<Vec<(&'static Kernel, Workgroup)>> {
        match self.runner {
            Runner::OneThread | Runner::Parallel | Runner::Shot => vec![],
            Runner::Kernel(kernel) => {
                kernel.workgroups().map(|workgroup| vec![(kernel, workgroup)]).collect()
            }
            // One of the two varies at a time.
            Runner::Pair(first, second) => {
                let one = first.workgroups().map(|group| [group, second.workgroup]);
                let other = second.others.iter().map(|group| [first.workgroup, *group]);
                let both = one.chain(other);
                both.map(|[one, other]| vec![(first, one), (second, other)]).collect()
            }
        }
    }

    /// Whether it has this update: the engines step waves, and one pass of two has no update of its own.
    pub fn has(&self, update: Update) -> bool {
        match self.runner {
            Runner::Parallel | Runner::Shot => update == Update::Wave,
            _ => !self.part || self.checked || update == Update::Laplacian,
        }
    }
}

/// Convolution time of the Fortran code, 5.0653 s, over its 1,999 steps.
const FORTRAN_US: f64 = 5.0653e6 / 1999.0;

/// Every line, in order.
pub static RUNGS: [Rung; 12] = [
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
        // p and what the other pass left in, the Laplacian out.
        .bytes(12.0)
        .part()
        .thesis(58.57),
    rung(6, "workgroup memory, one pass", "both axes at once", Runner::Kernel(&TILE)),
    rung(7, "vec4, neighbours in registers", "4 nodes an access", Runner::Kernel(&VECTOR)),
    rung(7, "the same, checked", "every index checked", Runner::Kernel(&VECTOR)).part().checked(),
    rung(8, "the step of shot", "sources, watchdog", Runner::Shot),
];
