//! The zero-lag correlation of the fields of each pair of shots. The twin of
//! `shaders/correlation.wgsl`.

use super::{CpuTap, Moment, Whole};
use crate::{EngineError, Image, Observer, plan::Plan};
use ndarray::Array3;
use rayon::prelude::*;

pub(super) struct Correlations {
    every: usize,
    shape: (usize, usize, usize),
    /// p of the first shot of a pair at this step.
    first: Vec<f32>,
    /// For each pair, `[y][x][z]` of the model.
    images: Vec<Vec<f32>>,
}

impl Correlations {
    pub(super) fn new(plan: &Plan, every: usize) -> Self {
        let nodes = || vec![0.0; plan.model_grid.cells()];
        let images = (0..plan.shots.len() / 2).map(|_| nodes()).collect();
        Correlations { every, shape: plan.model_grid.shape(), first: nodes(), images }
    }
}

impl CpuTap for Correlations {
    fn reads(&self, _plan: &Plan, step: usize) -> bool {
        step.is_multiple_of(self.every)
    }

    fn read(&mut self, now: &Whole<'_>, _: &mut dyn Observer) -> Result<(), EngineError> {
        let Moment { plan, shot, field, .. } = *now;
        let n = plan.model_grid.n;
        let column = |index: usize, p: &mut [f32]| field.model_column(plan, index, p);
        let first = self.first.par_chunks_mut(n.z).enumerate();
        if shot.is_multiple_of(2) {
            first.for_each(|(index, p)| column(index, p));
            return Ok(());
        }
        let image = self.images[shot / 2].par_chunks_mut(n.z);
        first.zip(image).for_each_init(
            || vec![0.0; n.z],
            |second, ((index, first), image)| {
                column(index, second);
                for ((image, a), b) in image.iter_mut().zip(first).zip(second) {
                    *image += *a * *b;
                }
            },
        );
        Ok(())
    }

    fn flush(&mut self, observer: &mut dyn Observer) {
        for (pair, image) in self.images.iter().enumerate() {
            let values = Array3::from_shape_vec(self.shape, image.clone());
            let values = values.expect("as many as nodes");
            observer.image(Image { of: pair, values });
        }
    }
}
