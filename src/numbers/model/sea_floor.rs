//! A model without the water on top of it.

use super::{ModelError, VelocityModel};
use crate::grid::Position;
use ndarray::{Axis, s};

/// Velocities of sound in the sea, m/s, from the coldest and freshest to the warmest and deepest,
/// with a margin for models' rounded values.
const WATER: std::ops::RangeInclusive<f32> = 1400.0..=1600.0;

impl VelocityModel {
    /// Metres of water above the shallowest point of the sea floor: the rows from the top on in
    /// which every node is water, from 1400 to 1600 m/s.
    pub fn water_depth(&self) -> f64 {
        let wet = |row: &ndarray::ArrayView2<'_, f32>| row.iter().all(|v| WATER.contains(v));
        self.velocity().axis_iter(Axis(2)).take_while(wet).count() as f64 * self.grid.h.z
    }

    /// Removes the rows above the shallowest point of the sea floor, which becomes z = 0; deeper
    /// water is kept.
    pub fn without_water(&self) -> Result<VelocityModel, ModelError> {
        let rows = (self.water_depth() / self.grid.h.z).round() as usize;
        let top = self.velocity()[[0, 0, 0]];
        if rows == 0 || rows == self.grid.n.z {
            return Err(ModelError::NoSeaFloor { all: rows > 0, top });
        }
        let below = self.velocity().slice(s![.., .., rows..]).to_owned();
        let floor = Position { z: rows as f64 * self.grid.h.z, ..Position::default() };
        Ok(VelocityModel::volume(below, self.grid.h)?.placed(self.placement.from(floor)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::rock;
    use ndarray::Array2;

    #[test]
    fn rows_of_water_are_left_out_down_to_the_shallowest_sea_floor() {
        // The sea floor is at row 3 on the left, row 4 on the right; a warm layer is water too.
        let velocity = Array2::from_shape_fn((4, 8), |(x, z)| match z {
            0 => 1540.0,
            _ if z < 3 + x / 2 => 1480.0,
            _ => (2000 + z) as f32,
        });
        let model = VelocityModel::new(velocity, 20.0, 12.5).expect("a model");
        assert_eq!(model.water_depth(), 37.5);
        let dry = model.without_water().expect("rows are left");
        assert_eq!((dry.grid().n.x, dry.grid().n.z, dry.grid().h.z), (4, 5, 12.5));
        assert_eq!(dry.velocity().slice(s![0, .., 0]).to_vec(), [2003.0, 2003.0, 1480.0, 1480.0]);
        assert_eq!(dry.velocity()[[0, 3, 1]], 2004.0);
        let refused = dry.without_water().expect_err("land on the left").to_string();
        assert!(refused.contains("2003 m/s"), "{refused}");
        let sea = rock([3, 3], [1.0; 2], 1500.0);
        assert!(sea.without_water().expect_err("no floor").to_string().contains("every node"));
    }
}
