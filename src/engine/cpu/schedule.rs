//! The order in which tasks step the parts of a field.

use super::{
    bands::Part,
    blocks::{self, Costs},
    front::Front,
    pool::Pool,
};
use crate::{Layout, plan::Plan};

/// An order in which every part finds its inputs.
pub(crate) enum Schedule {
    /// All parts at one step, then at the next.
    Steps(Vec<Part>),
    /// Several steps in a pass, by blocks of the slowest axis.
    Front(Front),
}

/// The most steps between two looks at the receivers, if one is taken at a time.
const MOST: usize = 16;

impl Schedule {
    /// One step at a time.
    pub(crate) fn steps(plan: &Plan, layout: &Layout, threads: usize) -> Self {
        Schedule::Steps(blocks::parts(layout, &Costs::of(plan, layout), threads))
    }

    /// The fastest for a field whose steps need nothing between them; `tile` columns of a volume
    /// fit a cache.
    pub(crate) fn fastest(plan: &Plan, layout: &Layout, threads: usize, tile: usize) -> Self {
        match Front::new(layout, threads, tile) {
            Some(front) => Schedule::Front(front),
            None => Schedule::steps(plan, layout, threads),
        }
    }

    /// The most steps of a pass.
    pub(crate) fn most_steps(&self) -> usize {
        match self {
            Schedule::Steps(_) => MOST,
            Schedule::Front(front) => front.most_steps(),
        }
    }

    /// Calls `to` with each step of a pass and part, on the threads of a pool. No call reads or
    /// writes what another writes at the time, if it reads the stencil's reach around its part in
    /// the array that the step before wrote.
    pub(crate) fn run(&self, pool: &Pool, steps: usize, to: impl Fn(usize, &Part) + Sync) {
        match self {
            Schedule::Steps(parts) => {
                (0..steps).for_each(|step| pool.run(parts.len(), |i| to(step, &parts[i])));
            }
            Schedule::Front(front) => {
                for blocks in front.phases(steps) {
                    pool.run(blocks.len(), |i| front.sweep(&blocks[i], &to));
                }
            }
        }
    }
}

/// The fewest nodes for each thread at which a shot has the threads to itself: about ten
/// microseconds of work, which makes waiting for each other short.
const ALONE: usize = 16 * 1024;

/// Small shots side by side, each in few parts or one.
pub(crate) struct SideBySide(Vec<Part>);

impl SideBySide {
    /// For the shots of a Plan; `None` if each is large enough for all threads.
    pub(crate) fn new(plan: &Plan, layout: &Layout, threads: usize) -> Option<Self> {
        let shots = plan.shots.len();
        let each = (threads / shots.max(1)).max(1);
        (shots > 1 && is_small(plan, threads))
            .then(|| SideBySide(blocks::parts(layout, &Costs::of(plan, layout), each)))
    }

    /// [`Schedule::run`] for so many shots and steps; `to` also gets the shot.
    pub(crate) fn run(
        &self,
        pool: &Pool,
        shots: usize,
        steps: usize,
        to: impl Fn(usize, usize, &Part) + Sync,
    ) {
        let parts = &self.0;
        // A shot of one thread need not wait for others.
        if shots >= pool.threads() {
            return pool.run(shots, |shot| {
                (0..steps).for_each(|step| parts.iter().for_each(|part| to(shot, step, part)));
            });
        }
        for step in 0..steps {
            pool.run(shots * parts.len(), |i| to(i / parts.len(), step, &parts[i % parts.len()]));
        }
    }
}

/// True if a shot of a Plan is too small for so many threads.
pub(crate) fn is_small(plan: &Plan, threads: usize) -> bool {
    threads > 1 && plan.grid.cells() < threads * ALONE
}
