//! Fits the weights, and finds the steps that allow a fit.

use super::{
    Evolution, Points, RESIDUAL,
    inequalities::least_squares,
    shape::{Shape, length},
};
use crate::grid::Axes;
use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// The grid of a model and its velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Media {
    /// Spacing of the grid, m.
    pub spacing: Axes<f64>,
    /// Whether the grid is 3-D.
    pub volume: bool,
    /// m/s
    pub slowest: f64,
    /// m/s
    pub fastest: f64,
}

/// Margin of the symbol's bounds -1 and 1, for rounding.
pub(super) const MARGIN: f64 = 1e-3;
/// The longest step, as v dt over the smallest spacing in the fastest medium. If the velocity jumps
/// at random from node to node, longer ones grow by 1e-4 per step, although no wave grows in any of
/// the velocities alone.
fn longest(points: Points) -> f64 {
    match points {
        Points::Few => 0.6,
        Points::Many => 0.45,
    }
}
/// Wavenumbers along an axis of the fit and its bounds, and those that verify the bounds.
pub(super) const COMPARED: usize = 10;
pub(super) const HELD: usize = 16;
pub(super) const SHOWN: usize = 24;
/// Velocities of the fit.
const VELOCITIES: usize = 8;
/// The most rounds in which growing waves are added to the inequalities.
pub(super) const ROUNDS: usize = 40;
/// The fitted velocities reach down to at least this fraction of the fastest, to separate L from B.
const REACH: f64 = 0.5;

/// The weights of a shape's terms at a step.
pub(super) struct Fit<'a> {
    shape: &'a Shape,
    weights: DVector<f64>,
    /// v dt over the smallest spacing.
    slowest: f64,
    fastest: f64,
}

/// `cos - 1`, accurate for small angles.
pub(super) fn cosine_less_one(angle: f64) -> f64 {
    -2.0 * (0.5 * angle).sin().powi(2)
}

impl<'a> Fit<'a> {
    /// By least squares; if a wave would grow, under inequalities. `None` if these contradict.
    pub(super) fn new(shape: &'a Shape, slowest: f64, fastest: f64) -> Option<Self> {
        let (moments, values) = shape.moments();
        let (fixed, free) = solutions(&moments, &values)?;
        let mut rows: Vec<(Vec<f64>, f64)> = Vec::new();
        let least = slowest.min(REACH * fastest);
        for i in 0..VELOCITIES {
            let part = i as f64 / (VELOCITIES - 1) as f64;
            let m = least * least + part * (fastest * fastest - least * least);
            let a = m.sqrt();
            let end = shape.end() * (slowest / a).min(1.0);
            for k in shape.band(end, COMPARED) {
                let phase = a * length(&k);
                // An error of the symbol over the squared phase is one of the phase velocity.
                let weight = 1.0 / (phase * phase);
                let symbols: Vec<f64> = shape.symbols(&k).collect();
                let row = scaled(shape, &symbols, m).map(|value| value * weight).collect();
                rows.push((row, 2.0 * cosine_less_one(phase) * weight));
            }
        }
        let terms = shape.terms.len();
        let matrix = DMatrix::from_fn(rows.len(), terms, |i, j| rows[i].0[j]);
        let target = DVector::from_iterator(rows.len(), rows.iter().map(|row| row.1));
        let (a, b) = (&matrix * &free, target - &matrix * &fixed);

        let zone = shape.zone(HELD);
        let symbols: Vec<Vec<f64>> = zone.iter().map(|k| shape.symbols(k).collect()).collect();
        let mut held: Vec<(usize, f64, f64)> = Vec::new();
        for _ in 0..ROUNDS {
            let row = |(k, m, sign): &(usize, f64, f64)| {
                DVector::from_iterator(terms, scaled(shape, &symbols[*k], *m)) * *sign
            };
            let all: Vec<DVector<f64>> = held.iter().map(row).collect();
            let g = DMatrix::from_fn(all.len(), terms, |i, j| all[i][j]);
            let h =
                held.iter().map(|(_, _, sign)| if *sign > 0.0 { -4.0 + 2.0 * MARGIN } else { 0.0 });
            let h = DVector::from_iterator(held.len(), h) - &g * &fixed;
            let y = least_squares(a.clone(), &b, &(&g * &free), &h)?;
            let fit = Fit { shape, weights: &fixed + &free * y, slowest, fastest };
            let new = fit.worst(&symbols);
            let grows =
                new.iter().any(|(_, _, sign, by)| *by > if *sign > 0.0 { MARGIN } else { 1e-9 });
            if !grows {
                return fit.is_stable().then_some(fit);
            }
            held.extend(new.into_iter().map(|(k, m, sign, _)| (k, m, sign)));
        }
        None
    }

