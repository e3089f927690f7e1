//! The density of a model.

use super::{ModelError, VelocityModel, cell, extents, least_and_most};
use crate::grid::{Axes, Grid};
use ndarray::{Array3, ArrayView3};
use rayon::prelude::*;
use std::sync::Arc;

/// Density, kg/m3: constant, or at each node of a velocity model.
///
/// A constant density changes no pressure of a source of given strength, so its value has no effect.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Density {
    nodes: Option<Nodes>,
}

/// Density at each node, kg/m3.
#[derive(Clone, Debug, PartialEq)]
struct Nodes {
    n: Axes<usize>,
    /// Shape `[y][x][z]`.
    values: Arc<Vec<f32>>,
    /// The smallest and the largest.
    range: (f32, f32),
}

/// Reasons why densities were rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum DensityError {
    #[error(
        "the density at cell {} is {value} kg/m3; every density must be a positive, finite number of kg/m3",
        cell(*.at, *.volume)
    )]
    NotPositive { at: Axes<usize>, volume: bool, value: f32 },
    #[error("a density of {value} kg/m3 is not possible; give a positive, finite number of kg/m3")]
    Number { value: f32 },
    #[error(
        "densities from {} to {} kg/m3 look like g/cm3; multiply them by 1000", .range.0, .range.1
    )]
    Grams { range: (f32, f32) },
    #[error(
        "densities from {} to {} kg/m3 are those of no rock or fluid; give them in kg/m3, where water has 1000",
        .range.0, .range.1
    )]
    Unit { range: (f32, f32) },
    #[error(
        "the density has {} nodes, but the velocity has {}; give both on the same nodes",
        extents(*.given), extents(*.expected)
    )]
    Shape { given: Axes<usize>, expected: Axes<usize> },
}

/// Densities up to this, kg/m3, are taken for g/cm3: heavy ores have 8 g/cm3, and gas under pressure
/// as in a reservoir 100 kg/m3.
const GRAMS: f32 = 20.0;
/// No rock is heavier, kg/m3.
const HEAVIEST: f32 = 30_000.0;

impl Density {
    /// Density of water, kg/m3.
    pub const WATER: f32 = 1000.0;

    /// A constant density, kg/m3.
    ///
    /// # Errors
    ///
    /// If it is not positive, or not in kg/m3.
    pub fn uniform(value: f32) -> Result<Self, DensityError> {
        if !(value.is_finite() && value > 0.0) {
            return Err(DensityError::Number { value });
        }
        Density::check_unit(value, value)?;
        Ok(Density::default())
    }

    /// Densities of shape `[y][x][z]`, kg/m3, at the nodes of a velocity model.
    ///
    /// # Errors
    ///
    /// If one is not positive, or if they are not in kg/m3.
    pub fn new(values: Array3<f32>) -> Result<Self, DensityError> {
        let (y, x, z) = values.dim();
        let values = values.as_standard_layout().into_owned().into_raw_vec_and_offset().0;
        Density::from_nodes(Axes { z, x, y }, Arc::new(values))
    }

    /// The values of a model that was read as one of velocities, in kg/m3, without a copy.
    ///
    /// # Errors
    ///
    /// If they are not in kg/m3.
    pub fn from_model(model: &VelocityModel) -> Result<Self, DensityError> {
        Density::from_nodes(model.grid().n, model.shared())
    }

    /// Gardner's rule, `310 v^0.25` with v in m/s; 1000 kg/m3 where v is below 1600 m/s, in water
    /// (Gardner, Gardner and Gregory 1974, "Formation velocity and density", Geophysics 39, 770-780).
    pub fn gardner(model: &VelocityModel) -> Self {
        let rule = |v: &f32| if *v < 1600.0 { Density::WATER } else { 310.0 * v.sqrt().sqrt() };
        let velocities = model.shared();
        let values: Vec<f32> = velocities.par_iter().map(rule).collect();
        let range = least_and_most(&values);
        Density { nodes: Some(Nodes { n: model.grid().n, values: Arc::new(values), range }) }
    }

    /// Smooths the density as [`VelocityModel::smoothed`] does the velocity: 1/rho is averaged, over
    /// `length` metres on the nodes of `grid`.
    ///
    /// # Errors
    ///
    /// If the length is not positive, or longer than the model.
    pub fn smoothed(&self, grid: &Grid, length: f64) -> Result<Self, ModelError> {
        let Some(values) = self.values() else { return Ok(self.clone()) };
        let smoothed = VelocityModel::volume(values.to_owned(), grid.h)?.smoothed(length)?;
        let (n, values, range) = (grid.n, smoothed.shared(), smoothed.range());
        Ok(Density { nodes: Some(Nodes { n, values, range }) })
    }

