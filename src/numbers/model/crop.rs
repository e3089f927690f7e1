//! A part of a model.

use super::{ModelError, VelocityModel};
use crate::grid::Axes;
use ndarray::s;
use std::ops::RangeInclusive;

/// A node this close to an end, in units of the spacing, is inside: a spacing may come from rounded
/// positions, as 12.500107 m, which are off by cells after very many nodes only.
const AT_THE_END: f64 = 0.1;

impl VelocityModel {
    /// The nodes between two positions along each axis, metres; the whole axis if `None`. The first
    /// of them becomes 0.
    pub fn cropped(
        &self,
        part: &Axes<Option<RangeInclusive<f64>>>,
    ) -> Result<VelocityModel, ModelError> {
        let (n, h, last) = (self.grid.n, self.grid.h, self.grid.last());
        let nodes = |axis, part: &Option<RangeInclusive<f64>>, n: usize, h: f64, last: f64| {
            let Some(part) = part else { return Ok(0..n) };
            let (from, to) = (*part.start(), *part.end());
            let first = (from / h - AT_THE_END).ceil().max(0.0);
            let end = (to / h + AT_THE_END).floor().min((n - 1) as f64);
            // Comparisons with NaN are false.
            match from <= to && first <= end {
                true => Ok(first as usize..end as usize + 1),
                false => Err(ModelError::Crop { axis, from, to, last }),
            }
        };
        let z = nodes('z', &part.z, n.z, h.z, last.z)?;
        let x = nodes('x', &part.x, n.x, h.x, last.x)?;
        let y = nodes('y', &part.y, n.y, h.y, last.y)?;
        if self.grid.is_volume() && y.len() == 1 {
            return Err(ModelError::OnePlane);
        }
        let first = Axes { z: z.start, x: x.start, y: y.start }.zip(h).map(|(n, h)| n as f64 * h);
        let part = VelocityModel::volume(self.velocity().slice(s![y, x, z]).to_owned(), h)?;
        Ok(part.placed(self.placement.from(first)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn a_part_keeps_its_nodes_and_their_velocities() {
        let velocity = Array2::from_shape_fn((6, 4), |(x, z)| (1000 + 10 * x + z) as f32);
        let model = VelocityModel::new(velocity, 20.0, 10.0).expect("a model");
        let crop = |x, z| model.cropped(&Axes { z, x, y: None });
        let part = crop(Some(30.0..=80.0), Some(10.0..=1e9)).expect("a part");
        assert_eq!((part.grid().n.x, part.grid().n.z), (3, 3));
        assert_eq!(part.velocity()[[0, 0, 0]], 1021.0);
        assert_eq!(part.velocity()[[0, 2, 2]], 1043.0);
        assert_eq!(crop(None, None), Ok(model.clone()));
        // Its last node lies 9 mm beyond the end.
        let rounded = VelocityModel::new(Array2::from_elem((81, 4), 1500.0), 12.500107, 10.0);
        let whole = Axes { z: None, x: Some(0.0..=1000.0), y: None };
        let part = rounded.and_then(|model| model.cropped(&whole)).expect("a part");
        assert_eq!(part.grid().n.x, 81);
        for none in [23.0..=37.0, 200.0..=300.0, -50.0..=-10.0, 80.0..=30.0, f64::NAN..=f64::NAN] {
            assert!(matches!(crop(Some(none), None), Err(ModelError::Crop { axis: 'x', .. })));
        }
    }
}
