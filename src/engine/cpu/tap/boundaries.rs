//! Saves the field on the ring of nodes just outside the model, for a run that reconstructs the
//! wave backward in time. The twin of `save` in `shaders/boundaries.wgsl`.

use super::{CpuTap, FieldView, Moment, Whole};
use crate::{
    EngineError, Observer,
    plan::{Plan, Ring, Saved},
    source_wavefield::About,
};
use half::{f16, slice::HalfFloatSliceExt};
use std::sync::{Arc, Mutex};

/// p on the ring, for each shot and step; empty where nothing was saved yet.
pub struct Boundaries {
    about: About,
    how: Saved,
    ring: Ring,
    /// `[step][shot]`
    rows: Mutex<Vec<Vec<Row>>>,
}

/// The ring of a shot at a step.
#[derive(Clone)]
enum Row {
    Single(Vec<f32>),
    Half(Vec<f16>),
}

impl Boundaries {
    /// Empty storage for the boundaries of a Plan.
    pub fn new(plan: &Plan, how: Saved) -> Self {
        let shots = vec![Row::Single(Vec::new()); plan.shots.len()];
        let rows = Mutex::new(vec![shots; plan.time.steps]);
        Boundaries { about: About::new(plan, how), how, ring: plan.ring(), rows }
    }

    /// The description that a reading Plan must match.
    pub fn about(&self) -> &About {
        &self.about
    }

    fn with<R>(&self, step: usize, shot: usize, of: impl FnOnce(&mut Row) -> R) -> R {
        // A run that failed half-way leaves values that nobody reads.
        let mut rows = self.rows.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        of(&mut rows[step][shot])
    }

    fn save(&self, step: usize, shot: usize, field: &dyn FieldView) {
        let gather = |to: &mut [f32]| {
            for piece in &self.ring.pieces {
                field.column(piece.first, &mut to[piece.at..][..piece.len]);
            }
        };
        self.with(step, shot, |row| match (self.how, row) {
            (Saved::Single, Row::Single(values)) => {
                values.resize(self.ring.nodes, 0.0);
                gather(values);
            }
            (Saved::Single, row) => {
                let mut values = vec![0.0; self.ring.nodes];
                gather(&mut values);
                *row = Row::Single(values);
            }
            (Saved::Half { scale }, row) => {
                let mut values = vec![0.0; self.ring.nodes];
                gather(&mut values);
                let most = f16::MAX.to_f32();
                values.iter_mut().for_each(|v| *v = (*v * scale).clamp(-most, most));
                let mut halves = match std::mem::replace(row, Row::Single(Vec::new())) {
                    Row::Half(halves) => halves,
                    Row::Single(_) => vec![f16::ZERO; values.len()],
                };
                halves.convert_from_f32_slice(&values);
                *row = Row::Half(halves);
            }
        });
    }

    /// The ring of a shot at a step as one array; empty if nothing was saved.
    pub fn read<R>(&self, step: usize, shot: usize, of: impl FnOnce(&Ring, &[f32]) -> R) -> R {
        self.with(step, shot, |row| match (self.how, row) {
            (Saved::Half { scale }, Row::Half(halves)) => {
                let mut values = vec![0.0; halves.len()];
                halves.convert_to_f32_slice(&mut values);
                values.iter_mut().for_each(|v| *v /= scale);
                of(&self.ring, &values)
            }
            (_, Row::Single(values)) => of(&self.ring, values),
            _ => of(&self.ring, &[]),
        })
    }
}

pub(super) struct Save(Arc<Boundaries>);

impl Save {
    pub(super) fn new(boundaries: Arc<Boundaries>) -> Self {
        Save(boundaries)
    }
}

impl CpuTap for Save {
    fn reads(&self, plan: &Plan, step: usize) -> bool {
        plan.saved_steps().contains(&step)
    }

    fn read(&mut self, now: &Whole<'_>, _: &mut dyn Observer) -> Result<(), EngineError> {
        let Moment { step, shot, field, .. } = *now;
        self.0.save(step, shot, field);
        Ok(())
    }
}
