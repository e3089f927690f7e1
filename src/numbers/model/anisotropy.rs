//! Thomsen's parameters of a rock whose axis of symmetry is vertical (VTI).

use super::{cell, extents, least_and_most};
use crate::grid::{Axes, Grid, Position};
use ndarray::Array3;
use rayon::prelude::*;
use std::{f64::consts::PI, sync::Arc};

/// epsilon or delta: a number, or a value at each node of a velocity model.
#[derive(Clone, Debug, PartialEq)]
pub struct Thomsen {
    /// `None` for a number.
    n: Option<Axes<usize>>,
    /// One, or shape `[y][x][z]`.
    values: Arc<Vec<f32>>,
}

/// epsilon and delta of a VTI rock, whose velocities are those along its vertical axis (Thomsen 1986, "Weak elastic
/// anisotropy", Geophysics 51, 1954-1966).
#[derive(Clone, Debug, PartialEq)]
pub struct Anisotropy {
    epsilon: Thomsen,
    delta: Thomsen,
    shear_ratio: f64,
}

/// Reasons why anisotropy was rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum AnisotropyError {
    #[error("{what} is {value}{}; give a finite number", place(*.at, *.volume))]
    NotFinite { what: &'static str, value: f32, at: Option<Axes<usize>>, volume: bool },
    #[error(
        "{what} has {} nodes, but the velocity has {}; give both on the same nodes",
        extents(*.given), extents(*.expected)
    )]
    Shape { what: &'static str, given: Axes<usize>, expected: Axes<usize> },
    #[error(
        "a shear ratio (vs/vp) of {0} is not possible; give a number above 0 and below 1, usually 0.32"
    )]
    ShearRatio(f64),
    #[error(
        "epsilon is {epsilon}{}, which leaves no velocity across the axis; give more than -0.5",
        place(*.at, *.volume)
    )]
    NoVelocity { epsilon: f32, at: Option<Axes<usize>>, volume: bool },
    #[error(
        "epsilon is {epsilon}, below delta, {delta}{}, and the waves of VTI may then grow; give model.anisotropy = \
         \"elliptical-where-needed\", which lowers delta to epsilon at such nodes, or another delta",
        place(*.at, *.volume)
    )]
    BelowDelta { epsilon: f32, delta: f32, at: Option<Axes<usize>>, volume: bool },
    #[error(
        "delta is {delta}{}, below the {least:.3} that a shear ratio (vs/vp) of {shear_ratio} allows; give a larger \
         delta, or a smaller shear ratio",
        place(*.at, *.volume)
    )]
    LowDelta { delta: f32, least: f64, shear_ratio: f64, at: Option<Axes<usize>>, volume: bool },
}

/// Where a value is, unless it is everywhere.
fn place(at: Option<Axes<usize>>, volume: bool) -> String {
    at.map_or_else(String::new, |at| format!(" at cell {}", cell(at, volume)))
}

/// Where delta was lowered to epsilon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lowered {
    /// Nodes; 1 if both are numbers.
    pub nodes: usize,
    /// The node at which it was lowered most; `None` if both are numbers.
    pub most: Option<Axes<usize>>,
    /// By how much there.
    pub by: f32,
    /// Whether the model is 3-D.
    pub volume: bool,
}

impl Default for Thomsen {
    fn default() -> Self {
        Thomsen::uniform(0.0)
    }
}

impl Thomsen {
    /// The same everywhere.
    pub fn uniform(value: f32) -> Self {
        Thomsen { n: None, values: Arc::new(vec![value]) }
    }

    /// Values of shape `[y][x][z]`, at the nodes of a velocity model.
    pub fn new(values: Array3<f32>) -> Self {
        let (y, x, z) = values.dim();
        let values = values.as_standard_layout().into_owned().into_raw_vec_and_offset().0;
        Thomsen { n: Some(Axes { z, x, y }), values: Arc::new(values) }
    }

    fn at(&self, index: usize) -> f32 {
        if self.n.is_some() { self.values[index] } else { self.values[0] }
    }

    /// Whether it is this number everywhere.
    fn is(&self, number: f32) -> bool {
        self.values.par_iter().all(|value| *value == number)
    }
}

impl Anisotropy {
    /// vs/vp along the axis if none is given. It keeps the two fields of VTI apart and has little effect on P waves.
    pub const SHEAR_RATIO: f64 = 0.32;

    /// Parameters at the nodes of a velocity model, and vs/vp along the axis.
    ///
    /// # Errors
    ///
    /// If waves could grow, or if they would have no velocity, with the node: the equations need `1 + 2 epsilon > 0`,
    /// `epsilon >= delta` and `f + 2 delta >= 0`, where f = 1 - (vs/vp)^2.
    pub fn new(
        epsilon: Thomsen,
        delta: Thomsen,
        shear_ratio: f64,
    ) -> Result<Self, AnisotropyError> {
        if !(shear_ratio > 0.0 && shear_ratio < 1.0) {
            return Err(AnisotropyError::ShearRatio(shear_ratio));
        }
        let made = Anisotropy { epsilon, delta, shear_ratio };
        made.check()?;
        Ok(made)
    }

