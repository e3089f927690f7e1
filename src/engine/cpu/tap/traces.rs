//! p at the receivers.

use super::{AtReceivers, CpuTap, Moment};
use crate::{Observer, TraceBlock, plan::Plan};
use ndarray::{Array2, s};

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
        let sample = step / self.every;
        if sample != block.first + block.samples {
            // The run has continued from another step.
            block.flush(shot, observer);
            block.first = sample;
        }
        let receivers = &plan.shots[shot].receivers;
        let column = block.traces.column_mut(block.samples);
        column.into_iter().zip(receivers.iter()).for_each(|(value, receiver)| {
            *value = receiver.sample(p) as f32;
        });
        block.samples += 1;
        if block.samples == block.traces.ncols() {
            block.flush(shot, observer);
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
