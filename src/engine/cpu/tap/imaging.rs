//! Correlates the source wavefield of a shot with its backward wave, with VTI both fields of each. The twin
//! of `shaders/imaging.wgsl`.

use super::{CpuTap, Moment, Whole, store::Slots};
use crate::{
    EngineError, Image, Observer, Values,
    plan::{Imaging, Plan},
};
use ndarray::Array3;
use rayon::prelude::*;
use std::sync::Arc;

/// Nodes per task.
const AT_ONCE: usize = 1 << 14;

pub(super) struct Images {
    imaging: Imaging,
    shape: (usize, usize, usize),
    source: Arc<Slots>,
    /// First differences of the field of this run.
    own: Values,
    /// The image and the illumination of each shot, `[y][x][z]` of the model.
    shots: Vec<[Values; 2]>,
}

impl Images {
    pub(super) fn new(plan: &Plan, imaging: Imaging, source: Arc<Slots>) -> Self {
        let none = || Values::F32(Vec::new());
        let shots = (0..plan.shots.len()).map(|_| [none(), none()]).collect();
        Images { imaging, shape: plan.model_grid.shape(), source, own: none(), shots }
    }
}

impl CpuTap for Images {
    fn images(&self) -> Option<&[[Values; 2]]> {
        Some(&self.shots)
    }

    fn reads(&self, plan: &Plan, step: usize) -> bool {
        self.imaging.slot_back(step, plan.time.steps).is_some()
    }

    fn read(&mut self, now: &Whole<'_>, _: &mut dyn Observer) -> Result<(), EngineError> {
        let Moment { plan, step, shot, field } = *now;
        let Some(slot) = self.imaging.slot_back(step, plan.time.steps) else { return Ok(()) };
        field.differences(plan, &mut self.own);
        let (own, [image, illumination]) = (&self.own, &mut self.shots[shot]);
        let cells = plan.model_grid.cells();
        self.source.read(slot, shot, |source| match (source, own) {
            (Values::F32(source), Values::F32(own)) => {
                let (image, illumination) = (image.f32s(cells), illumination.f32s(cells));
                meet(source, own, image, illumination);
            }
            (Values::F64(source), Values::F64(own)) => {
                let (image, illumination) = (image.f64s(cells), illumination.f64s(cells));
                meet(source, own, image, illumination);
            }
            // Nothing was stored of a wave that had not started.
            _ => {}
        });
        Ok(())
    }

    fn flush(&mut self, observer: &mut dyn Observer) {
        for (shot, kept) in self.shots.iter().enumerate() {
            let of = |values: &Values| {
                let values = match values {
                    Values::F32(values) => values.clone(),
                    Values::F64(values) => values.iter().map(|v| *v as f32).collect(),
                };
                Array3::from_shape_vec(self.shape, values)
                    .unwrap_or_else(|_| Array3::zeros(self.shape))
            };
            let [values, illumination] = kept.each_ref().map(of);
            observer.image(Image { of: shot, values });
            observer.illumination(Image { of: shot, values: illumination });
        }
    }
}

/// image <- image + q_f q_b, illumination <- illumination + q_f^2, of each field in turn.
fn meet<T: Copy + Send + Sync + std::ops::AddAssign + std::ops::Mul<Output = T>>(
    source: &[T],
    own: &[T],
    image: &mut [T],
    illumination: &mut [T],
) {
    let cells = image.len().max(1);
    for (source, own) in source.chunks(cells).zip(own.chunks(cells)) {
        let sums = image.par_chunks_mut(AT_ONCE).zip(illumination.par_chunks_mut(AT_ONCE));
        let waves = source.par_chunks(AT_ONCE).zip(own.par_chunks(AT_ONCE));
        sums.zip(waves).for_each(|((image, illumination), (source, own))| {
            for (((image, illumination), f), b) in
                image.iter_mut().zip(illumination).zip(source).zip(own)
            {
                *image += *f * *b;
                *illumination += *f * *f;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_illumination_is_the_source_waves_alone() {
        let (mut image, mut illumination) = ([1.0f32], [1.0]);
        meet(&[2.0], &[5.0], &mut image, &mut illumination);
        assert_eq!((image, illumination), ([11.0], [5.0]));
    }
}
