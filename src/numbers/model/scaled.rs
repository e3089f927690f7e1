//! A model with all velocities multiplied.

use super::{ModelError, VelocityModel};

impl VelocityModel {
    /// The model with every velocity times `factor`.
    ///
    /// # Errors
    ///
    /// [`ModelError`] if a velocity becomes invalid.
    pub fn scaled(&self, factor: f64) -> Result<Self, ModelError> {
        let velocity = self.velocity().mapv(|v| (f64::from(v) * factor) as f32);
        Ok(VelocityModel::volume(velocity, self.grid().h)?.placed(self.placement))
    }
}
