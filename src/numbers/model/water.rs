//! Water on top of a model.

use super::{ModelError, VelocityModel};
use ndarray::s;

impl VelocityModel {
    /// Velocity of sound in water, m/s.
    pub const WATER: f32 = 1500.0;

    /// Sets every node above a depth in metres to a value of water, such as [`VelocityModel::WATER`], to restore
    /// a sea floor that smoothing has blurred.
    pub fn with_water(&self, depth: f64, water: f32) -> Result<VelocityModel, ModelError> {
        if !(depth >= 0.0 && depth.is_finite()) {
            return Err(ModelError::Water { depth });
        }
        let rows = (0..self.grid.n.z).take_while(|z| *z as f64 * self.grid.h.z < depth).count();
        let mut velocity = self.velocity().to_owned();
        velocity.slice_mut(s![.., .., ..rows]).fill(water);
        Ok(VelocityModel::volume(velocity, self.grid.h)?.placed(self.placement))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::rock;

    #[test]
    fn nodes_above_the_depth_are_water() {
        let model = rock([3, 5], [10.0; 2], 2000.0);
        let wet = model.with_water(20.0, VelocityModel::WATER).expect("wet");
        let column: Vec<f32> = wet.velocity().slice(s![0, 1, ..]).to_vec();
        assert_eq!(column, [1500.0, 1500.0, 2000.0, 2000.0, 2000.0]);
        assert_eq!(model.with_water(0.0, VelocityModel::WATER), Ok(model.clone()));
        assert!(
            model.with_water(-1.0, VelocityModel::WATER).is_err()
                && model.with_water(f64::NAN, VelocityModel::WATER).is_err()
        );
    }
}
