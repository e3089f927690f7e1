//! The rungs of the ladders.
//!
//! To add a rung: a file in `shaders/ladder2d/` or `shaders/ladder3d/`; a kernel in
//! `src/engine/gpu/bench/plane.rs` or `volume.rs` with what a dispatch covers; a line in `plane.rs`
//! or `volume.rs` here, and one in `tests/agreement/ladder/`. Rungs of explicit time evolution are
//! lines of `ETE_KERNELS` (`src/engine/gpu/bench/ete/`).

mod plane;
mod volume;

pub(crate) use plane::PLANE_RUNGS;
pub use volume::VOLUME_RUNGS;

use super::{Case, Published, s1060};
use crate::engine::gpu::bench::{Kernel, SLICES_4, Update, Workgroup};

/// The ladder of a case, in order.
pub fn rungs(case: &Case) -> &'static [Rung] {
    if case.is_volume() { &VOLUME_RUNGS } else { &PLANE_RUNGS }
}

/// The contestant of a rung.
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
    /// The kernels of the fastest rung so far.
    Fastest,
    /// The GPU engine, as `shot` runs it.
    Shot,
}

/// A row of the ladder.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// From 1 on.
    pub number: usize,
    /// Its description.
    pub name: &'static str,
    /// The one difference from the rung before.
    pub(crate) change: &'static str,
    /// The contestant.
    pub runner: Runner,
    /// A part of a rung, timed apart; the next rung is not compared with it.
    pub part: bool,
    /// With the shader's run-time checks, and the grouping of the rung without.
    pub(crate) checked: bool,
    /// Least bytes to move per node, if they differ from those of its update.
    pub(crate) bytes: Option<f64>,
    /// Published figures.
    pub published: Source,
}

/// Source of a rung's published figures.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// None.
    Nowhere,
    /// Sadahiro (2014), chapter II: microseconds for the Laplacian of 310 x 775 nodes with a wing
    /// of 8 on a Tesla K20m, or on one thread of a Xeon E5.
    Thesis(f64),
    /// Micikevicius (2009), tables 1 and 2: a Tesla S1060.
    Paper(s1060::Tile),
}

const fn rung(number: usize, name: &'static str, change: &'static str, runner: Runner) -> Rung {
    let published = Source::Nowhere;
    Rung { number, name, change, runner, part: false, checked: false, bytes: None, published }
}

impl Rung {
    const fn thesis(self, us: f64) -> Self {
        Rung { published: Source::Thesis(us), ..self }
    }

    const fn paper(self, tile: s1060::Tile) -> Self {
        Rung { published: Source::Paper(tile), ..self }
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

    /// True if the CPU runs it.
    pub(crate) fn is_on_the_host(&self) -> bool {
        matches!(self.runner, Runner::OneThread | Runner::Parallel)
    }

    /// Its kernels, in every grouping worth trying on that many planes; empty for an engine.
    pub fn kernels(&self, planes: usize) -> Vec<Vec<(&'static Kernel, Workgroup)>> {
        let mut all: Vec<Vec<_>> = match self.runner {
            Runner::OneThread | Runner::Parallel | Runner::Fastest | Runner::Shot => vec![],
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
        };
        // A march past the end of the grid is one through all of it.
        for (_, group) in all.iter_mut().flatten().filter(|(_, group)| group.planes > planes) {
            group.planes = Workgroup::ALL;
        }
        let mut seen = Vec::new();
        all.retain(|kernels| {
            let groups: Vec<_> = kernels.iter().map(|(_, group)| *group).collect();
            let new = !seen.contains(&groups);
            seen.push(groups);
            new
        });
        all
    }

    /// True if it has this update: the engines step waves, and one pass of two has no update of its
    /// own.
    pub fn has(&self, update: Update) -> bool {
        match self.runner {
            Runner::Parallel | Runner::Shot => update == Update::Wave,
            _ => !self.part || self.checked || update == Update::Laplacian,
        }
    }

    /// Steps per pass.
    pub(crate) fn steps(&self) -> usize {
        match self.runner {
            Runner::Kernel(kernel) => kernel.steps,
            _ => 1,
        }
    }

    /// Bytes per node and step that its kernel requests from memory with its grouping, for a wing;
    /// `None` for one step per pass.
    pub(crate) fn traffic(kernels: &[(&'static Kernel, Workgroup)], wing: usize) -> Option<f64> {
        kernels.iter().find_map(|(kernel, group)| kernel.traffic(wing, *group))
    }

    /// Read redundancy of its kernels with their groupings, for an operator of an order.
    pub(crate) fn redundancy(
        kernels: &[(&'static Kernel, Workgroup)],
        order: usize,
    ) -> Option<f64> {
        let reads = kernels.iter().map(|(kernel, group)| kernel.redundancy(order, *group));
        // An engine has no kernels: its sum of 0 is no redundancy.
        reads.sum::<Option<f64>>().filter(|reads| *reads > 0.0)
    }

    /// Values read and written per node as if nothing were cached, with marches through the whole
    /// axis: p with its redundancy, what each kernel writes and, in a step of the wave, the previous
    /// p and the model.
    pub(crate) fn accesses(
        kernels: &[(&'static Kernel, Workgroup)],
        order: usize,
        update: Update,
    ) -> Option<f64> {
        let whole = |(kernel, group): &(&'static Kernel, Workgroup)| match group.planes {
            1 => (*kernel, *group),
            // It holds all of its slices at once.
            _ if kernel.name == SLICES_4.name => (*kernel, *group),
            _ => (*kernel, group.over(Workgroup::ALL)),
        };
        let whole: Vec<_> = kernels.iter().map(whole).collect();
        let others = if update == Update::Wave { 2.0 } else { 0.0 };
        Some(Rung::redundancy(&whole, order)? + kernels.len() as f64 + others)
    }

    /// Its published figure for a case or for the nearest one.
    pub(crate) fn published(&self, update: Update, case: &Case) -> Option<Published> {
        match self.published {
            Source::Nowhere => None,
            Source::Thesis(us) => (update == Update::Laplacian).then(|| Published::thesis(us)),
            Source::Paper(tile) => s1060::published(tile, update, case),
        }
    }
}