    /// [`Anisotropy::new`] with delta lowered to epsilon where it is larger; also returns where.
    ///
    /// # Errors
    ///
    /// As [`Anisotropy::new`].
    pub fn elliptical_where_needed(
        epsilon: Thomsen,
        delta: Thomsen,
        shear_ratio: f64,
    ) -> Result<(Self, Option<Lowered>), AnisotropyError> {
        let n = epsilon.n.or(delta.n);
        let count = n.map_or(1, |n| n.z * n.x * n.y);
        if let (Some(given), Some(expected)) = (delta.n, epsilon.n)
            && given != expected
        {
            return Err(AnisotropyError::Shape { what: "delta", given, expected });
        }
        let excess = |i: usize| delta.at(i) - epsilon.at(i);
        let nodes = (0..count).into_par_iter().filter(|i| excess(*i) > 0.0).count();
        if nodes == 0 {
            return Ok((Anisotropy::new(epsilon, delta, shear_ratio)?, None));
        }
        let most = (0..count).max_by(|a, b| excess(*a).total_cmp(&excess(*b))).unwrap_or(0);
        let volume = n.is_some_and(|n| n.y > 1);
        let lowered = Lowered { nodes, most: n.map(|n| node(most, n)), by: excess(most), volume };
        let values = (0..count).into_par_iter().map(|i| delta.at(i).min(epsilon.at(i))).collect();
        let delta = Thomsen { n, values: Arc::new(values) };
        Ok((Anisotropy::new(epsilon, delta, shear_ratio)?, Some(lowered)))
    }

    fn nodes(&self) -> Option<Axes<usize>> {
        self.epsilon.n.or(self.delta.n)
    }

    fn check(&self) -> Result<(), AnisotropyError> {
        let Anisotropy { epsilon, delta, shear_ratio } = self;
        let n = self.nodes();
        if let (Some(expected), Some(given)) = (epsilon.n, delta.n)
            && given != expected
        {
            return Err(AnisotropyError::Shape { what: "delta", given, expected });
        }
        let volume = n.is_some_and(|n| n.y > 1);
        let count = n.map_or(1, |n| n.z * n.x * n.y);
        let wrong = |i: usize| {
            let at = n.map(|n| node(i, n));
            let (epsilon, delta) = (epsilon.at(i), delta.at(i));
            for (what, value) in [("epsilon", epsilon), ("delta", delta)] {
                if !value.is_finite() {
                    return Some(AnisotropyError::NotFinite { what, value, at, volume });
                }
            }
            if 1.0 + 2.0 * epsilon <= 0.0 {
                return Some(AnisotropyError::NoVelocity { epsilon, at, volume });
            }
            if epsilon < delta {
                return Some(AnisotropyError::BelowDelta { epsilon, delta, at, volume });
            }
            let (least, shear_ratio) = (-0.5 * self.f(), *shear_ratio);
            let is_low = f64::from(delta) < least;
            is_low.then_some(AnisotropyError::LowDelta { delta, least, shear_ratio, at, volume })
        };
        (0..count).into_par_iter().find_map_first(wrong).map_or(Ok(()), Err)
    }

    /// `f = 1 - (vs/vp)^2`.
    pub fn f(&self) -> f64 {
        1.0 - self.shear_ratio * self.shear_ratio
    }

    /// vs/vp along the axis.
    pub fn shear_ratio(&self) -> f64 {
        self.shear_ratio
    }

    /// True if both parameters are 0 everywhere.
    pub fn is_isotropic(&self) -> bool {
        self.epsilon.is(0.0) && self.delta.is(0.0)
    }

    /// epsilon and delta at the nodes of a model, by their index in memory order.
    pub(crate) fn at(&self, index: usize) -> [f64; 2] {
        [&self.epsilon, &self.delta].map(|values| f64::from(values.at(index)))
    }

    /// The smallest and the largest epsilon and delta.
    pub fn ranges(&self) -> [(f32, f32); 2] {
        [&self.epsilon, &self.delta].map(|all| least_and_most(&all.values))
    }

    /// Refuses parameters on other nodes than a velocity model's.
    pub(crate) fn check_grid(&self, grid: &Grid) -> Result<(), AnisotropyError> {
        for (what, values) in [("epsilon", &self.epsilon), ("delta", &self.delta)] {
            if let Some(given) = values.n.filter(|n| *n != grid.n) {
                return Err(AnisotropyError::Shape { what, given, expected: grid.n });
            }
        }
        Ok(())
    }

