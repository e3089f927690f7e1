//! p at the receivers.

use super::{CpuTap, FieldView};
use crate::{
    engine::{EngineError, Observer, TraceBlock},
    plan::Plan,
};
use ndarray::ArrayView2;

/// Samples kept before the observer is told.
const BLOCK: usize = 256;

pub(super) struct Traces {
    every: usize,
    /// One a shot.
    blocks: Vec<Block>,
}

struct Block {
    receivers: usize,
    first: usize,
    /// [sample][receiver].
    samples: Vec<f32>,
}

impl Traces {
    pub(super) fn new(plan: &Plan, every: usize) -> Self {
        let block = |receivers| Block { receivers, first: 0, samples: Vec::new() };
        Traces {
            every,
            blocks: plan.shots.iter().map(|shot| block(shot.receivers.len())).collect(),
        }
    }
}

impl Block {
    fn rows(&self) -> usize {
        self.samples.len() / self.receivers.max(1)
    }

    fn flush(&mut self, shot: usize, observer: &mut dyn Observer) {
        if self.samples.is_empty() {
            return;
        }
        let rows = self.rows();
        let samples = ArrayView2::from_shape((rows, self.receivers), &self.samples)
            .expect("a block holds whole rows");
        observer.traces(TraceBlock { shot, first: self.first, samples });
        self.first += rows;
        self.samples.clear();
    }
}

impl CpuTap for Traces {
    fn read(
        &mut self,
        plan: &Plan,
        step: usize,
        shot: usize,
        field: &dyn FieldView,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        if step.is_multiple_of(self.every) {
            let block = &mut self.blocks[shot];
            let sample = step / self.every;
            if sample != block.first + block.rows() {
                // The run has gone on from another step.
                block.flush(shot, observer);
                block.first = sample;
            }
            let receivers = &plan.shots[shot].receivers;
            let p = |node| f64::from(field.at(node));
            block.samples.extend(receivers.iter().map(|receiver| receiver.sample(p) as f32));
            if block.samples.len() >= BLOCK * block.receivers {
                block.flush(shot, observer);
            }
        }
        Ok(())
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
