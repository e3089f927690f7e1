//! Priors: the cost of a model beside the misfit of its traces. With D the differences of neighbouring
//! nodes along each axis, over the distance in units of the smallest spacing,
//!
//! ```text
//! smooth:           R = 1/2 sum |D v|^2
//! total-variation:  R = sum (sqrt(|D v|^2 + e^2) - e)
//! ```
//!
//! The first makes rock smooth (Tikhonov and Arsenin 1977, "Solutions of ill-posed problems"), the second
//! leaves edges sharp (Rudin, Osher and Fatemi 1992, Physica D 60), with e that makes it differentiable
//! (Vogel and Oman 1996, SIAM J. Sci. Comput. 17(1)).

use super::Evaluation;
use crate::{
    grid::Axes,
    job::{Prior, PriorKind},
    model::VelocityModel,
};
use ndarray::{Array3, ArrayView3};

/// e, as a part of the mean velocity.
const EDGE: f64 = 1e-3;
/// The differences of a model that costs `weight` times the first misfit of a band, likewise.
const USUAL: f64 = 1e-2;

/// A prior with its factor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Penalty {
    kind: PriorKind,
    factor: f64,
    edge: f64,
    /// The smallest spacing over that along each axis.
    over: Axes<f64>,
}

impl Penalty {
    /// For models on the nodes of one, whose misfit is `first`.
    pub(super) fn new(prior: Prior, model: &VelocityModel, first: f64) -> Self {
        let (velocity, h) = (model.velocity(), model.grid().h);
        let cells = velocity.len().max(1) as f64;
        let mean = velocity.iter().map(|v| f64::from(*v)).sum::<f64>() / cells;
        let usual = USUAL * mean;
        let cost = match prior.kind {
            PriorKind::Smooth => 0.5 * usual * usual,
            PriorKind::TotalVariation => usual,
        };
        let least = if model.grid().is_volume() { h.z.min(h.x).min(h.y) } else { h.z.min(h.x) };
        let over = h.map(|h| least / h);
        Penalty {
            kind: prior.kind,
            factor: prior.weight * first / (cost * cells),
            edge: EDGE * mean,
            over,
        }
    }

    /// The same with a factor that was kept.
    pub(super) fn with_factor(self, factor: f64) -> Self {
        Penalty { factor, ..self }
    }

    pub(super) fn factor(&self) -> f64 {
        self.factor
    }

    /// Adds the cost of a model and its derivative.
    pub(super) fn add_to(&self, evaluation: &mut Evaluation, model: &VelocityModel) {
        let (cost, by_velocity) = self.of(model.velocity().view());
        evaluation.misfit += self.factor * cost;
        evaluation.by_velocity.zip_mut_with(&by_velocity, |sum, by| *sum += self.factor * by);
    }

    /// R of velocities `[y][x][z]`, and its derivative.
    fn of(&self, velocity: ArrayView3<'_, f32>) -> (f64, Array3<f64>) {
        let (ny, nx, nz) = velocity.dim();
        let (mut cost, mut by) = (0.0, Array3::zeros(velocity.dim()));
        for ((y, x, z), v) in velocity.indexed_iter() {
            let next = [
                (z + 1 < nz).then_some(((y, x, z + 1), self.over.z)),
                (x + 1 < nx).then_some(((y, x + 1, z), self.over.x)),
                (y + 1 < ny).then_some(((y + 1, x, z), self.over.y)),
            ];
            let difference = |(at, over): ((usize, usize, usize), f64)| {
                (at, over, over * (f64::from(velocity[at]) - f64::from(*v)))
            };
            let all = next.map(|next| next.map(difference));
            let square: f64 = all.iter().flatten().map(|(.., d)| d * d).sum();
            let slope = match self.kind {
                PriorKind::Smooth => {
                    cost += 0.5 * square;
                    1.0
                }
                PriorKind::TotalVariation => {
                    let size = (square + self.edge * self.edge).sqrt();
                    cost += size - self.edge;
                    1.0 / size
                }
            };
            for (at, over, difference) in all.into_iter().flatten() {
                by[at] += slope * over * difference;
                by[(y, x, z)] -= slope * over * difference;
            }
        }
        (cost, by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const H: Axes<f64> = Axes { z: 10.0, x: 20.0, y: 40.0 };

    fn penalty(kind: PriorKind, model: &VelocityModel) -> Penalty {
        Penalty::new(Prior { kind, weight: 0.5 }, model, 8.0)
    }

    /// By hand: a step of 300 m/s at one depth, on 3 x 4 columns of nodes 10 m apart.
    #[test]
    fn the_cost_of_a_step_is_that_by_hand() {
        let step = Array3::from_shape_fn((3, 4, 6), |(.., z)| if z < 3 { 1500.0 } else { 1800.0 });
        let model = VelocityModel::volume(step, H).expect("a model");
        let smooth = penalty(PriorKind::Smooth, &model);
        let (cost, by) = smooth.of(model.velocity().view());
        assert!((cost - 12.0 * 0.5 * 300.0 * 300.0).abs() < 1e-6, "{cost}");
        assert_eq!((by[(1, 1, 2)], by[(1, 1, 3)]), (-300.0, 300.0));
        let (variation, _) = penalty(PriorKind::TotalVariation, &model).of(model.velocity().view());
        let edge = 1e-3 * 1650.0;
        assert!((variation - 12.0 * ((9e4f64 + edge * edge).sqrt() - edge)).abs() < 1e-6);
        // Two steps of half the size cost half as much if smooth, and as much by their variation.
        let two = Array3::from_shape_fn((3, 4, 6), |(.., z)| 1500.0 + 150.0 * (z / 2) as f32);
        let two = VelocityModel::volume(two, H).expect("a model");
        let half = smooth.of(two.velocity().view()).0;
        assert!((half - 0.5 * cost).abs() < 1e-6);
    }

    /// Central differences.
    #[test]
    fn the_derivative_is_that_of_the_cost() {
        let mut state = 7u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f32 / (1u64 << 24) as f32
        };
        let velocity = Array3::from_shape_simple_fn((3, 4, 5), || 1500.0 + 400.0 * number());
        let model = VelocityModel::volume(velocity.clone(), H).expect("a model");
        for kind in [PriorKind::Smooth, PriorKind::TotalVariation] {
            let penalty = penalty(kind, &model);
            let by = penalty.of(velocity.view()).1;
            for at in [(0, 0, 0), (1, 2, 3), (2, 3, 4), (2, 0, 4)] {
                let moved = |by: f32| {
                    let mut other = velocity.clone();
                    other[at] += by;
                    penalty.of(other.view()).0
                };
                let difference = (moved(1.0) - moved(-1.0)) / 2.0;
                assert!(
                    (difference - by[at]).abs() < 1e-3 * (1.0 + by[at].abs()),
                    "{kind:?} {at:?}: {difference} {}",
                    by[at]
                );
            }
            // A weight of 0.5: neighbours that differ by 1 % on the average cost half of the misfit.
            let mean = velocity.mean().map_or(0.0, f64::from);
            let usual = match kind {
                PriorKind::Smooth => 0.5 * (1e-2 * mean).powi(2),
                PriorKind::TotalVariation => 1e-2 * mean,
            };
            assert!((penalty.factor() * usual * 60.0 - 4.0).abs() < 1e-3);
        }
    }
}
