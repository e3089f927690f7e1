//! Several steps in one pass over a volume by all threads together, so that each node is loaded and
//! stored once for all of them.
//!
//! All threads move along the slowest axis. At a tick each takes the first step of the next planes
//! in its own columns, the second step of planes further back, and so on. A step follows the one
//! before at a distance of R planes, the stencil's reach, and of the planes of a tick, so no step
//! reads what another thread writes in the same tick. Threads wait for each other once a tick.
//!
//! ```text
//! plane      ... 20 21 22 23 24 25 26 27 28 29 30 31
//! step 1                                       [==]
//! step 2                           [==]
//! step 3               [==]
//! ```
//!
//! Two arrays are enough, as in [`super::front`], whose blocks along the slowest axis would be too
//! thin for many threads. Planes are stepped in groups of columns, and every step begins and ends
//! `R` columns before the previous one.

use super::{bands::Part, blocks::Costs, cache, front};
use crate::Layout;
use std::ops::Range;

/// Planes of a tick: as many as are stepped jointly.
const WIDTH: usize = 2;
/// The most steps of a pass that pay.
const MOST: usize = 4;
/// The fewest columns of a thread in a group, in reaches of the stencil: it reads two more reaches.
const NARROWEST: usize = 4;

/// The layout of passes of several steps by all threads together.
pub struct Wave {
    /// Reach of the stencil, nodes.
    pub radius: usize,
    /// Planes, and columns of a plane.
    pub pieces: usize,
    pub columns: Costs,
    pub threads: usize,
    /// Columns that are stepped as a group.
    pub group: usize,
    /// The most steps of a pass.
    pub steps: usize,
}

/// A time at which no task needs another.
#[derive(Clone, Copy, Debug)]
pub struct Tick {
    /// Steps of the pass.
    pub steps: usize,
    group: usize,
    /// Planes that the first step has begun or passed.
    until: usize,
}

impl Wave {
    /// The wave for a volume; `None` if its fields stay in the caches between steps, or if threads
    /// would have few columns.
    pub fn new(layout: &Layout, columns: Costs, threads: usize) -> Option<Self> {
        let (pieces, _) = layout.slowest();
        let narrowest = NARROWEST * layout.radius;
        let fits = layout.n.x >= threads * narrowest / 2 && pieces >= MOST * layout.radius;
        if !layout.is_volume() || !fits || front::stays_cached(layout, threads) {
            return None;
        }
        // The planes between the first step and the last, and what these read.
        let planes = MOST * (layout.radius + WIDTH) + layout.radius;
        let room = cache::second() / size_of::<f32>();
        let width = room / (front::ARRAYS * planes * layout.column);
        let widest = threads * width.saturating_sub(2 * layout.radius).max(narrowest);
        let groups = layout.n.x.div_ceil(widest);
        let group = layout.n.x.div_ceil(groups);
        Some(Wave { radius: layout.radius, pieces, columns, threads, group, steps: MOST })
    }

    /// The ticks of a pass, in order.
    pub fn ticks(&self, steps: usize) -> impl Iterator<Item = Tick> + use<> {
        let last = self.pieces + (steps - 1) * (self.radius + WIDTH);
        let groups = self.columns.len().div_ceil(self.group).max(1);
        let untils = (1..=last.div_ceil(WIDTH)).map(|tick| tick * WIDTH);
        (0..groups)
            .flat_map(move |group| untils.clone().map(move |until| Tick { steps, group, until }))
    }

    /// Tasks of a tick, those of a thread in a row.
    pub fn tasks(&self, tick: Tick) -> usize {
        self.threads * tick.steps
    }

    /// A task of a tick: the step of the pass and the part of the field.
    pub fn task(&self, tick: Tick, task: usize) -> (usize, Part) {
        let (thread, step) = (task / tick.steps, task % tick.steps);
        let reached =
            |until: usize| until.saturating_sub(step * (self.radius + WIDTH)).min(self.pieces);
        let pieces = reached(tick.until - WIDTH)..reached(tick.until);
        let columns = self.columns.part(self.columns_of(tick.group, step), thread, self.threads);
        (step, Part { pieces, columns })
    }

    /// The columns of a group that a step of a pass takes.
    fn columns_of(&self, group: usize, step: usize) -> Range<usize> {
        let all = self.columns.len();
        let edge = |i: usize| match i * self.group {
            0 => 0,
            at if at >= all => all,
            at => at.saturating_sub(step * self.radius),
        };
        edge(group)..edge(group + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The step of each column of planes in two arrays, and the tick that wrote it last.
    struct Steps {
        arrays: [Vec<(usize, usize)>; 2],
        columns: usize,
    }

    /// True if a pass takes every step of a field with this stencil radius, and no task reads or
    /// writes what another of its tick writes.
    fn is_right(wave: &Wave, radius: usize, steps: usize) -> bool {
        let columns = wave.columns.len();
        let nodes = wave.pieces * columns;
        let mut field = Steps { arrays: [vec![(0, 0); nodes], vec![(0, 0); nodes]], columns };
        let around = |i: usize, n: usize| i.saturating_sub(radius)..(i + radius + 1).min(n);
        for (now, tick) in wave.ticks(steps).enumerate().map(|(i, tick)| (i + 1, tick)) {
            for task in 0..wave.tasks(tick) {
                let (step, part) = wave.task(tick, task);
                for (piece, column) in part
                    .pieces
                    .clone()
                    .flat_map(|piece| part.columns.clone().map(move |column| (piece, column)))
                {
                    let [from, to] = [step % 2, (step + 1) % 2];
                    let at = |piece: usize, column: usize| piece * field.columns + column;
                    let sees = around(piece, wave.pieces).all(|piece| {
                        around(column, columns).all(|column| {
                            let (has, written) = field.arrays[from][at(piece, column)];
                            has == step && (step == 0 || written < now)
                        })
                    });
                    let over = &mut field.arrays[to][piece * field.columns + column];
                    // Step 1 overwrites the step before step 0.
                    let follows = over.0 == (step + 1).saturating_sub(2);
                    if !sees || !follows || over.1 == now {
                        return false;
                    }
                    *over = (step + 1, now);
                }
            }
        }
        field.arrays[steps % 2].iter().all(|(at, _)| *at == steps)
    }

    fn waves(radius: usize) -> impl Iterator<Item = (Wave, usize)> {
        let shapes = [(41, 23), (30, 64), (17, 33)];
        let forms = [(1, 64), (2, 11), (3, 16), (5, 33)];
        shapes.into_iter().flat_map(move |(pieces, columns)| {
            forms.into_iter().flat_map(move |(threads, group)| {
                (1..=5).map(move |steps| {
                    let columns = Costs::even(columns);
                    let group = group.max(2 * radius);
                    (Wave { radius, pieces, columns, threads, group, steps }, steps)
                })
            })
        })
    }

    #[test]
    fn every_step_finds_what_it_needs() {
        for radius in [1, 2, 4, 8] {
            for (wave, steps) in waves(radius) {
                assert!(is_right(&wave, radius, steps), "{radius}, {steps} steps");
            }
        }
    }

    /// Steps that follow each other one plane too closely read values that are not there yet.
    #[test]
    fn a_wave_that_is_too_steep_is_seen() {
        for radius in [2, 4, 8] {
            for (wave, steps) in waves(radius - 1).filter(|(_, steps)| *steps > 1) {
                assert!(!is_right(&wave, radius, steps), "{radius}, {steps} steps");
            }
        }
    }
}
