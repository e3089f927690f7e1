//! The unknowns of an inversion, and the velocities that they stand for.
//!
//! With unknowns u at each node, weights L, a symmetric smoothing S and a taper T,
//!
//! ```text
//! m = m0 + T S L u,    v = least + (most - least) / (1 + exp(-m))
//! ```
//!
//! so that every u gives velocities between both bounds, and an optimiser needs none. m0 stands for
//! the velocities at which it begins. The derivative follows by the chain rule,
//! `dJ/du = L S T ((v - least) (most - v) / (most - least) dJ/dv)`.

use crate::{
    model::{ModelError, VelocityModel},
    operations::smoothing::Smoothing,
};
use ndarray::{Array3, Zip};

/// Velocities are kept this far inside their bounds at the start, as a part of the range: at a bound
/// itself no u would move them.
const INSIDE: f64 = 1e-3;

/// The velocities that may be, m/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least.
    pub(crate) least: f64,
    /// The greatest.
    pub(crate) most: f64,
}

impl Bounds {
    /// A model with velocities inside the bounds, where the taper lets them change.
    pub(crate) fn hold(
        &self,
        model: &VelocityModel,
        taper: &Array3<f64>,
    ) -> Result<VelocityModel, ModelError> {
        let room = INSIDE * (self.most - self.least);
        let (least, most) = ((self.least + room) as f32, (self.most - room) as f32);
        let mut velocity = model.velocity().to_owned();
        velocity.zip_mut_with(taper, |v, taper| {
            if *taper > 0.0 {
                *v = v.clamp(least, most);
            }
        });
        let held = VelocityModel::volume(velocity, model.grid().h)?;
        Ok(held.placed(*model.placement()))
    }
}

/// The map from unknowns to velocities, and back for gradients; arrays are `[y][x][z]`.
#[derive(Clone, Debug)]
pub(crate) struct Unknowns {
    bounds: Bounds,
    smoothing: Smoothing,
    /// The model at which it begins.
    start: VelocityModel,
    /// m0.
    base: Array3<f64>,
    /// L.
    weights: Array3<f64>,
    /// T, from 0 to 1.
    taper: Array3<f64>,
}

impl Unknowns {
    /// Unknowns that are 0 for a model that the bounds [`hold`](Bounds::hold). Where the taper is 0,
    /// nodes keep their velocity, to the bit.
    pub(crate) fn new(
        start: VelocityModel,
        bounds: Bounds,
        smoothing: Smoothing,
        weights: Array3<f64>,
        taper: Array3<f64>,
    ) -> Self {
        let range = bounds.most - bounds.least;
        let base = start.velocity().mapv(|v| {
            let part = ((f64::from(v) - bounds.least) / range).clamp(INSIDE, 1.0 - INSIDE);
            (part / (1.0 - part)).ln()
        });
        Unknowns { bounds, smoothing, start, base, weights, taper }
    }

    /// Number of unknowns: the nodes.
    pub(crate) fn count(&self) -> usize {
        self.base.len()
    }

    /// The model of some unknowns.
    pub(crate) fn model(&self, unknowns: &[f64]) -> Result<VelocityModel, ModelError> {
        let mut velocity = self.start.velocity().to_owned();
        Zip::from(&mut velocity).and(&self.velocities(unknowns)).and(&self.taper).for_each(
            |v, new, taper| {
                if *taper > 0.0 {
                    *v = *new as f32;
                }
            },
        );
        let model = VelocityModel::volume(velocity, self.start.grid().h)?;
        Ok(model.placed(*self.start.placement()))
    }

    /// dJ/du from dJ/dv.
    pub(crate) fn gradient(&self, unknowns: &[f64], by_velocity: &Array3<f64>) -> Vec<f64> {
        let Bounds { least, most } = self.bounds;
        let mut gradient = self.velocities(unknowns);
        Zip::from(&mut gradient).and(by_velocity).and(&self.taper).for_each(|v, by, taper| {
            *v = taper * (*v - least) * (most - *v) / (most - least) * by;
        });
        let gradient = self.smoothing.apply(gradient) * &self.weights;
        gradient.into_iter().collect()
    }

    fn velocities(&self, unknowns: &[f64]) -> Array3<f64> {
        let Bounds { least, most } = self.bounds;
        let unknowns = Array3::from_shape_vec(self.base.dim(), unknowns.to_vec());
        let moved = unknowns.expect("an unknown for each node") * &self.weights;
        let mut m = self.smoothing.apply(moved) * &self.taper;
        m += &self.base;
        m.mapv(|m| least + (most - least) / (1.0 + (-m).exp()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Axes;
    use ndarray::Array2;

    fn unknowns() -> Unknowns {
        let velocity = Array2::from_shape_fn((9, 11), |(x, z)| {
            if z < 3 { 1500.0 } else { 1900.0 + 20.0 * x as f32 + 30.0 * z as f32 }
        });
        let start = VelocityModel::new(velocity, 10.0, 10.0).expect("a model");
        let weights = Array3::from_shape_fn((1, 9, 11), |(_, x, _)| 0.5 + 0.1 * x as f64);
        let taper = |(_, x, z)| {
            if z < 3 {
                0.0
            } else if x == 4 {
                0.25
            } else {
                1.0
            }
        };
        let taper = Array3::from_shape_fn((1, 9, 11), taper);
        let smoothing = Smoothing::new(15.0, Axes { z: 10.0, x: 10.0, y: 10.0 });
        let bounds = Bounds { least: 1500.0, most: 3000.0 };
        let start = bounds.hold(&start, &taper).expect("a model");
        Unknowns::new(start, bounds, smoothing, weights, taper)
    }

    #[test]
    fn no_change_is_the_start_and_any_change_stays_within_bounds() {
        let unknowns = unknowns();
        let start = unknowns.start.clone();
        let same = unknowns.model(&vec![0.0; unknowns.count()]).expect("a model");
        for (a, b) in same.velocity().iter().zip(start.velocity()) {
            assert!((a - b).abs() < 1e-2, "{a} {b}");
        }
        for far in [1e3, -1e3] {
            let model = unknowns.model(&vec![far; unknowns.count()]).expect("a model");
            let (least, most) = model.range();
            assert!(least >= 1500.0 && most <= 3000.0, "{least} {most}");
            // The water stays.
            assert!((0..3).all(|z| model.velocity()[[0, 4, z]] == 1500.0));
        }
    }

    #[test]
    fn the_gradient_is_that_of_the_velocities() {
        let unknowns = unknowns();
        let at: Vec<f64> = (0..unknowns.count()).map(|k| 0.3 * (k as f64).sin()).collect();
        let by = Array3::from_shape_fn((1, 9, 11), |(_, x, z)| ((3 * x + z) as f64).cos());
        let along: Vec<f64> = (0..unknowns.count()).map(|k| (0.7 * k as f64).cos()).collect();
        // J = <by, v> of the nodes that may change.
        let cost = |h: f64| {
            let moved: Vec<f64> = at.iter().zip(&along).map(|(u, d)| u + h * d).collect();
            let v = unknowns.velocities(&moved);
            let free = unknowns.taper.mapv(|taper| f64::from(u8::from(taper > 0.0)));
            (&v * &by * &free).sum()
        };
        let gradient = unknowns.gradient(&at, &by);
        let product: f64 = gradient.iter().zip(&along).map(|(g, d)| g * d).sum();
        let difference = (cost(1e-5) - cost(-1e-5)) / 2e-5;
        assert!((product - difference).abs() < 1e-6 * difference.abs(), "{product} {difference}");
    }
}
