//! p on the model's nodes at chosen steps.

use super::{CpuTap, Moment, Whole};
use crate::{EngineError, Observer, SnapshotView, grid::Axes, plan::Plan};
use ndarray::Array3;

pub(super) struct Snapshots {
    steps: Vec<usize>,
}

impl Snapshots {
    pub(super) fn new(steps: &[usize]) -> Self {
        Snapshots { steps: steps.to_vec() }
    }
}

impl CpuTap for Snapshots {
    fn reads(&self, _plan: &Plan, step: usize) -> bool {
        self.steps.binary_search(&step).is_ok()
    }

    fn read(&mut self, now: &Whole<'_>, observer: &mut dyn Observer) -> Result<(), EngineError> {
        let Moment { plan, step, shot, field } = *now;
        let mut field = Array3::from_shape_fn(plan.model_grid.shape(), |(y, x, z)| {
            field.at(plan.on_grid(Axes { z, x, y }))
        });
        plan.make_pressure(shot, &mut field);
        observer.snapshot(SnapshotView { shot, step, field: field.view() });
        Ok(())
    }
}
