//! The taps on a CPU field: each reads it where it lies. A new tap is one file here and a line in
//! [`Taps::new`].

mod correlation;
mod focus;
mod snapshots;
mod traces;
mod watchdog;

use crate::{
    engine::{EngineError, Observer},
    grid::Axes,
    plan::{Plan, Tap},
};

/// Read access to p of one shot.
pub trait FieldView: Sync {
    /// p at a node of the computational grid.
    fn at(&self, node: Axes<usize>) -> f32;

    /// p at the nodes of a column from `first` on.
    fn column(&self, first: Axes<usize>, to: &mut [f32]) {
        for (i, p) in to.iter_mut().enumerate() {
            *p = self.at(Axes { z: first.z + i, ..first });
        }
    }

    /// Bits of the largest |p|, which order as |p| does, infinity and NaN above all numbers.
    fn peak(&self) -> u32;
}

/// Bits of the largest |p| among some values.
pub fn peak(values: impl Iterator<Item = f32>) -> u32 {
    values.map(|p| p.abs().to_bits()).fold(0, u32::max)
}

/// A tap of a CPU engine.
trait CpuTap {
    /// Reads p of one shot at a step, before it moves on.
    fn read(
        &mut self,
        plan: &Plan,
        step: usize,
        shot: usize,
        field: &dyn FieldView,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError>;

    /// Tells the observer what is held back of the steps so far, at the end of an advance.
    fn pause(&mut self, _observer: &mut dyn Observer) {}

    /// Tells the observer what is still held back, at the end of the run.
    fn flush(&mut self, _observer: &mut dyn Observer) {}
}

/// Every tap of a Plan.
pub struct Taps(Vec<Box<dyn CpuTap + Send>>);

impl Taps {
    /// The taps that a Plan declares.
    pub fn new(plan: &Plan) -> Self {
        let tap = |tap: &Tap| -> Box<dyn CpuTap + Send> {
            match tap {
                Tap::Traces { every } => Box::new(traces::Traces::new(plan, *every)),
                Tap::Snapshots { steps } => Box::new(snapshots::Snapshots::new(steps)),
                Tap::Focus { focus, brought } => {
                    Box::new(focus::Focuses::new(plan, *focus, brought.clone()))
                }
                Tap::Correlation { every } => {
                    Box::new(correlation::Correlations::new(plan, *every))
                }
                Tap::Watchdog { every, limit } => Box::new(watchdog::Watchdog::new(*every, *limit)),
            }
        };
        Taps(plan.taps.iter().map(tap).collect())
    }

    /// Lets every tap read p of one shot at a step. Where one ends the run, what the others hold back is told.
    pub fn read(
        &mut self,
        plan: &Plan,
        step: usize,
        shot: usize,
        field: &dyn FieldView,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        let read =
            self.0.iter_mut().try_for_each(|tap| tap.read(plan, step, shot, field, observer));
        if read.is_err() {
            self.flush(observer);
        }
        read
    }

    /// Tells the observer what is held back of the steps so far.
    pub fn pause(&mut self, observer: &mut dyn Observer) {
        self.0.iter_mut().for_each(|tap| tap.pause(observer));
    }

    /// Tells the observer what is still held back.
    pub fn flush(&mut self, observer: &mut dyn Observer) {
        self.0.iter_mut().for_each(|tap| tap.flush(observer));
    }
}
