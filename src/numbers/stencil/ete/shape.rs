//! The terms of a stencil: nodes that share a weight by symmetry, along axes of the same spacing.

use super::{POINTS_PER_WAVELENGTH, Points, RADIUS};
use crate::grid::Axes;
use nalgebra::{DMatrix, DVector};
use std::f64::consts::{PI, TAU};

/// The part that a term belongs to; places are axes (z, x, y) or planes (zx, xy, yz).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// L along some axes.
    Second,
    /// B along some axes.
    Star,
    /// B along the diagonals of some planes.
    Diagonal,
}

/// Nodes of one weight.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub(crate) part: Part,
    /// Cells from the centre.
    pub(crate) reach: usize,
    pub(crate) places: Vec<usize>,
}

/// A stencil on a grid.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) points: Points,
    pub(crate) terms: Vec<Term>,
    /// Spacings of z, x and, in a volume, y, in units of the smallest.
    pub(crate) h: Vec<f64>,
    unit: f64,
}

/// The two axes of each plane.
const PLANES: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];

impl Shape {
    /// For a grid's spacings, m.
    pub(crate) fn new(points: Points, spacing: Axes<f64>, volume: bool) -> Self {
        let Axes { z, x, y } = spacing;
        let metres = if volume { vec![z, x, y] } else { vec![z, x] };
        let unit = metres.iter().copied().fold(f64::INFINITY, f64::min);
        let h: Vec<f64> = metres.iter().map(|h| h / unit).collect();
        let planes: Vec<usize> = (0..if volume { 3 } else { 1 }).collect();
        let spacings = |plane: usize| {
            let [one, other] = PLANES[plane].map(|axis| h[axis]);
            (one.min(other), one.max(other))
        };
        let axes = alike((0..h.len()).collect(), |axis| (h[axis], 0.0));
        let planes = alike(planes, spacings);
        let mut terms = Vec::new();
        for part in [Part::Second, Part::Star, Part::Diagonal] {
            let (groups, most) = match part {
                Part::Diagonal => (&planes, points.diagonal()),
                _ => (&axes, RADIUS),
            };
            for places in groups {
                terms.extend((1..=most).map(|reach| Term { part, reach, places: places.clone() }));
            }
        }
        Shape { points, terms, h, unit }
    }

    /// The smallest spacing, m.
    pub(crate) fn unit(&self) -> f64 {
        self.unit
    }

    /// Number of weights of L, which are the first of the terms.
    pub(crate) fn second(&self) -> usize {
        self.terms.iter().filter(|term| term.part == Part::Second).count()
    }

    /// The symbol of each term with weight 1, in units of one over the smallest spacing.
    pub(crate) fn symbols(&self, k: &[f64]) -> impl Iterator<Item = f64> {
        let theta: Vec<f64> = k.iter().zip(&self.h).map(|(k, h)| k * h).collect();
        self.terms.iter().map(move |Term { part, reach, places }| {
            let cos = |axis: usize| (*reach as f64 * theta[axis]).cos();
            let of = |place: &usize| match part {
                Part::Diagonal => {
                    let [one, other] = PLANES[*place];
                    4.0 * (cos(one) * cos(other) - 1.0)
                }
                _ => 2.0 * (cos(*place) - 1.0),
            };
            places.iter().map(of).sum()
        })
    }

