//! Images of shots that run through windows of the model, in the whole model.

use super::Migration;
use crate::plan::{Offsets, Plan};
use ndarray::{Array3, s};

impl Migration<'_> {
    /// The offset gathers that the shots from `shot` on make. In a volume with windows a shot has those
    /// lines that its window has, counted from the window's first plane.
    pub(super) fn offsets_of(&self, shot: usize) -> Vec<Offsets> {
        let (plan, first) = (self.plan, self.plan.shots[shot].window.first.y);
        let in_window = |offsets: &Offsets| {
            let line = offsets.line.checked_sub(first)?;
            (line < plan.model_grid.n.y).then_some(Offsets { line, ..*offsets })
        };
        self.offsets.iter().filter_map(in_window).collect()
    }

    /// The arrays of a shot in the whole model: its image and illumination, then its offset gathers.
    pub(super) fn in_survey(&self, shot: usize, arrays: Vec<Array3<f32>>) -> Vec<Array3<f32>> {
        let plan = self.plan;
        if plan.windows.is_none() {
            return arrays;
        }
        let mut arrays = arrays.into_iter();
        let maps: Vec<_> = arrays.by_ref().take(2).collect();
        let maps = maps.iter().map(|map| plan.in_survey(shot, map.view()));
        let first = plan.shots[shot].window.first;
        let lines = first.y..first.y + plan.model_grid.n.y;
        let gathers = self.offsets.iter().map(|offsets| {
            let made = lines.contains(&offsets.line).then(|| arrays.next()).flatten();
            gathers_in_survey(plan, shot, offsets, made)
        });
        maps.chain(gathers).collect()
    }
}

/// The offset gathers of a shot, `[offset][x][z]`, on the whole line; 0 outside its window.
fn gathers_in_survey(
    plan: &Plan,
    shot: usize,
    offsets: &Offsets,
    made: Option<Array3<f32>>,
) -> Array3<f32> {
    let n = plan.survey_grid().n;
    let mut all = Array3::zeros((offsets.count(), n.x, n.z));
    if let Some(made) = made {
        let first = plan.shots[shot].window.first.x;
        let (_, width, depth) = made.dim();
        all.slice_mut(s![.., first..first + width, ..depth]).assign(&made);
    }
    all
}
