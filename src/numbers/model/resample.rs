//! Resampled models.

use super::{ModelError, VelocityModel, check_nodes};
use crate::grid::{Axes, Grid};
use ndarray::{Array3, ArrayView3, Axis, Zip};

/// A node this far beyond the last one, in units of the spacing, is still on it.
const AT_THE_END: f64 = 1e-6;

impl VelocityModel {
    /// Resamples the model to nodes `h` metres apart, with the first in place: velocities are
    /// interpolated linearly along each axis. Coarser nodes are not averaged: smooth first to avoid
    /// aliasing.
    pub fn resampled(&self, h: Axes<f64>) -> Result<VelocityModel, ModelError> {
        let h = if self.grid.is_volume() { h } else { Axes { y: 1.0, ..h } };
        Grid::volume(Axes { z: 1, x: 1, y: 1 }, h)?;
        let last = self.grid.last();
        let count = |last: f64, h: f64| (last / h + AT_THE_END).floor() as usize + 1;
        let y = if self.grid.is_volume() { count(last.y, h.y) } else { 1 };
        let n = Axes { z: count(last.z, h.z), x: count(last.x, h.x), y };
        check_nodes(n)?;
        if self.grid.is_volume() && n.y == 1 {
            return Err(ModelError::OnePlane);
        }
        let own = self.grid.h;
        let z = along(self.velocity(), Axis(2), n.z, h.z / own.z);
        let x = along(z.view(), Axis(1), n.x, h.x / own.x);
        drop(z);
        let model = VelocityModel::volume(along(x.view(), Axis(0), n.y, h.y / own.y), h)?;
        Ok(model.placed(self.placement))
    }
}

/// `n` samples along an axis, every `step` of the array's.
fn along(values: ArrayView3<'_, f32>, axis: Axis, n: usize, step: f64) -> Array3<f32> {
    let mut shape = values.raw_dim();
    let last = shape[axis.index()] - 1;
    shape[axis.index()] = n;
    let mut resampled = Array3::zeros(shape);
    Zip::from(resampled.lanes_mut(axis)).and(values.lanes(axis)).for_each(|lane, values| {
        for (i, value) in lane.into_iter().enumerate() {
            let at = (i as f64 * step).min(last as f64);
            let low = at.floor();
            let (share, low) = ((at - low) as f32, low as usize);
            let high = (low + 1).min(last);
            *value = values[low] + share * (values[high] - values[low]);
        }
    });
    resampled
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn linear_models_are_exact_and_nodes_stay_in_place() {
        let velocity = Array2::from_shape_fn((11, 21), |(x, z)| (1500 + 20 * x + 5 * z) as f32);
        let model = VelocityModel::new(velocity, 20.0, 10.0).expect("a model");
        let fine = model.resampled(Axes { z: 4.0, x: 8.0, y: 0.0 }).expect("resampled");
        assert_eq!((fine.grid().n.x, fine.grid().n.z), (26, 51));
        for ((_, x, z), v) in fine.velocity().indexed_iter() {
            let expected = 1500.0 + 8.0 * x as f32 + 2.0 * z as f32;
            assert!((v - expected).abs() < 1e-3, "{v} {expected}");
        }
        let back = fine.resampled(Axes { z: 20.0, x: 40.0, y: 1.0 }).expect("resampled");
        assert_eq!((back.grid().n.x, back.grid().n.z), (6, 11));
        assert_eq!(model.resampled(model.grid().h), Ok(model.clone()));
        assert!(matches!(
            model.resampled(Axes { z: 1e-5, x: 1e-5, y: 1.0 }),
            Err(ModelError::TooLarge { .. })
        ));
        for h in [0.0, -5.0, f64::NAN, f64::INFINITY] {
            assert!(model.resampled(Axes { z: h, x: 10.0, y: 1.0 }).is_err(), "{h}");
        }
    }
}