    /// The contributions of some terms' symbols to 2 (symbol - 1) by power of m:
    /// `m alpha + m^2 beta`.
    fn parts(&self, symbols: &[f64]) -> [f64; 2] {
        let second = self.shape.second();
        let sum = |range: std::ops::Range<usize>| -> f64 {
            range.map(|j| symbols[j] * self.weights[j]).sum()
        };
        [sum(0..second), sum(second..symbols.len())]
    }

    /// The extremes of `m alpha + m^2 beta` over the velocities, each with its m.
    fn extremes(&self, [alpha, beta]: [f64; 2]) -> [(f64, f64); 2] {
        let (low, high) = (self.slowest.powi(2), self.fastest.powi(2));
        let of = |m: f64| (m * (alpha + m * beta), m);
        let vertex = (-0.5 * alpha / beta).clamp(low, high);
        let all = [of(low), of(high), of(if vertex.is_finite() { vertex } else { low })];
        let by = |one: &(f64, f64), other: &(f64, f64)| one.0.total_cmp(&other.0);
        let least = all.into_iter().min_by(by).unwrap_or(all[0]);
        [least, all.into_iter().max_by(by).unwrap_or(all[0])]
    }

    /// The waves that grow most at either bound: wavenumber, m, sign of the inequality, excess.
    fn worst(&self, symbols: &[Vec<f64>]) -> Vec<(usize, f64, f64, f64)> {
        let mut below: Vec<(usize, f64, f64, f64)> = Vec::new();
        let mut above = below.clone();
        for (k, symbols) in symbols.iter().enumerate() {
            let [(least, m), (most, m_most)] = self.extremes(self.parts(symbols));
            below.push((k, m, 1.0, -4.0 + 2.0 * MARGIN - least));
            above.push((k, m_most, -1.0, most));
        }
        let worst = |mut all: Vec<(usize, f64, f64, f64)>| {
            all.retain(|(.., by)| *by > 1e-10);
            all.sort_by(|one, other| other.3.total_cmp(&one.3));
            all.truncate(6);
            all
        };
        let mut all = worst(below);
        all.extend(worst(above));
        all
    }

    /// True if all roots lie in the unit circle, at the wavenumbers of a finer grid.
    fn is_stable(&self) -> bool {
        self.shape.zone(SHOWN).iter().all(|k| {
            let symbols: Vec<f64> = self.shape.symbols(k).collect();
            let [(least, _), (most, _)] = self.extremes(self.parts(&symbols));
            least >= -4.0 && most <= 1e-9
        })
    }

    /// The largest difference of the symbol from the cosine up to 0.8 of the band.
    pub(super) fn residual(&self) -> f64 {
        let mut worst = 0.0f64;
        for i in 0..VELOCITIES {
            let part = i as f64 / (VELOCITIES - 1) as f64;
            let a = self.slowest + part * (self.fastest - self.slowest);
            for k in self.shape.band(0.8 * self.shape.end() * self.slowest / a, 2 * COMPARED) {
                let symbols: Vec<f64> = self.shape.symbols(&k).collect();
                let [alpha, beta] = self.parts(&symbols);
                let m = a * a;
                let error = 0.5 * m * (alpha + m * beta) - cosine_less_one(a * length(&k));
                worst = worst.max(error.abs());
            }
        }
        worst
    }
}

/// Each term's contribution to 2 (symbol - 1) at a wavenumber and m.
fn scaled<'a>(shape: &Shape, symbols: &'a [f64], m: f64) -> impl Iterator<Item = f64> + 'a {
    let second = shape.second();
    symbols.iter().enumerate().map(move |(j, value)| value * if j < second { m } else { m * m })
}

