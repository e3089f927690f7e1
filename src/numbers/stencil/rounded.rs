//! Weights of a second derivative that are representable in f32 and sum exactly to zero.
//!
//! If rounded one by one, the weights of an operator add up to some 4e-8 of the centre's, so a
//! constant field has a Laplacian: in a closed box it drifts, by 1e-3 of a Gaussian's wave in 20 s.
//! Here the rounding error of a weight is passed to the next one inward, whose spacing in f32 is
//! wider, and the centre takes none.

/// `c_0 ..= c_L`, each rounded to f32, with `c_0 + 2 sum c_j = 0` in exact arithmetic; so are the
/// partial sums that engines form from the centre outward. Weights beyond the range of f32 are not
/// changed.
pub(crate) fn rounded(second: &[f64]) -> Vec<f64> {
    if !second.iter().all(|c| (*c as f32).is_normal()) {
        return second.to_vec();
    }
    let mut weights = vec![0.0; second.len()];
    let (mut exact, mut before, mut unit) = (0.0, 0.0, 0.0f64);
    for j in (1..second.len()).rev() {
        exact += second[j];
        // The next weight inward can compensate the sum from j outward; the centre is twice a sum.
        let inward = spacing(second[j - 1]);
        unit = unit.max(if j == 1 { inward / 2.0 } else { inward });
        let sum = (exact / unit).round() * unit;
        weights[j] = sum - before;
        before = sum;
    }
    weights[0] = -2.0 * before;
    weights
}

/// From a value of f32 to the next larger one.
fn spacing(value: f64) -> f64 {
    let value = value.abs() as f32;
    f64::from(value.next_up()) - f64::from(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stencil::{Window, taylor};

    fn operators() -> impl Iterator<Item = Vec<f64>> {
        let spacings = [0.05, 2.0, 7.3, 20.0, 24.384, 1e4];
        spacings.into_iter().flat_map(|h| {
            let taylor = (2..=16).step_by(2).map(move |order| taylor::second(order, h));
            let sinc = (1..=16).map(move |wing| Window { wing, alpha: 0.6, beta: 3.0 }.second(h));
            taylor.chain(sinc).map(|operator| operator.expect("an operator that there is"))
        })
    }

    #[test]
    fn f32_holds_them_and_they_cancel() {
        for exact in operators() {
            let weights = rounded(&exact);
            assert!(weights.iter().all(|c| f64::from(*c as f32) == *c), "{exact:?}");
            // As engines add: from the centre outward, in f32.
            let sum = weights[1..].iter().fold(weights[0] as f32, |sum, c| sum + 2.0 * *c as f32);
            assert_eq!(sum, 0.0, "{exact:?}");
            // Long waves depend on the second moment, which is 2: the square of their velocity.
            let moment = |c: &[f64]| (1..c.len()).map(|j| c[j] * (j * j) as f64).sum::<f64>();
            let error = moment(&weights) / moment(&exact) - 1.0;
            assert!(error.abs() < 1e-6, "{error:e}, {exact:?}");
            // The centre is no further off than f32 forces.
            let unit = spacing(exact[1]).max(0.5 * spacing(exact[0]));
            let off = (weights[0] - exact[0]).abs();
            assert!(off <= unit * (1.0 + 1e-6), "{off:e} {unit:e}, {exact:?}");
        }
    }
}
