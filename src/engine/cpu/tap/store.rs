//! Stores the first differences of the field, to correlate them with another wave. The twin of
//! `shaders/store.wgsl`.

use super::{CpuTap, Moment, Whole};
use crate::{
    EngineError, Observer, Values,
    plan::{Imaging, Plan},
    source_wavefield::About,
};
use std::sync::{Arc, Mutex};

/// p - p_prev on the model's nodes, `[y][x][z]`, with VTI of both fields, for each shot and slot; empty if not
/// stored yet.
pub(crate) struct Slots {
    about: About,
    values: Mutex<Vec<Vec<Values>>>,
}

impl Slots {
    /// Empty storage for the slots of a Plan.
    pub(crate) fn new(plan: &Plan, imaging: Imaging) -> Self {
        let shots = || (0..plan.shots.len()).map(|_| Values::F32(Vec::new())).collect();
        let values = Mutex::new((0..imaging.slots).map(|_| shots()).collect());
        Slots { about: About::new(plan, imaging), values }
    }

    /// The description that a reading Plan must match.
    pub(crate) fn about(&self) -> &About {
        &self.about
    }

    fn with<R>(&self, slot: usize, shot: usize, of: impl FnOnce(&mut Values) -> R) -> R {
        // A run that failed half-way leaves values that nobody reads.
        let mut slots = self.values.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        of(&mut slots[slot][shot])
    }

    /// The values of a shot in a slot.
    pub(crate) fn read<R>(&self, slot: usize, shot: usize, of: impl FnOnce(&Values) -> R) -> R {
        self.with(slot, shot, |values| of(values))
    }
}

pub(super) struct Store {
    imaging: Imaging,
    slots: Arc<Slots>,
}

impl Store {
    pub(super) fn new(imaging: Imaging, slots: Arc<Slots>) -> Self {
        Store { imaging, slots }
    }
}

impl CpuTap for Store {
    fn reads(&self, _plan: &Plan, step: usize) -> bool {
        self.imaging.slot(step).is_some()
    }

    fn read(&mut self, now: &Whole<'_>, _: &mut dyn Observer) -> Result<(), EngineError> {
        let Moment { plan, step, shot, field } = *now;
        if let Some(slot) = self.imaging.slot(step) {
            self.slots.with(slot, shot, |values| field.differences(plan, values));
        }
        Ok(())
    }
}