    /// The same with both parameters 0 up to half of `length` metres from each of some points, and from there on
    /// growing to their values at `length`: a source there makes hardly any of the slow wave.
    #[must_use]
    pub fn isotropic_around(&self, grid: &Grid, points: &[Position], length: f64) -> Self {
        let Axes { z, x, y } = grid.n;
        let mut factors = vec![1.0f32; grid.cells()];
        for point in points {
            let near = |at: f64, h: f64, n: usize| {
                let first = ((at - length) / h).ceil().max(0.0) as usize;
                first..((((at + length) / h).floor() + 1.0).max(0.0) as usize).min(n)
            };
            let along_y = if grid.is_volume() { near(point.y, grid.h.y, y) } else { 0..1 };
            for (j, i) in along_y.flat_map(|j| near(point.x, grid.h.x, x).map(move |i| (j, i))) {
                for k in near(point.z, grid.h.z, z) {
                    let off = |n: usize, h: f64, at: f64| (n as f64 * h - at).powi(2);
                    let across = if grid.is_volume() { off(j, grid.h.y, point.y) } else { 0.0 };
                    let r2 = off(k, grid.h.z, point.z) + off(i, grid.h.x, point.x) + across;
                    let u = (2.0 * r2.sqrt() / length - 1.0).clamp(0.0, 1.0);
                    let factor = &mut factors[(j * x + i) * z + k];
                    *factor = factor.min((0.5 - 0.5 * (PI * u).cos()) as f32);
                }
            }
        }
        let scaled = |of: &Thomsen| {
            let values = factors.par_iter().enumerate().map(|(i, factor)| factor * of.at(i));
            Thomsen { n: Some(grid.n), values: Arc::new(values.collect()) }
        };
        Anisotropy {
            epsilon: scaled(&self.epsilon),
            delta: scaled(&self.delta),
            shear_ratio: self.shear_ratio,
        }
    }
}

/// The node of an index in memory order.
fn node(index: usize, n: Axes<usize>) -> Axes<usize> {
    Axes { z: index % n.z, x: index / n.z % n.x, y: index / n.z / n.x }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(epsilon: [f32; 3], delta: [f32; 3]) -> Result<Anisotropy, AnisotropyError> {
        let values = |of: [f32; 3]| Thomsen::new(Array3::from_shape_fn((1, 3, 1), |at| of[at.1]));
        Anisotropy::new(values(epsilon), values(delta), Anisotropy::SHEAR_RATIO)
    }

    #[test]
    fn rock_whose_waves_may_grow_is_refused_with_its_node() {
        assert!(of([0.1, 0.2, 0.0], [0.1, -0.3, 0.0]).is_ok());
        let said = |epsilon, delta| of(epsilon, delta).expect_err("it is refused").to_string();
        let below = said([0.1, 0.05, 0.0], [0.1, 0.1, 0.0]);
        assert!(below.contains("below delta, 0.1 at cell x = 1, z = 0"), "{below}");
        assert!(below.contains("elliptical-where-needed"), "{below}");
        let low = said([0.1; 3], [0.0, 0.0, -0.46]);
        assert!(low.contains("-0.46 at cell x = 2, z = 0, below the -0.449"), "{low}");
        assert!(said([-0.5, 0.0, 0.0], [-0.5, 0.0, 0.0]).contains("no velocity"));
        assert!(said([f32::NAN, 0.0, 0.0], [0.0; 3]).contains("epsilon is NaN"));
        let ratio = |ratio| Anisotropy::new(Thomsen::default(), Thomsen::default(), ratio);
        assert!(ratio(0.0).is_err() && ratio(1.0).is_err() && ratio(f64::NAN).is_err());
        assert!(ratio(0.32).expect("it is possible").is_isotropic());
    }

    #[test]
    fn delta_is_raised_where_that_is_needed() {
        let values = |of: [f32; 3]| Thomsen::new(Array3::from_shape_fn((1, 3, 1), |at| of[at.1]));
        let (epsilon, delta) = (values([0.1, 0.0, 0.2]), values([0.15, 0.3, 0.1]));
        let made = Anisotropy::elliptical_where_needed(epsilon, delta, 0.32);
        let (made, lowered) = made.expect("it is allowed");
        assert_eq!([0, 1, 2].map(|i| made.at(i)[1] as f32), [0.1, 0.0, 0.1]);
        let at = Axes { z: 0, x: 1, y: 0 };
        assert_eq!(lowered, Some(Lowered { nodes: 2, most: Some(at), by: 0.3, volume: false }));
    }

    #[test]
    fn rock_is_isotropic_around_a_source() {
        let both = Anisotropy::new(Thomsen::uniform(0.2), Thomsen::uniform(0.1), 0.32);
        let grid = Grid { n: Axes { z: 1, x: 11, y: 1 }, h: Axes { z: 10.0, x: 10.0, y: 10.0 } };
        let source = Position { z: 0.0, x: 50.0, y: 0.0 };
        let made = both.expect("it is allowed").isotropic_around(&grid, &[source], 40.0);
        let epsilon: Vec<_> = (0..11).map(|i| made.at(i)[0]).collect();
        assert_eq!(epsilon[3..8], [0.0; 5]);
        assert!((epsilon[2] - 0.1).abs() < 1e-7 && (epsilon[8] - 0.1).abs() < 1e-7);
        assert_eq!([epsilon[1], epsilon[9]], [f64::from(0.2f32); 2]);
        assert!(made.check().is_ok());
    }
}