    /// The constraints on the weights, rows and values: L = -k^2 and B = k^4 / 12 up to the fourth
    /// power of the wavenumber.
    pub(crate) fn moments(&self) -> (DMatrix<f64>, DVector<f64>) {
        let mut rows: Vec<(Vec<f64>, f64)> = Vec::new();
        let mut hold = |to: f64, weight: &dyn Fn(&Term) -> f64| {
            rows.push((self.terms.iter().map(weight).collect(), to));
        };
        let power = |term: &Term, n: i32| (term.reach as f64).powi(n);
        for (axis, h) in self.h.iter().enumerate() {
            let of = |term: &Term, part| {
                let beside = |place: &usize| PLANES[*place].contains(&axis);
                match part {
                    _ if term.part != part => 0.0,
                    Part::Diagonal => {
                        term.places.iter().filter(|place| beside(place)).count() as f64
                    }
                    _ => f64::from(u8::from(term.places.contains(&axis))),
                }
            };
            hold(1.0, &|term| of(term, Part::Second) * power(term, 2) * h * h);
            hold(0.0, &|term| of(term, Part::Second) * power(term, 4));
            let (star, diagonal) = (|t: &Term| of(t, Part::Star), |t: &Term| of(t, Part::Diagonal));
            hold(0.0, &|term| (star(term) + 2.0 * diagonal(term)) * power(term, 2));
            let quarter = h.powi(4);
            hold(1.0, &|term| (star(term) + 2.0 * diagonal(term)) * power(term, 4) * quarter);
        }
        for (plane, axes) in PLANES.iter().enumerate().take(if self.h.len() == 3 { 3 } else { 1 }) {
            let cell: f64 = axes.iter().map(|axis| self.h[*axis].powi(2)).product();
            let of = |term: &Term| term.part == Part::Diagonal && term.places.contains(&plane);
            hold(1.0 / 6.0, &|term| f64::from(u8::from(of(term))) * power(term, 4) * cell);
        }
        let matrix = DMatrix::from_fn(rows.len(), self.terms.len(), |i, j| rows[i].0[j]);
        (matrix, DVector::from_iterator(rows.len(), rows.iter().map(|row| row.1)))
    }

    /// Wavenumbers of the band, in all directions: those no longer than `most`, on a grid of
    /// `count` values from 0 to there.
    pub(crate) fn band(&self, most: f64, count: usize) -> Vec<Vec<f64>> {
        let grid = self.grid(count, |_| most);
        let within = |k: &Vec<f64>| length(k) <= most * (1.0 + 1e-9) && length(k) > 0.0;
        grid.into_iter().filter(within).collect()
    }

    /// Wavenumbers from 0 to the Nyquist wavenumber of each axis.
    pub(crate) fn zone(&self, count: usize) -> Vec<Vec<f64>> {
        let mut zone = self.grid(count, |axis| PI / self.h[axis]);
        zone.retain(|k| length(k) > 0.0);
        zone
    }

    /// The end of the band in the slowest medium, in units of one over the smallest spacing.
    pub(crate) fn end(&self) -> f64 {
        let coarsest = self.h.iter().copied().fold(0.0, f64::max);
        TAU / (POINTS_PER_WAVELENGTH * coarsest)
    }

    fn grid(&self, count: usize, most: impl Fn(usize) -> f64) -> Vec<Vec<f64>> {
        let mut all: Vec<Vec<f64>> = vec![Vec::new()];
        for axis in 0..self.h.len() {
            let values = (0..=count).map(|i| most(axis) * i as f64 / count as f64);
            let longer = |k: &Vec<f64>| {
                let with = |value| k.iter().copied().chain([value]).collect();
                // Axes of equal spacing can be exchanged.
                let same = axis > 0 && self.h.iter().all(|h| *h == self.h[0]);
                let least = if same { k[axis - 1] } else { 0.0 };
                values.clone().filter(move |value| *value >= least).map(with).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }
}

/// The length of a wavenumber.
pub(crate) fn length(k: &[f64]) -> f64 {
    k.iter().map(|k| k * k).sum::<f64>().sqrt()
}

/// Groups the places whose spacings are alike.
fn alike(places: Vec<usize>, of: impl Fn(usize) -> (f64, f64)) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for place in places {
        match groups.iter_mut().find(|group| of(group[0]) == of(place)) {
            Some(group) => group.push(place),
            None => groups.push(vec![place]),
        }
    }
    groups
}
