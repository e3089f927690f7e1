//! The weights as a table with one row per velocity, as in Fang et al. (2015): each row is fitted
//! separately.
//!
//! `p(t + dt) = 2 sum_j c_j(x) p(x + dx_j) - p(t - dt)`, with the c of the velocity nearest to the
//! node's own. Compared with the two terms of [`Evolution`], a table fits each velocity freely, but
//! has an error for velocities between two rows.

#[cfg(test)]
mod tests;

use super::{
    Evolution, Media, Points, RADIUS,
    fit::{COMPARED, HELD, MARGIN, ROUNDS, SHOWN, cosine_less_one, solutions},
    inequalities::least_squares,
    shape::{Part, Shape, Term, length},
};
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use std::sync::{Arc, Mutex};

/// Rows for the velocities of a model, evenly spaced from the slowest to the fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The points of each row.
    pub points: Points,
    /// The media that it was fitted for.
    pub media: Media,
    /// Time step, s.
    pub dt: f64,
    /// The velocity of each row, m/s.
    pub velocities: Vec<f64>,
    /// The rows one after another, [`Table::row`] values each.
    pub weights: Vec<f64>,
}

/// The largest differences of symbols from `cos(v dt |k|)` up to 0.8 of the band, at the same
/// frequencies in faster media.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Errors {
    /// For a row at its own velocity.
    pub row: f64,
    /// For the nearer row half way between two velocities.
    pub between: f64,
    /// For the two terms of [`Evolution`], at the rows' velocities; `None` without a stable fit.
    pub two_terms: Option<f64>,
}

/// Reasons why there is no table.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum TableError {
    #[error(
        "a table is for volumes with the same spacing along x and y; these are {x} m and {y} m"
    )]
    Spacing { x: f64, y: f64 },
    #[error(
        "{} bins are too few for velocities from the slowest to the fastest; give at least 2",
        .0
    )]
    Bins(usize),
    #[error("no stable weights at {velocity} m/s in steps of {dt} s; choose a shorter step")]
    Unstable { velocity: f64, dt: f64 },
}

/// Rows at which errors are measured.
const LOOKED_AT: usize = 12;
/// Tables that are cached.
const KEPT: usize = 4;

impl Points {
    /// Distinct weights if z has a different spacing: 11 and 17.
    pub fn distinct(self) -> usize {
        1 + 2 * RADIUS + 2 * self.diagonal()
    }
}

/// The terms' symbols at a wavenumber of the zone.
struct Zone {
    held: Vec<Vec<f64>>,
    shown: Vec<Vec<f64>>,
}

impl Table {
    /// The fit for a step of `dt` s with `bins` rows; cached if the same was requested before.
    pub fn fitted(
        points: Points,
        media: &Media,
        dt: f64,
        bins: usize,
    ) -> Result<Arc<Self>, TableError> {
        static FITTED: Mutex<Vec<Arc<Table>>> = Mutex::new(Vec::new());
        let known = || FITTED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let same = |table: &&Arc<Table>| {
            let of = (table.points, table.media, table.dt, table.velocities.len());
            of == (points, *media, dt, bins)
        };
        if let Some(table) = known().iter().find(same) {
            return Ok(table.clone());
        }
        let table = Arc::new(Table::fit(points, media, dt, bins)?);
        let mut tables = known();
        tables.truncate(KEPT - 1);
        tables.insert(0, table.clone());
        Ok(table)
    }

