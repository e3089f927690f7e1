//! p on the model's nodes at chosen steps.

use super::{CpuTap, FieldView};
use crate::{
    engine::{EngineError, Observer, SnapshotView},
    grid::Axes,
    plan::Plan,
};
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

    fn read(
        &mut self,
        plan: &Plan,
        step: usize,
        shot: usize,
        field: &dyn FieldView,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        if self.steps.binary_search(&step).is_ok() {
            let origin = plan.origin;
            let field = Array3::from_shape_fn(plan.model_grid.shape(), |(iy, ix, iz)| {
                field.at(Axes { z: origin.z + iz, x: origin.x + ix, y: origin.y + iy })
            });
            observer.snapshot(SnapshotView { shot, step, field: field.view() });
        }
        Ok(())
    }
}
