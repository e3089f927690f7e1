//! The reflection of a model at normal incidence.

use super::VelocityModel;
use ndarray::{Array3, ArrayView3, Axis};
use std::sync::Arc;

/// Reflection coefficients of normal incidence down each column, shape `[y][x][z]` as the velocities
/// and, if it varies, the density.
///
/// If v1 lies above v2, the coefficient is `R = (v2 - v1) / (v2 + v1)`, with impedances for velocities if
/// the density varies, and its interface lies half
/// way between the two nodes. It is divided between them, `R v1^2 / (v1^2 + v2^2)` above and
/// `R v2^2 / (v1^2 + v2^2)` below, so that both sum to R. As a field at t = 0 these are equal
/// sources on either side, since a source of the wave equation is the field over v^2. The wave of
/// the lower one through the interface and the reflection of the upper one arrive, on average, when
/// a wave from the interface does. A coefficient on the node below alone is late by half a cell of
/// the lower layer.
pub fn reflectivity(
    velocity: ArrayView3<'_, f32>,
    density: Option<ArrayView3<'_, f32>>,
) -> Array3<f32> {
    let mut coefficients: Array3<f32> = Array3::zeros(velocity.dim());
    let columns = velocity.dim().1;
    let lanes = velocity.lanes(Axis(2)).into_iter().enumerate();
    for (mut column, (lane, velocity)) in coefficients.lanes_mut(Axis(2)).into_iter().zip(lanes) {
        let (y, x) = (lane / columns, lane % columns);
        for below in 1..velocity.len() {
            let [v1, v2] = [velocity[below - 1], velocity[below]].map(f64::from);
            let [z1, z2] = [(v1, below - 1), (v2, below)]
                .map(|(v, z)| density.map_or(v, |density| v * f64::from(density[[y, x, z]])));
            let share = (z2 - z1) / (z2 + z1) / (v1 * v1 + v2 * v2);
            column[below - 1] += (share * v1 * v1) as f32;
            column[below] += (share * v2 * v2) as f32;
        }
    }
    coefficients
}

impl VelocityModel {
    /// [`reflectivity`] of the model with a constant density.
    pub fn reflectivity(&self) -> Array3<f32> {
        reflectivity(self.velocity(), None)
    }

    /// The model at half its velocities, in which one-way times equal the model's two-way times.
    pub fn halved(&self) -> VelocityModel {
        let velocity = Arc::new(self.velocity.iter().map(|v| 0.5 * v).collect());
        let range = (0.5 * self.range.0, 0.5 * self.range.1);
        VelocityModel { velocity, range, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, Zip, s};

    #[test]
    fn a_coefficient_is_shared_by_the_nodes_around_its_interface() {
        let velocity = Array2::from_shape_fn((3, 6), |(_, z)| [1500.0, 3000.0][z / 3] as f32);
        let model = VelocityModel::new(velocity, 10.0, 10.0).expect("a model");
        let coefficients = model.reflectivity();
        let column: Vec<f32> = coefficients.slice(s![0, 1, ..]).to_vec();
        let third = 1.0 / 3.0;
        assert_eq!(column[..2], [0.0; 2]);
        assert!((column[2] - 0.2 * third).abs() < 1e-6 && (column[3] - 0.8 * third).abs() < 1e-6);
        assert_eq!(column[4..], [0.0; 2]);
        // It is the same at half the velocities, but for rounding.
        let halved = model.halved().reflectivity();
        Zip::from(&halved).and(&coefficients).for_each(|a, b| assert!((a - b).abs() < 1e-7));
        assert_eq!(model.halved().range(), (750.0, 1500.0));
    }
}
