//! Snapshots as the observer gets them.

use crate::{
    Observer, SnapshotView,
    gpu::{slab::Slab, wavefield::Wavefield},
    layout::copy,
};
use ndarray::{Array3, ArrayView3};

/// A reported snapshot: in place, or assembled from several slabs.
pub(crate) struct Report<'a> {
    wavefield: &'a Wavefield,
    step: usize,
    /// For each shot.
    assembled: Vec<Array3<f32>>,
    observer: &'a mut dyn Observer,
}

impl<'a> Report<'a> {
    pub(crate) fn new(
        wavefield: &'a Wavefield,
        step: usize,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let plan = &wavefield.own.plan;
        let shots = if wavefield.slabs.len() > 1 { plan.shots.len() } else { 0 };
        let assembled = vec![Array3::zeros(plan.model_grid.shape()); shots];
        Report { wavefield, step, assembled, observer }
    }

    /// Takes a slab's values of a shot.
    pub(crate) fn take(&mut self, slab: &Slab, shot: usize, field: ArrayView3<'_, f32>) {
        let has_factor = self.has_factor();
        match self.assembled.get_mut(shot) {
            Some(whole) => copy(field, slab.part.of_model(&self.wavefield.own, whole)),
            None if has_factor => {
                let mut field = field.to_owned();
                self.wavefield.own.plan.make_pressure(shot, &mut field);
                let field = field.view();
                self.observer.snapshot(SnapshotView { shot, step: self.step, field });
            }
            None => self.observer.snapshot(SnapshotView { shot, step: self.step, field }),
        }
    }

    /// True if p is not the field that is stepped.
    fn has_factor(&self) -> bool {
        self.wavefield.plan.medium.density().is_some()
    }

    pub(crate) fn end(self) {
        let mut assembled = self.assembled;
        for (shot, field) in assembled.iter_mut().enumerate() {
            self.wavefield.own.plan.make_pressure(shot, field);
            self.observer.snapshot(SnapshotView { shot, step: self.step, field: field.view() });
        }
    }
}