    fn fit(points: Points, media: &Media, dt: f64, bins: usize) -> Result<Self, TableError> {
        let crate::grid::Axes { x, y, .. } = media.spacing;
        if x != y || !media.volume {
            return Err(TableError::Spacing { x, y });
        }
        if bins == 0 || (bins == 1 && media.slowest != media.fastest) {
            return Err(TableError::Bins(bins));
        }
        let shape = Shape::new(points, media.spacing, true);
        let terms = evolved(&shape);
        let velocities = velocities(media, bins);
        let symbols = |count| {
            let zone = shape.zone(count).into_iter();
            zone.map(|k| of_terms(&shape, &k)).collect::<Vec<_>>()
        };
        let zone = Zone { held: symbols(HELD), shown: symbols(SHOWN) };
        let slowest = media.slowest * dt / shape.unit();
        let row = |velocity: &f64| {
            let a = velocity * dt / shape.unit();
            let row = fit_row(&shape, &terms, &zone, a, slowest / a);
            let row = row.ok_or(TableError::Unstable { velocity: *velocity, dt })?;
            Ok(distinct(points, &terms, row.as_slice()))
        };
        let rows: Result<Vec<_>, _> = velocities.par_iter().map(row).collect();
        Ok(Table { points, media: *media, dt, velocities, weights: rows?.concat() })
    }

    /// The weights of a row: `c_0`, then by distance from 1 on those along z, along x and y, on the
    /// diagonals of the two vertical planes and on those of the horizontal plane.
    pub fn row(&self, bin: usize) -> &[f64] {
        let count = self.points.distinct();
        &self.weights[bin * count..(bin + 1) * count]
    }

    /// The row whose velocity is nearest.
    pub fn nearest(&self, velocity: f64) -> usize {
        let (low, high) = (self.media.slowest, self.media.fastest);
        let last = (self.velocities.len() - 1) as f64;
        let place = if high > low { last * (velocity - low) / (high - low) } else { 0.0 };
        place.round().clamp(0.0, last) as usize
    }

    /// The same table with each of its weights changed.
    #[must_use]
    pub fn mapped(&self, mut to: impl FnMut(usize, f64) -> f64) -> Self {
        let count = self.points.distinct();
        let weights = self.weights.iter().enumerate().map(|(i, c)| to(i % count, *c)).collect();
        Table { weights, ..self.clone() }
    }

    /// Its errors, at a dozen of its rows.
    pub fn errors(&self) -> Errors {
        let shape = Shape::new(self.points, self.media.spacing, true);
        let last = self.velocities.len() - 1;
        let mut bins: Vec<_> = (0..LOOKED_AT).map(|i| i * last / (LOOKED_AT - 1)).collect();
        bins.dedup();
        let evolution = Evolution::fitted(self.points, &self.media, self.dt);
        let most = |errors: Vec<f64>| errors.into_iter().fold(0.0, f64::max);
        let of = |row: &[f64], velocity: f64| self.residual(&shape, row, velocity);
        let row = bins.par_iter().map(|bin| of(self.row(*bin), self.velocities[*bin]));
        let between = bins[1..].par_iter().map(|bin| {
            let velocity = 0.5 * (self.velocities[bin - 1] + self.velocities[*bin]);
            of(self.row(bin - 1), velocity).max(of(self.row(*bin), velocity))
        });
        let two_terms = evolution.map(|evolution| {
            let row = |velocity: f64| evolution.row((velocity * self.dt).powi(2));
            let errors = bins.par_iter().map(|bin| self.velocities[*bin]);
            most(errors.map(|velocity| of(&row(velocity), velocity)).collect())
        });
        Errors { row: most(row.collect()), between: most(between.collect()), two_terms }
    }

    /// The largest difference of a row's symbol from the cosine of a velocity.
    fn residual(&self, shape: &Shape, row: &[f64], velocity: f64) -> f64 {
        let a = velocity * self.dt / shape.unit();
        let part = (self.media.slowest / velocity).min(1.0);
        let band = shape.band(0.8 * shape.end() * part, 2 * COMPARED);
        let error = |k: &Vec<f64>| {
            let theta: Vec<f64> = k.iter().zip(&shape.h).map(|(k, h)| k * h).collect();
            (symbol(self.points, row, &theta) - 1.0 - cosine_less_one(a * length(k))).abs()
        };
        band.iter().map(error).fold(0.0, f64::max)
    }
}

