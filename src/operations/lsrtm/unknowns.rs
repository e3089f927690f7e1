//! The unknowns of a least-squares migration, and the image that they stand for.
//!
//! With unknowns u at each node, weights L, a symmetric smoothing S and a taper T that is 0 in the
//! water,
//!
//! ```text
//! dv/v = T S L u,    e = v^2 d(1/v^2) = -2 dv/v
//! ```
//!
//! Conjugate gradients on u are those on the image preconditioned by T S L^2 S T.

use crate::operations::smoothing::Smoothing;
use ndarray::{Array3, Axis};

/// Illumination that counts as none, as a part of its mean.
const DARK: f64 = 0.01;

/// The map from unknowns to images, and its transpose; arrays are `[y][x][z]`.
#[derive(Clone, Debug)]
pub(crate) struct Unknowns {
    /// L.
    weights: Array3<f64>,
    smoothing: Smoothing,
    /// Nodes along z without an image.
    water: usize,
}

impl Unknowns {
    /// With these weights ([`Unknowns::weights`]) and no image in the first `water` rows.
    pub(crate) fn new(weights: Array3<f64>, smoothing: Smoothing, water: usize) -> Self {
        Unknowns { weights, smoothing, water }
    }

    /// Weights by a power of an illumination, so that places that are lit less change as easily as others. By power 2 the receivers
    /// light as the sources do: the curvature of the misfit is about the product of both (Plessix and Mulder 2004,
    /// "Frequency-domain finite-difference amplitude-preserving migration", Geophys. J. Int. 157(3), equation 18).
    pub(crate) fn weights(lit: &Array3<f64>, power: f64) -> Array3<f64> {
        let mean = lit.iter().sum::<f64>() / lit.len().max(1) as f64;
        let mean = if mean > 0.0 { mean } else { 1.0 };
        lit.mapv(|lit| (lit / mean + DARK).powf(-0.5 * power))
    }

    /// dv/v of some unknowns.
    pub(crate) fn image(&self, unknowns: &[f64]) -> Array3<f64> {
        let unknowns = Array3::from_shape_vec(self.weights.dim(), unknowns.to_vec());
        let image = unknowns.expect("an unknown for each node") * &self.weights;
        self.dried(self.smoothing.apply(image))
    }

    /// The transpose of [`Unknowns::image`].
    pub(crate) fn back(&self, image: Array3<f64>) -> Vec<f64> {
        let back = self.smoothing.apply(self.dried(image)) * &self.weights;
        back.into_iter().collect()
    }

    fn dried(&self, mut image: Array3<f64>) -> Array3<f64> {
        image.axis_iter_mut(Axis(2)).take(self.water).for_each(|mut plane| plane.fill(0.0));
        image
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Axes;

    #[test]
    fn the_map_and_its_transpose_are_adjoint() {
        let n = (1, 23, 17);
        let values =
            |seed: f64| Array3::from_shape_fn(n, |(_, x, z)| (seed * (x * 17 + z) as f64).sin());
        let weights = Unknowns::weights(&values(0.13).mapv(|v| v * v), 2.0);
        let smoothing = Smoothing::new(15.0, Axes { z: 10.0, x: 5.0, y: 10.0 });
        let unknowns = Unknowns::new(weights, smoothing, 3);
        let u: Vec<f64> = values(0.7).into_iter().collect();
        let image = values(1.9);
        let there = unknowns.image(&u);
        let back = unknowns.back(image.clone());
        let (left, right) =
            ((&there * &image).sum(), u.iter().zip(&back).map(|(u, b)| u * b).sum::<f64>());
        assert!((left - right).abs() < 1e-12 * left.abs(), "{left} {right}");
        assert!(there.indexed_iter().all(|((_, _, z), v)| (*v == 0.0) == (z < 3)));
    }
}
