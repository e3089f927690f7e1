//! Several steps in one pass over the field (temporal blocking), so that each node is loaded and
//! stored once for all of them.
//!
//! The slowest axis is cut into blocks. In each, a thread takes the first step of some pieces, the
//! second of those behind them, and so on: a front whose steps are `R` pieces apart, where `R` is
//! the stencil's reach. The pieces of the front stay in the cache. No thread needs another's block,
//! because at a cut every step ends `R` pieces before the previous one. This leaves a wedge at each
//! cut, which is stepped afterwards, again without a neighbour.
//!
//! ```text
//! step 3   ===========\          /===========     blocks =
//! step 2   ============\ wedge  /============
//! step 1   =============\      /=============
//!          first         ^ cut ^         last
//! ```
//!
//! Two arrays are enough: step n + 2 overwrites step n, whose readers, at most `R` pieces ahead,
//! are done with it.
//!
//! In a volume a block is stepped in groups of columns, and every step begins and ends `R` columns
//! before the previous one.

use super::{bands::Part, cache};
use crate::Layout;
use std::ops::Range;

/// The most steps of a pass, and those of a volume that pay.
const MOST: usize = 16;
const MOST_IN_VOLUME: usize = 4;
/// Arrays that a step reads: p, p_prev and (v dt)^2.
const ARRAYS: usize = 3;
/// A field of at most this many second-level caches per thread stays in the third-level cache,
/// where single steps are as fast.
const KEPT: usize = 4;
/// A wedge takes at most one part in this many of a block's time.
const WEDGE: usize = 6;

/// The layout of passes of several steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Front {
    /// Reach of the stencil, nodes.
    pub(crate) radius: usize,
    /// Pieces of the slowest axis.
    pub(crate) pieces: usize,
    /// Columns of a piece; 1 in 2-D.
    pub(crate) columns: usize,
    /// Blocks of the slowest axis.
    pub(crate) blocks: usize,
    /// Pieces by which the front advances.
    pub(crate) width: usize,
    /// Columns that are stepped as a group.
    pub(crate) group: usize,
    /// The most steps of a pass that pay, at most [`MOST`].
    pub(crate) steps: usize,
}

/// The pieces that a thread steps by itself, for each step of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// All the pieces that it reads and writes.
    pub(crate) own: Range<usize>,
    steps: Vec<Range<usize>>,
}

/// True if the caches of so many cores keep a field between steps.
pub(crate) fn stays_cached(layout: &Layout, threads: usize) -> bool {
    ARRAYS * size_of::<f32>() * layout.len() <= threads * cache::second() * KEPT
}

impl Front {
    /// The front for a layout, a number of threads and, in a volume, columns per group. `None`
    /// unless the field exceeds what the caches of the cores keep between steps, and is long enough
    /// that wedges are few.
    pub(crate) fn new(layout: &Layout, threads: usize, group: usize) -> Option<Self> {
        let (pieces, _) = layout.slowest();
        if stays_cached(layout, threads) {
            return None;
        }
        let (most, width) = if layout.is_volume() { (MOST_IN_VOLUME, 2) } else { (MOST, 4) };
        // One wedge takes one thread R (steps + 1) threads / pieces of the time of a block.
        let steps = match threads {
            1 => most,
            _ => (pieces / (WEDGE * layout.radius * threads)).saturating_sub(1).min(most),
        };
        let (radius, columns) = (layout.radius, layout.columns());
        let front = Front { radius, pieces, columns, blocks: threads, width, group, steps };
        (front.most_steps() > 1).then_some(front)
    }

    /// The blocks of a pass of `steps` steps, and the wedges between them.
    pub(crate) fn phases(&self, steps: usize) -> [Vec<Block>; 2] {
        let cut = |i: usize| self.pieces * i / self.blocks;
        let left = |i: usize, by: usize| if i == 0 { 0 } else { cut(i) + by };
        let right = |i: usize, by: usize| if i == self.blocks { self.pieces } else { cut(i) - by };
        let reach = |step: usize| (step + 1) * self.radius;
        let block = |i: usize| Block {
            own: cut(i)..cut(i + 1),
            steps: (0..steps).map(|s| left(i, reach(s))..right(i + 1, reach(s))).collect(),
        };
        let around = |i: usize, by: usize| cut(i) - by..cut(i) + by;
        let wedge = |i: usize| Block {
            own: around(i, reach(steps)),
            steps: (0..steps).map(|s| around(i, reach(s))).collect(),
        };
        [(0..self.blocks).map(block).collect(), (1..self.blocks).map(wedge).collect()]
    }