impl Evolution {
    /// The weights of its points at `m = (v dt)^2`, m^2, in the order of [`Table::row`], for equal
    /// x and y axes.
    pub fn row(&self, m: f64) -> Vec<f64> {
        let (fourth, reaches) = (&self.fourth, 1..=RADIUS);
        let axis = |second: &[f64], star: &[f64], j: usize| 0.5 * m * (second[j] + m * star[j]);
        let z = |j| axis(&self.axes.z.second, &fourth.star.z, j);
        let across = |j| axis(&self.axes.x.second, &fourth.star.x, j);
        let mut row: Vec<f64> = vec![0.0];
        row.extend(reaches.clone().map(z));
        row.extend(reaches.map(across));
        for diagonal in [&fourth.diagonal.zx, &fourth.diagonal.xy] {
            row.extend(diagonal[1..].iter().map(|d| 0.5 * m * m * d));
        }
        row[0] = centre(&row);
        row
    }
}

/// The centre weight that preserves a constant field; the first of the row is ignored.
pub fn centre(row: &[f64]) -> f64 {
    let diagonals = (row.len() - 1 - 2 * RADIUS) / 2;
    let nodes = |i: usize| match i {
        i if i <= RADIUS => 2.0,
        i if i <= 2 * RADIUS => 4.0,
        i if i <= 2 * RADIUS + diagonals => 8.0,
        _ => 4.0,
    };
    1.0 - (1..row.len()).map(|i| nodes(i) * row[i]).sum::<f64>()
}

/// The symbol of a row at the phases per cell along z, x and y.
fn symbol(points: Points, row: &[f64], theta: &[f64]) -> f64 {
    let far = points.diagonal();
    let cos = |axis: usize, j: usize| (j as f64 * theta[axis]).cos();
    let mut sum = row[0];
    for j in 1..=RADIUS {
        sum += 2.0 * row[j] * cos(0, j) + 2.0 * row[RADIUS + j] * (cos(1, j) + cos(2, j));
    }
    for j in 1..=far {
        let upright = cos(0, j) * (cos(1, j) + cos(2, j));
        sum += 4.0 * row[2 * RADIUS + j] * upright;
        sum += 4.0 * row[2 * RADIUS + far + j] * cos(1, j) * cos(2, j);
    }
    sum
}

fn velocities(media: &Media, bins: usize) -> Vec<f64> {
    let part = |i: usize| i as f64 / (bins - 1).max(1) as f64;
    (0..bins).map(|i| media.slowest + part(i) * (media.fastest - media.slowest)).collect()
}

/// The terms of one row: those of B, which cover all nodes of the stencil.
fn evolved(shape: &Shape) -> Vec<Term> {
    shape.terms[shape.second()..].to_vec()
}

fn of_terms(shape: &Shape, k: &[f64]) -> Vec<f64> {
    shape.symbols(k).skip(shape.second()).collect()
}

/// The constraints on the weights: `2 cos - 2` up to the fourth power of the wavenumber, a being v
/// dt over the smallest spacing.
fn moments(shape: &Shape, terms: usize, a: f64) -> (DMatrix<f64>, DVector<f64>) {
    // The constraints of B: second moments 0, fourth ones 1 and mixed ones 1/6.
    let (rows, values) = shape.moments();
    let own = rows.columns(shape.second(), terms);
    let of = |i: usize| own.row(i).iter().any(|value| *value != 0.0);
    let kept: Vec<_> = (0..rows.nrows()).filter(|i| of(*i)).collect();
    let m = a * a;
    // The second moments are the zero values; their rows count cells, not lengths.
    let mut seconds = shape.h.iter().map(|h| m / (h * h));
    let value = |i: &usize| match values[*i] {
        0.0 => seconds.next().unwrap_or(m),
        value => value * m * m,
    };
    let values = DVector::from_iterator(kept.len(), kept.iter().map(value));
    (own.select_rows(&kept), values)
}

