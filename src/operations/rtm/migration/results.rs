//! The results of a batch, handed out while the device has the waves of the next.

use super::{Back, Migration, OnPartial, Partial, Stack, Units, units};
use crate::plan::normal;
use ndarray::Array3;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// What the shots of a batch gave.
pub(super) struct Results {
    /// The first shot of the batch.
    pub(crate) start: usize,
    pub(crate) back: Back,
    /// The image and the illumination of each shot.
    pub(crate) images: Vec<[Array3<f32>; 2]>,
    /// Offset gathers, by place in the batch.
    pub(crate) gathers: BTreeMap<usize, Vec<Array3<f32>>>,
}

impl Migration<'_> {
    /// Passes the results of each shot, or the sums of several, to `done`.
    pub(super) fn hand_out<E>(
        &self,
        results: Results,
        done: &mut OnPartial<'_, E>,
    ) -> Result<(), E> {
        let _summing = tracing::info_span!(target: "timeline", "summing").entered();
        let Results { start, back: Back { units, misfits, sums, .. }, mut images, mut gathers } =
            results;
        images.par_iter_mut().zip(&units).for_each(|([values, _], unit)| {
            // A power of two: no digit changes.
            let (factor, _) = units::applied(*unit);
            values.mapv_inplace(|v| normal(v * factor));
        });
        let mut images = images.into_iter().zip(units);
        let mut misfits = misfits.into_iter();
        for (place, shots) in sums {
            let mut sum = Stack::default();
            for (shot, (arrays, units)) in shots.zip(images.by_ref()) {
                let (shots, units) = (shot..shot + 1, Units::of_shot(units));
                let misfits = misfits.next().into_iter().collect();
                sum.add(Partial { shots, units, arrays: arrays.into(), misfits });
            }
            for mut partial in sum.into_partials() {
                partial.arrays.extend(gathers.remove(&place).unwrap_or_default());
                partial.arrays = self.in_survey(start + place, partial.arrays);
                done(partial)?;
            }
        }
        Ok(())
    }
}