    /// The most steps of a pass: no block may be narrower than the pieces that its neighbours take.
    pub(crate) fn most_steps(&self) -> usize {
        if self.blocks == 1 {
            return self.steps;
        }
        let narrowest = self.pieces / self.blocks;
        (narrowest / (2 * self.radius)).saturating_sub(1).min(self.steps)
    }

    /// Calls `to` with each step of the pass and part, in an order in which inputs are ready.
    pub(crate) fn sweep(&self, block: &Block, mut to: impl FnMut(usize, &Part)) {
        let steps = block.steps.len();
        let groups = self.columns.div_ceil(self.group).max(1);
        for group in 0..groups {
            let edge = |i: usize, step: usize| match i {
                0 => 0,
                i if i == groups => self.columns,
                i => (i * self.group).saturating_sub(step * self.radius),
            };
            let mut done: [usize; MOST] = [0; MOST];
            for (done, pieces) in done.iter_mut().zip(&block.steps) {
                *done = pieces.start;
            }
            while (0..steps).any(|step| done[step] < block.steps[step].end) {
                for step in 0..steps {
                    let end = block.steps[step].end;
                    let until = match step.checked_sub(1) {
                        None => done[step] + self.width,
                        Some(before) if done[before] == block.steps[before].end => end,
                        Some(before) => done[before].saturating_sub(self.radius),
                    };
                    let pieces = done[step]..until.min(end);
                    if !pieces.is_empty() {
                        done[step] = pieces.end;
                        let columns = edge(group, step)..edge(group + 1, step);
                        to(step, &Part { pieces, columns });
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field in two arrays whose nodes hold their step, with one node per column.
    struct Steps {
        arrays: [Vec<usize>; 2],
        columns: usize,
    }

    impl Steps {
        /// Steps a node; true if everything that the stencil reads is at the right step.
        fn step(&mut self, front: &Front, step: usize, piece: usize, column: usize) -> bool {
            let [now, next] = [step % 2, (step + 1) % 2];
            let at = |piece: usize, column: usize| piece * self.columns + column;
            let around =
                |i: usize, n: usize| i.saturating_sub(front.radius)..(i + front.radius + 1).min(n);
            let sees = around(piece, front.pieces).all(|i| self.arrays[now][at(i, column)] == step)
                && around(column, self.columns).all(|i| self.arrays[now][at(piece, i)] == step);
            // Step 1 overwrites the step before step 0.
            let over = &mut self.arrays[next][piece * self.columns + column];
            let follows = *over == (step + 1).saturating_sub(2);
            *over = step + 1;
            sees && follows
        }
    }

    /// True if a pass that sweeps by `front` takes every step of a field with this stencil radius.
    fn is_right(front: &Front, radius: usize, steps: usize) -> bool {
        let nodes = front.pieces * front.columns;
        let mut field = Steps { arrays: [vec![0; nodes], vec![0; nodes]], columns: front.columns };
        let of = Front { radius, ..front.clone() };
        let mut right = true;
        for blocks in front.phases(steps) {
            for block in blocks {
                front.sweep(&block, |step, part| {
                    let Range { start, end } = block.own;
                    right &= start == 0 || part.pieces.start >= start + radius;
                    right &= end == front.pieces || part.pieces.end + radius <= end;
                    for piece in part.pieces.clone() {
                        for column in part.columns.clone() {
                            right &= field.step(&of, step, piece, column);
                        }
                    }
                });
            }
        }
        right && field.arrays[steps % 2].iter().all(|at| *at == steps)
    }

    fn fronts(radius: usize) -> impl Iterator<Item = (Front, usize)> {
        let shapes = [(97, 1), (64, 1), (41, 23), (90, 40)];
        let forms = [(1, 1, 7), (1, 4, 16), (2, 3, 5), (3, 2, 1)];
        shapes.into_iter().flat_map(move |(pieces, columns)| {
            forms.into_iter().flat_map(move |(blocks, width, group)| {
                let steps = MOST;
                let front = Front { radius, pieces, columns, blocks, width, group, steps };
                (1..=front.most_steps()).map(move |steps| (front.clone(), steps))
            })
        })
    }

    #[test]
    fn every_step_finds_what_it_needs() {
        for radius in [1, 2, 3, 4, 8] {
            for (front, steps) in fronts(radius) {
                assert!(is_right(&front, radius, steps), "{front:?}, {steps} steps");
            }
        }
    }

    /// Steps that follow each other one piece too closely read values that are not there yet.
    #[test]
    fn a_front_that_is_too_steep_is_seen() {
        for radius in [2, 4, 8] {
            for (front, steps) in fronts(radius - 1).filter(|(_, steps)| *steps > 1) {
                assert!(!is_right(&front, radius, steps), "{front:?}, {steps} steps");
            }
        }
    }
}