    /// The values in memory order, without a copy; `None` for a number or no density.
    pub(crate) fn shared(&self) -> Option<&Arc<Vec<f32>>> {
        self.nodes.as_ref().map(|nodes| &nodes.values)
    }

    /// Refuses densities from `least` to `most` kg/m3 that look like another unit.
    ///
    /// # Errors
    ///
    /// [`DensityError::Grams`] or [`DensityError::Unit`].
    pub fn check_unit(least: f32, most: f32) -> Result<(), DensityError> {
        let range = (least, most);
        match most {
            most if most <= GRAMS => Err(DensityError::Grams { range }),
            most if most > HEAVIEST => Err(DensityError::Unit { range }),
            _ => Ok(()),
        }
    }

    fn from_nodes(n: Axes<usize>, values: Arc<Vec<f32>>) -> Result<Self, DensityError> {
        let is_wrong = |value: &f32| !(value.is_finite() && *value > 0.0);
        if let Some(index) = values.par_iter().position_first(is_wrong) {
            let (z, x, y) = (index % n.z, index / n.z % n.x, index / n.z / n.x);
            let (at, volume, value) = (Axes { z, x, y }, n.y > 1, values[index]);
            return Err(DensityError::NotPositive { at, volume, value });
        }
        let range = least_and_most(&values);
        Density::check_unit(range.0, range.1)?;
        Ok(Density { nodes: Some(Nodes { n, values, range }) })
    }

    /// True if all nodes have the same density.
    pub fn is_constant(&self) -> bool {
        self.nodes.as_ref().is_none_or(|nodes| nodes.range.0 == nodes.range.1)
    }

    /// Densities of shape `[y][x][z]`, kg/m3; `None` for a number or no density.
    pub fn values(&self) -> Option<ArrayView3<'_, f32>> {
        let Nodes { n, values, .. } = self.nodes.as_ref()?;
        let view = ArrayView3::from_shape((n.y, n.x, n.z), values);
        Some(view.expect("there is one for each node"))
    }

    /// The smallest and the largest, kg/m3; `None` for a number or no density.
    pub fn range(&self) -> Option<(f32, f32)> {
        self.nodes.as_ref().map(|nodes| nodes.range)
    }

    /// The density at a node of the model, kg/m3; `None` for a number or no density.
    pub fn at(&self, node: Axes<usize>) -> Option<f32> {
        let Nodes { n, values, .. } = self.nodes.as_ref()?;
        values.get((node.y * n.x + node.x) * n.z + node.z).copied()
    }

    /// Refuses densities on other nodes than a velocity model's.
    pub(crate) fn check_grid(&self, grid: &Grid) -> Result<(), DensityError> {
        match &self.nodes {
            Some(Nodes { n, .. }) if *n != grid.n => {
                Err(DensityError::Shape { given: *n, expected: grid.n })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::rock;

    #[test]
    fn densities_in_another_unit_are_refused() {
        let of =
            |values: [f32; 3]| Density::new(Array3::from_shape_fn((1, 3, 1), |at| values[at.1]));
        assert!(of([1000.0, 2300.0, 1.2]).is_ok(), "air over water");
        assert!(matches!(of([1.0, 2.3, 2.7]), Err(DensityError::Grams { .. })));
        assert!(matches!(of([1e6, 2.3e6, 2.7e6]), Err(DensityError::Unit { .. })));
        for bad in [0.0, -2000.0, f32::NAN, f32::INFINITY] {
            let refused = of([1000.0, bad, 2000.0]);
            let at = Axes { z: 0, x: 1, y: 0 };
            assert!(
                matches!(refused, Err(DensityError::NotPositive { at: found, .. }) if found == at)
            );
        }
    }

    #[test]
    fn gardners_rule_has_the_density_of_shale_and_water() {
        let of = |velocity| Density::gardner(&rock([2, 2], [10.0; 2], velocity)).range();
        // 310 times the fourth root of 4096, which is 8.
        assert_eq!(of(4096.0), Some((2480.0, 2480.0)));
        assert_eq!(of(1500.0), Some((1000.0, 1000.0)));
    }
}
