//! p on the model's nodes at chosen steps.

use super::{CpuTap, FieldView};
use crate::{
    engine::{EngineError, Observer, Snapshot, layout::model_window},
    plan::Plan,
};
use ndarray::Array2;

pub(super) struct Snapshots {
    steps: Vec<usize>,
}

impl Snapshots {
    pub(super) fn new(steps: &[usize]) -> Self {
        Snapshots { steps: steps.to_vec() }
    }
}

impl CpuTap for Snapshots {
    fn read(
        &mut self,
        plan: &Plan,
        step: usize,
        shot: usize,
        field: &dyn FieldView,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        if self.steps.binary_search(&step).is_ok() {
            let (x, z) = model_window(plan);
            let field = Array2::from_shape_fn((x.len(), z.len()), |(ix, iz)| {
                field.at(x.start + ix, z.start + iz)
            });
            observer.snapshot(Snapshot { shot, step, field });
        }
        Ok(())
    }
}