/// One solution of `C x = e`, and the null space of `C`.
pub(super) fn solutions(
    c: &DMatrix<f64>,
    e: &DVector<f64>,
) -> Option<(DVector<f64>, DMatrix<f64>)> {
    // Rows of equal length; otherwise those of a fine spacing vanish beside those of a coarse one.
    let (mut c, mut e) = (c.clone(), e.clone());
    for (mut row, value) in c.row_iter_mut().zip(e.iter_mut()) {
        let length = row.norm();
        row /= length;
        *value /= length;
    }
    let one = c.clone().svd(true, true).solve(&e, 1e-12).ok()?;
    let eigen = SymmetricEigen::new(c.transpose() * &c);
    let largest = eigen.eigenvalues.max();
    let free: Vec<usize> =
        (0..c.ncols()).filter(|j| eigen.eigenvalues[*j] < 1e-12 * largest).collect();
    Some((one, eigen.eigenvectors.select_columns(&free)))
}

impl Media {
    fn shape(&self, points: Points) -> Shape {
        Shape::new(points, self.spacing, self.volume)
    }

    /// v dt over the smallest spacing, for the slowest and the fastest velocity.
    fn courant(&self, shape: &Shape, dt: f64) -> [f64; 2] {
        [self.slowest, self.fastest].map(|v| v * dt / shape.unit())
    }
}

impl Evolution {
    /// The fit for a step of `dt` s; `None` if there is no stable one.
    pub fn fitted(points: Points, media: &Media, dt: f64) -> Option<Self> {
        let shape = media.shape(points);
        let [slowest, fastest] = media.courant(&shape, dt);
        let fit = Fit::new(&shape, slowest, fastest)?;
        Some(Evolution::new(&shape, fit.weights.as_slice(), media.spacing))
    }
}

