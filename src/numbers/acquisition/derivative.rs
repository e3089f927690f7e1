//! The derivative of a delta, which is a dipole, as weights on nodes.
//!
//! At the distances x_n = n - u, in units of the spacing, the weights w_n of a wave exp(i k x) add
//! up to sum w_n exp(i k x_n), and the derivative of a delta gives -i k. The weights minimise the
//! difference up to K = pi/2, four nodes per wavelength, by least squares,
//!
//! ```text
//! integral from 0 to K of |sum_n w_n exp(i k x_n) + i k|^2 dk = min,
//! ```
//!
//! under the constraints sum_n w_n = 0 and sum_n w_n x_n = -1: long waves then have the strength of
//! a dipole, without a monopole. Tam and Webb (1993, "Dispersion-relation-preserving finite
//! difference schemes for computational acoustics", J. Comput. Phys. 107, 262-281) choose
//! differences on nodes this way. The normal equations are
//!
//! ```text
//! sum_n S(x_m - x_n) w_n + l0 + l1 x_m = b(x_m),    S(d) = sin(K d) / d,    b(x) = (K x cos(K x) - sin(K x)) / x^2
//! ```
//!
//! With the nodes nearer than r = 5 the error is at most 1.25e-3 of the wavenumber, for any u.

use std::f64::consts::FRAC_PI_2;

/// r: the nodes on either side of a point that have weights.
const HALF_WIDTH: i64 = 5;
/// K, in units of 1 over the spacing.
const BAND: f64 = FRAC_PI_2;
/// The sum and the first moment.
const MOMENTS: [f64; 2] = [0.0, -1.0];

/// The weights of the derivative of a delta at `u`, times the spacing squared, with their indices
/// on an infinite axis.
pub(super) fn weights(u: f64) -> Vec<(i64, f64)> {
    let near = u.floor() as i64;
    let places = near - HALF_WIDTH..=near + HALF_WIDTH;
    let places: Vec<i64> = places.filter(|n| (*n as f64 - u).abs() < HALF_WIDTH as f64).collect();
    let x: Vec<f64> = places.iter().map(|n| *n as f64 - u).collect();
    let equation = |x_m: f64| {
        let products = x.iter().map(|x_n| overlap(x_m - x_n));
        products.chain([1.0, x_m, slope(x_m)]).collect()
    };
    let moment = |(power, value): (i32, f64)| {
        x.iter().map(|x_n| x_n.powi(power)).chain([0.0, 0.0, value]).collect()
    };
    let moments = (0..).zip(MOMENTS).map(moment);
    let system: Vec<Vec<f64>> = x.iter().map(|x_m| equation(*x_m)).chain(moments).collect();
    places.into_iter().zip(solved(system)).collect()
}

/// `integral of cos(k d) dk` from 0 to K.
fn overlap(d: f64) -> f64 {
    if d == 0.0 { BAND } else { (BAND * d).sin() / d }
}

/// `-integral of k sin(k x) dk` from 0 to K.
fn slope(x: f64) -> f64 {
    let kx = BAND * x;
    match kx.abs() < 1e-3 {
        // The series, where the difference would lose its digits.
        true => -BAND.powi(2) * kx / 3.0 * (1.0 - kx * kx / 10.0),
        false => (kx * kx.cos() - kx.sin()) / (x * x),
    }
}

/// Solves a linear system by elimination with pivoting; rows end with their right side.
fn solved(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for column in 0..n {
        let size = |row: &usize| rows[*row][column].abs();
        let pivot = (column..n).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(column);
        rows.swap(column, pivot);
        let (above, below) = rows.split_at_mut(column + 1);
        let pivot = &above[column];
        for row in below {
            let factor = row[column] / pivot[column];
            row.iter_mut().zip(pivot).skip(column).for_each(|(value, p)| *value -= factor * p);
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| rows[i][j] * x[j]).sum();
        x[i] = (rows[i][n] - known) / rows[i][i];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> impl Iterator<Item = f64> {
        (0..=200).map(|i| 17.0 + f64::from(i) / 200.0)
    }

    /// `sum_n w_n f(n - u)`.
    fn of(u: f64, f: impl Fn(f64) -> f64) -> f64 {
        weights(u).into_iter().map(|(n, w)| w * f(n as f64 - u)).sum()
    }

    #[test]
    fn moments_are_exact_everywhere() {
        for u in points() {
            let (sum, first) = (of(u, |_| 1.0), of(u, |x| x));
            assert!(sum.abs() < 1e-12 && (first + 1.0).abs() < 1e-12, "{u}: {sum:e} {first}");
        }
    }

    /// From 1000 nodes per wavelength to four, relative to the wavenumber.
    #[test]
    fn the_derivative_of_every_wave_is_near() {
        let mut worst = 0.0f64;
        for u in points() {
            for k in (1..=250).map(|i| f64::from(i) / 250.0 * BAND) {
                let (re, im) = (of(u, |x| (k * x).cos()), of(u, |x| (k * x).sin()));
                worst = worst.max(re.hypot(im + k) / k);
            }
        }
        println!("largest error up to pi/2, in parts of k: {worst:.3e}");
        assert!(worst <= 1.3e-3, "{worst:e}");
    }

    #[test]
    fn the_slope_is_its_series_where_they_meet() {
        let x = 1e-3 / BAND;
        let (series, formula) = (slope(0.999_999 * x), slope(1.000_001 * x));
        assert!((series / formula - 1.0).abs() < 1e-5, "{series} {formula}");
    }
}
