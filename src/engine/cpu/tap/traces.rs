//! p at the receivers.

use super::{AtReceivers, AtSteps, CpuTap, Moment};
use crate::{Observer, TraceBlock, plan::Plan};
use ndarray::{Array2, Axis, s};
use std::sync::{Mutex, PoisonError};

/// The fewest receivers that are worth a task.
const FEWEST: usize = 16;
/// Samples collected before the observer gets them.
const BLOCK: usize = 256;

pub(super) struct Traces {
    every: usize,
    blocks: Vec<Block>,
}

struct Block {
    first: usize,
    samples: usize,
    /// `[receiver][sample]`
    traces: Array2<f32>,
}

impl Traces {
    pub(super) fn new(plan: &Plan, every: usize) -> Self {
        let block = |receivers| {
            let traces = Array2::zeros((receivers, BLOCK.min(plan.time.samples)));
            Block { first: 0, samples: 0, traces }
        };
        Traces {
            every,
            blocks: plan.shots.iter().map(|shot| block(shot.receivers.len())).collect(),
        }
    }
}

impl Block {
    /// Makes sample `sample` the next one.
    fn continue_at(&mut self, sample: usize, shot: usize, observer: &mut dyn Observer) {
        if sample != self.first + self.samples {
            // The run has continued from another step.
            self.flush(shot, observer);
            self.first = sample;
        }
    }

    /// Counts samples that were written.
    fn add(&mut self, samples: usize, shot: usize, observer: &mut dyn Observer) {
        self.samples += samples;
        if self.samples == self.traces.ncols() {
            self.flush(shot, observer);
        }
    }

    fn flush(&mut self, shot: usize, observer: &mut dyn Observer) {
        if self.samples == 0 {
            return;
        }
        let traces = self.traces.slice(s![.., ..self.samples]);
        observer.traces(TraceBlock { shot, first: self.first, traces });
        self.first += self.samples;
        self.samples = 0;
    }
}

impl CpuTap for Traces {
    fn read_receivers(&mut self, now: &AtReceivers<'_>, observer: &mut dyn Observer) {
        let Moment { plan, step, shot, field: p } = *now;
        if !step.is_multiple_of(self.every) {
            return;
        }
        let block = &mut self.blocks[shot];
        block.continue_at(step / self.every, shot, observer);
        let receivers = &plan.shots[shot].receivers;
        let column = block.traces.column_mut(block.samples);
        column.into_iter().zip(receivers.iter()).for_each(|(value, receiver)| {
            *value = receiver.sample(p) as f32;
        });
        block.add(1, shot, observer);
    }

    fn read_steps(&mut self, steps: &AtSteps<'_>, observer: &mut dyn Observer) {
        let AtSteps { shot, ref steps, sample, pool, .. } = *steps;
        let (block, every) = (&mut self.blocks[shot], self.every);
        let (mut next, end) = (steps.start.div_ceil(every), steps.end.div_ceil(every));
        while next < end {
            block.continue_at(next, shot, observer);
            let from = block.samples;
            let count = (end - next).min(block.traces.ncols() - from);
            let each = block.traces.nrows().div_ceil(pool.threads()).max(FEWEST);
            let chunks = block.traces.axis_chunks_iter_mut(Axis(0), each);
            let chunks: Vec<_> = chunks.map(Mutex::new).collect();
            pool.run(chunks.len(), |chunk| {
                let mut rows = chunks[chunk].lock().unwrap_or_else(PoisonError::into_inner);
                for (i, mut row) in rows.outer_iter_mut().enumerate() {
                    for (k, value) in row.iter_mut().skip(from).take(count).enumerate() {
                        *value = sample(chunk * each + i, (next + k) * every) as f32;
                    }
                }
            });
            block.add(count, shot, observer);
            next += count;
        }
    }

    fn pause(&mut self, observer: &mut dyn Observer) {
        self.flush(observer);
    }

    fn flush(&mut self, observer: &mut dyn Observer) {
        for (shot, block) in self.blocks.iter_mut().enumerate() {
            block.flush(shot, observer);
        }
    }
}