/// The longest step with a stable fit, and the longest whose residual is at most [`RESIDUAL`], s.
pub(crate) fn largest_steps(points: Points, media: &Media) -> [f64; 2] {
    let shape = media.shape(points);
    let most = longest(points) * shape.unit() / media.fastest;
    let residual = |dt: f64| {
        let [slowest, fastest] = media.courant(&shape, dt);
        Fit::new(&shape, slowest, fastest).map(|fit| fit.residual())
    };
    let longest = |does: &dyn Fn(f64) -> bool| {
        if does(most) {
            return most;
        }
        let (mut low, mut high) = (0.02 * most, most);
        while high > 1.002 * low {
            let middle = (low * high).sqrt();
            if does(middle) { low = middle } else { high = middle }
        }
        low
    };
    let stable = longest(&|dt| residual(dt).is_some());
    [stable, longest(&|dt| dt <= stable && residual(dt).is_some_and(|error| error <= RESIDUAL))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    const CUBE: Axes<f64> = Axes { z: 10.0, x: 10.0, y: 10.0 };
    const SPACINGS: [Axes<f64>; 3] =
        [CUBE, Axes { z: 8.0, ..CUBE }, Axes { z: 7.0, x: 10.0, y: 12.0 }];

    fn media(spacing: Axes<f64>, volume: bool) -> Media {
        Media { spacing, volume, slowest: 1500.0, fastest: 4500.0 }
    }

    /// `1 + m / 2 (L + m B)` with the operators as engines use them.
    fn symbol(of: &Evolution, media: &Media, m: f64, k: Axes<f64>) -> f64 {
        let h = media.spacing;
        let theta = Axes { z: k.z * h.z, x: k.x * h.x, y: k.y * h.y };
        let Axes { z, x, y } = &of.axes;
        let second = z.symbol(theta.z) + x.symbol(theta.x);
        let across = if media.volume { y.symbol(theta.y) } else { 0.0 };
        1.0 + 0.5 * m * (second + across + m * of.fourth.symbol(theta))
    }

    /// Its largest difference from the cosine up to 0.8 of the band, in directions outside the fit,
    /// and its extremes up to the Nyquist wavenumbers.
    fn looked_at(of: &Evolution, media: &Media, dt: f64) -> (f64, f64, f64) {
        let h = media.spacing;
        let coarsest = h.z.max(h.x).max(if media.volume { h.y } else { 0.0 });
        let end = 0.8 * PI / (2.0 * coarsest);
        let (mut worst, mut least, mut most) = (0.0f64, 1.0f64, -1.0f64);
        for v in [1500.0, 1517.3, 2222.0, 3141.0, 4500.0] {
            let m = (v * dt) * (v * dt);
            for (i, j) in (0..23).flat_map(|i| (0..23).map(move |j| (i, j))) {
                let (polar, around) =
                    (0.5 * PI * f64::from(i) / 22.0, 0.5 * PI * f64::from(j) / 22.0);
                let (sin, cos) = polar.sin_cos();
                let way = match media.volume {
                    true => Axes { z: cos, x: sin * around.cos(), y: sin * around.sin() },
                    false => Axes { z: cos, x: sin, y: 0.0 },
                };
                for part in 1..=13 {
                    let length = end * 1500.0 / v * f64::from(part) / 13.0;
                    let error =
                        symbol(of, media, m, way.map(|n| n * length)) - (v * dt * length).cos();
                    worst = worst.max(error.abs());
                }
                for third in 0..=if media.volume { 22 } else { 0 } {
                    let part = |i: i32, h: f64| PI / h * f64::from(i) / 22.0;
                    let k = Axes { z: part(i, h.z), x: part(j, h.x), y: part(third, h.y) };
                    let value = symbol(of, media, m, k);
                    (least, most) = (least.min(value), most.max(value));
                }
            }
        }
        (worst, least, most)
    }

    /// The paper's figure is 1e-6 to 1e-5; all roots lie in the unit circle while the symbol is
    /// between -1 and 1.
    #[test]
    fn the_symbol_is_the_cosine_and_no_wave_grows() {
        for (spacing, volume) in SPACINGS.into_iter().flat_map(|h| [(h, false), (h, true)]) {
            let media = media(spacing, volume);
            let [stable, accurate] = largest_steps(Points::Few, &media);
            let mut errors = Vec::new();
            for points in [Points::Few, Points::Many] {
                let dt = accurate.min(largest_steps(points, &media)[1]);
                let fitted = Evolution::fitted(points, &media, dt).expect("a stable fit");
                let (worst, least, most) = looked_at(&fitted, &media, dt);
                println!(
                    "{points:?}, {spacing:?}, {volume}, {dt:.2e}: {worst:.1e}, {least} to {most}"
                );
                assert!(worst <= RESIDUAL, "{points:?}: {worst:e}");
                assert!(least >= -1.0 && most <= 1.0 + 1e-9, "{points:?}: {least} to {most}");
                errors.push(worst);
            }
            assert!(errors[1] < errors[0], "73 points are better: {errors:?}");
            // The longest step is stable too.
            let longest = Evolution::fitted(Points::Few, &media, stable).expect("a stable fit");
            let (_, least, most) = looked_at(&longest, &media, stable);
            assert!(least >= -1.0 && most <= 1.0 + 1e-9, "{least} to {most}");
        }
    }

    #[test]
    fn a_weight_off_by_a_per_cent_is_seen() {
        let media = media(CUBE, true);
        let fitted = Evolution::fitted(Points::Few, &media, 1e-3).expect("a stable fit");
        assert!(looked_at(&fitted, &media, 1e-3).0 <= RESIDUAL);
        let mut wrong = fitted.clone();
        wrong.axes.x.second[1] *= 1.01;
        assert!(looked_at(&wrong, &media, 1e-3).0 > 10.0 * RESIDUAL);
        let mut wrong = fitted;
        wrong.fourth.diagonal.zx[1] *= 1.05;
        assert!(looked_at(&wrong, &media, 1e-3).0 > RESIDUAL);
    }

    #[test]
    fn a_constant_field_is_kept() {
        for (spacing, volume) in SPACINGS.into_iter().flat_map(|h| [(h, false), (h, true)]) {
            let fitted = Evolution::fitted(Points::Many, &media(spacing, volume), 5e-4);
            let Evolution { axes, fourth } = fitted.expect("a stable fit");
            let pairs = |weights: &[f64]| weights[0] + 2.0 * weights[1..].iter().sum::<f64>();
            let fours = |weights: &[f64]| weights[0] + 4.0 * weights[1..].iter().sum::<f64>();
            for weights in [&axes.z.second, &axes.x.second, &fourth.star.z, &fourth.star.x] {
                assert_eq!(pairs(weights), 0.0, "{weights:?}");
            }
            for weights in [&fourth.diagonal.zx, &fourth.diagonal.xy, &fourth.diagonal.yz] {
                assert_eq!(fours(weights), 0.0, "{weights:?}");
                assert!(weights.iter().all(|d| f64::from(*d as f32) == *d), "{weights:?}");
            }
        }
    }

    #[test]
    fn a_step_without_a_fit_is_an_error() {
        for points in [Points::Few, Points::Many] {
            assert_eq!(Evolution::fitted(points, &media(CUBE, true), 2e-2), None);
        }
    }
}
