//! Ends a run whose field grows without bound. The twin of `shaders/watchdog.wgsl`.

use super::{CpuTap, FieldView};
use crate::{
    engine::{EngineError, Observer, blow_up},
    plan::Plan,
};

pub(super) struct Watchdog {
    every: usize,
    limit: f32,
}

impl Watchdog {
    pub(super) fn new(every: usize, limit: f32) -> Self {
        Watchdog { every, limit }
    }
}

impl CpuTap for Watchdog {
    fn read(
        &mut self,
        plan: &Plan,
        step: usize,
        shot: usize,
        field: &dyn FieldView,
        _observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        if !step.is_multiple_of(self.every) && step != plan.time.steps {
            return Ok(());
        }
        // Bits of |p| order as |p| does, infinity and NaN above all numbers.
        let limit = self.limit.to_bits();
        let (mut peak, mut first) = (0, None);
        for index in 0..plan.grid.cells() {
            let value = field.at(plan.grid.node_of(index)).abs().to_bits();
            if value > limit {
                peak = value.max(peak);
                first = first.or(Some(index));
            }
        }
        if let Some(index) = first {
            let node = plan.grid.node_of(index);
            return Err(blow_up(plan, step, shot, node, f32::from_bits(peak)));
        }
        Ok(())
    }
}
