//! Smoothing of models.

use super::{ModelError, VelocityModel};
use crate::host::check_memory;
use ndarray::{Array3, ArrayViewMut1, Axis};
use rayon::prelude::*;
use std::iter::repeat_n;

/// The Gaussian is cut off at this many standard deviations, where it is 6e-5.
const REACH: f64 = 4.0;

impl VelocityModel {
    /// Smooths the model by a Gaussian whose standard deviation along every axis is `length`
    /// metres. The slowness, 1/v, is averaged, so that travel times over longer paths do not
    /// change. Beyond its edges the model is continued.
    pub fn smoothed(&self, length: f64) -> Result<VelocityModel, ModelError> {
        self.smoothed_unless(&|| false, length)
    }

    /// [`Self::smoothed`] unless stopped before its end: that is asked now and then, and is
    /// [`ModelError::Stopped`].
    pub fn smoothed_unless(
        &self,
        stopped: &(dyn Fn() -> bool + Sync),
        length: f64,
    ) -> Result<VelocityModel, ModelError> {
        let (n, h, last) = (self.grid.n, self.grid.h, self.grid.last());
        let longest = last.z.max(last.x).max(if self.grid.is_volume() { last.y } else { 0.0 });
        if !(length > 0.0 && length <= longest) {
            return Err(ModelError::Smooth { length, longest });
        }
        // The slowness, and the velocities that are made of it.
        let bytes = self.velocity.len() * (size_of::<f64>() + size_of::<f32>());
        check_memory("smoothing the model", bytes as u64)?;
        let mut slowness = self.velocity().mapv(|v| 1.0 / f64::from(v));
        for (axis, n, h) in [(0, n.y, h.y), (1, n.x, h.x), (2, n.z, h.z)] {
            if n > 1 {
                along(&mut slowness, Axis(axis), length / h, stopped)?;
            }
        }
        Ok(VelocityModel::volume(slowness.mapv(|s| (1.0 / s) as f32), h)?.placed(self.placement))
    }
}

/// Smooths an array along an axis; `sigma` in nodes. A recursive filter or a Fourier transform would
/// not take longer for a longer `sigma`, but would give other bits.
fn along(
    values: &mut Array3<f64>,
    axis: Axis,
    sigma: f64,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Result<(), ModelError> {
    let reach = (REACH * sigma).ceil() as usize;
    let weight = |k: usize| (-0.5 * (k as f64 / sigma).powi(2)).exp();
    let half: Vec<f64> = (0..=reach).map(weight).collect();
    let sum = half[0] + 2.0 * half[1..].iter().sum::<f64>();
    let lanes: Vec<_> = values.lanes_mut(axis).into_iter().collect();
    lanes.into_par_iter().try_for_each_init(Default::default, |room, values| match stopped() {
        true => Err(ModelError::Stopped),
        false => {
            lane(values, &half, sum, room);
            Ok(())
        }
    })
}

/// Smooths the values of a line. The room is for them with what continues them, and for the sums of
/// their neighbours.
fn lane(
    mut values: ArrayViewMut1<'_, f64>,
    half: &[f64],
    sum: f64,
    [padded, wings]: &mut [Vec<f64>; 2],
) {
    let (n, reach) = (values.len(), half.len() - 1);
    padded.clear();
    padded.extend(repeat_n(values[0], reach));
    padded.extend(values.iter());
    padded.extend(repeat_n(values[n - 1], reach));
    wings.clear();
    wings.resize(n, 0.0);
    // Of all values the nearest pairs first: a processor adds those of several values at once.
    for (k, weight) in half.iter().enumerate().skip(1) {
        let (before, after) = (&padded[reach - k..][..n], &padded[reach + k..][..n]);
        let pairs = before.iter().zip(after);
        wings.iter_mut().zip(pairs).for_each(|(wings, (b, a))| *wings += weight * (b + a));
    }
    values.iter_mut().zip(wings).for_each(|(v, wings)| *v = (half[0] * *v + *wings) / sum);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::rock;
    use ndarray::Array2;

    #[test]
    fn a_step_becomes_the_integral_of_a_gaussian_in_slowness() {
        let (slow, fast) = (1500.0, 3000.0);
        let velocity = Array2::from_shape_fn((7, 201), |(_, z)| if z < 100 { slow } else { fast });
        let model = VelocityModel::new(velocity, 20.0, 5.0).expect("a model");
        let smooth = model.smoothed(50.0).expect("smoothed");
        let at = |z: usize| 1.0 / f64::from(smooth.velocity()[[0, 3, z]]);
        let (s0, s1) = (1.0 / f64::from(slow), 1.0 / f64::from(fast));
        // erf(k / sqrt(2)) / 2 at whole deviations from the step, half a node before 100.
        for (sigmas, area) in [(1.0, 0.341_344_746), (2.0, 0.477_249_868)] {
            let z = 99.5 + 10.0 * sigmas;
            let between = (at(z as usize) + at(z as usize + 1)) / 2.0;
            let expected = s0 + (s1 - s0) * (0.5 + area);
            assert!((between - expected).abs() < 1e-3 * s0, "{between} {expected}");
        }
        assert!((at(0) - s0).abs() < 1e-9 && (at(200) - s1).abs() < 1e-9, "edges are continued");
    }

    #[test]
    fn lengths_that_smooth_nothing_are_refused() {
        let model = rock([5, 5], [10.0; 2], 1500.0);
        for length in [0.0, -1.0, 40.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(model.smoothed(length), Err(ModelError::Smooth { .. })), "{length}");
        }
        assert_eq!(model.smoothed(40.0), Ok(model), "a constant stays");
    }
}
