//! A symmetric smoothing of changes of a model.

use crate::grid::Axes;
use ndarray::{Array3, ArrayView1, Axis, Zip};

/// The Gaussian is cut off at this many standard deviations.
const REACH: f64 = 4.0;

/// A Gaussian along every axis. Beyond an edge the values are mirrored, which leaves it symmetric,
/// `<S a, b> = <a, S b>`, and constants as they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Smoothing {
    /// Standard deviations, nodes; 0 smooths nothing.
    sigma: Axes<f64>,
}

impl Smoothing {
    /// Of a standard deviation in metres, on nodes `h` metres apart.
    pub(crate) fn new(length: f64, h: Axes<f64>) -> Self {
        Smoothing { sigma: h.map(|h| length / h) }
    }

    /// Smooths an array `[y][x][z]`.
    pub(crate) fn apply(&self, mut values: Array3<f64>) -> Array3<f64> {
        for (axis, sigma) in [(0, self.sigma.y), (1, self.sigma.x), (2, self.sigma.z)] {
            if values.len_of(Axis(axis)) > 1 && sigma > 0.0 {
                values = along(&values, Axis(axis), sigma);
            }
        }
        values
    }
}

fn along(values: &Array3<f64>, axis: Axis, sigma: f64) -> Array3<f64> {
    let reach = (REACH * sigma).ceil() as i64;
    let weights: Vec<f64> =
        (-reach..=reach).map(|k| (-0.5 * (k as f64 / sigma).powi(2)).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let mut smooth = Array3::zeros(values.dim());
    Zip::from(smooth.lanes_mut(axis)).and(values.lanes(axis)).for_each(
        |mut smooth, values: ArrayView1<'_, f64>| {
            let n = values.len() as i64;
            for (i, smooth) in smooth.iter_mut().enumerate() {
                let at = |k: usize| {
                    // Mirrored about half a node beyond the edge, as often as it takes.
                    let place = (i as i64 + k as i64 - reach).rem_euclid(2 * n);
                    values[place.min(2 * n - 1 - place) as usize]
                };
                let all = weights.iter().enumerate().map(|(k, weight)| weight * at(k));
                *smooth = all.sum::<f64>() / sum;
            }
        },
    );
    smooth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_symmetric_and_keeps_constants() {
        let smoothing = Smoothing::new(25.0, Axes { z: 10.0, x: 5.0, y: 10.0 });
        let values = |seed: f64| {
            Array3::from_shape_fn((3, 8, 7), |(y, x, z)| (seed * (y * 56 + x * 7 + z) as f64).sin())
        };
        let (a, b) = (values(0.7), values(1.9));
        let (left, right) =
            ((smoothing.apply(a.clone()) * &b).sum(), (smoothing.apply(b) * a).sum());
        assert!((left - right).abs() < 1e-12, "{left} {right}");
        let constant = smoothing.apply(Array3::from_elem((3, 8, 7), 2.5));
        assert!(constant.iter().all(|v| (v - 2.5).abs() < 1e-12));
        let spike = Array3::from_shape_fn((1, 41, 1), |(_, x, _)| f64::from(u8::from(x == 20)));
        let smooth = Smoothing::new(15.0, Axes { z: 1.0, x: 5.0, y: 1.0 }).apply(spike);
        let expected = 1.0 / (3.0 * std::f64::consts::TAU.sqrt());
        assert!((smooth[[0, 20, 0]] - expected).abs() < 1e-3 * expected, "{}", smooth[[0, 20, 0]]);
    }
}