/// The weights of the terms at a velocity whose band ends at `part` of the slowest one's.
fn fit_row(shape: &Shape, terms: &[Term], zone: &Zone, a: f64, part: f64) -> Option<DVector<f64>> {
    let (matrix, values) = moments(shape, terms.len(), a);
    let (fixed, free) = solutions(&matrix, &values)?;
    let band = shape.band(shape.end() * part.min(1.0), COMPARED);
    let mut target = Vec::with_capacity(band.len());
    let rows: Vec<Vec<f64>> = band
        .iter()
        .map(|k| {
            let phase = a * length(k);
            // An error of the symbol over the squared phase is one of the phase velocity.
            let weight = 1.0 / (phase * phase);
            target.push(2.0 * cosine_less_one(phase) * weight);
            of_terms(shape, k).into_iter().map(|value| value * weight).collect()
        })
        .collect();
    let matrix = DMatrix::from_fn(rows.len(), terms.len(), |i, j| rows[i][j]);
    let (free_part, rest) = (&matrix * &free, DVector::from_vec(target) - &matrix * &fixed);

    // 2 (symbol - 1) lies in -4..0.
    let low = -4.0 + 2.0 * MARGIN;
    let dot = |symbols: &[f64], w: &DVector<f64>| -> f64 {
        symbols.iter().zip(w.iter()).map(|(s, w)| s * w).sum()
    };
    let mut held: Vec<(usize, f64)> = Vec::new();
    for _ in 0..ROUNDS {
        let g =
            DMatrix::from_fn(held.len(), terms.len(), |i, j| held[i].1 * zone.held[held[i].0][j]);
        let h = held.iter().map(|(_, sign)| if *sign > 0.0 { low } else { 0.0 });
        let h = DVector::from_iterator(held.len(), h) - &g * &fixed;
        let y = least_squares(free_part.clone(), &rest, &(&g * &free), &h)?;
        let w = &fixed + &free * y;
        let mut worst: Vec<(usize, f64, f64)> = Vec::new();
        for sign in [1.0, -1.0] {
            let by = |symbols: &Vec<f64>| match dot(symbols, &w) {
                value if sign > 0.0 => low - value,
                value => value,
            };
            let all = zone.held.iter().map(by).enumerate().filter(|(_, by)| *by > 1e-10);
            let mut all: Vec<_> = all.map(|(k, by)| (k, sign, by)).collect();
            all.sort_by(|one, other| other.2.total_cmp(&one.2));
            worst.extend(all.into_iter().take(6));
        }
        let grows =
            |(_, sign, by): &(usize, f64, f64)| *by > if *sign > 0.0 { MARGIN } else { 1e-9 };
        if !worst.iter().any(grows) {
            let is_stable = zone.shown.iter().all(|symbols| {
                let value = dot(symbols, &w);
                (-4.0..=1e-9).contains(&value)
            });
            return is_stable.then_some(w);
        }
        held.extend(worst.into_iter().map(|(k, sign, _)| (k, sign)));
    }
    None
}

/// The distinct weights of a row; axes or planes of equal spacings share one.
fn distinct(points: Points, terms: &[Term], weights: &[f64]) -> Vec<f64> {
    let far = points.diagonal();
    let mut row = vec![0.0; points.distinct()];
    for (Term { part, reach, places }, weight) in terms.iter().zip(weights) {
        for place in places {
            let at = match (part, place) {
                (Part::Diagonal, 1) => 2 * RADIUS + far,
                (Part::Diagonal, _) => 2 * RADIUS,
                (_, 0) => 0,
                _ => RADIUS,
            };
            // The terms make 2 sum_j c_j.
            row[at + reach] = 0.5 * weight;
        }
    }
    row[0] = centre(&row);
    row
}
