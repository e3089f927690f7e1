//! Results of a migration's stack: images by conditions, gathers, illumination.

use super::Partial;
use crate::{grid::Grid, imaging::Condition, plan::Offsets, single::Single};
use ndarray::{Array3, ArrayView2, Axis, Zip};
use rayon::prelude::*;

/// Water level added to an illumination, as a fraction of its mean over the model, so that places
/// with little light are not amplified.
const WATER_LEVEL: f64 = 0.01;

/// The sum of all shots.
#[derive(Clone, Debug, PartialEq)]
pub struct Stacked {
    image: Array3<f64>,
    illumination: Array3<f64>,
    /// For each kind of offsets the y of their line, and `[offset][x][z]`.
    gathers: Vec<(usize, Array3<f64>)>,
}

impl Stacked {
    /// From a sum with gathers of these offsets, times a scale at each node.
    pub(super) fn new(sum: &Partial, scale: &Array3<f64>, offsets: &[Offsets]) -> Option<Self> {
        let Partial { arrays, units, .. } = sum;
        let [image, illumination, gathers @ ..] = &arrays[..] else { return None };
        let gathers = gathers.iter().zip(offsets).map(|(array, offsets)| {
            (offsets.line, scaled(array, units.image, &of_line(scale, offsets.line)))
        });
        let gathers = gathers.collect();
        let of_map = |array, by| scaled(array, by, &scale.outer_iter().collect::<Vec<_>>());
        let illumination = of_map(illumination, -units.illumination);
        let image = of_map(image, units.image);
        Some(Stacked { image, illumination, gathers })
    }

    /// The offset gathers of each kind of offsets by a condition, `[offset][x][z]`; offset 0 is its
    /// image.
    pub fn gathers(&self, condition: Condition) -> impl Iterator<Item = Array3<f64>> + '_ {
        self.gathers.iter().map(move |(line, gathers)| {
            self.normalised(condition, gathers, &of_line(&self.illumination, *line))
        })
    }

    /// The illumination map, with the digits of f32.
    pub fn illumination(&self) -> Array3<f64> {
        Single::of(&self.illumination).whole()
    }

    /// The image by a condition.
    pub fn image(&self, condition: Condition) -> Array3<f64> {
        let lit: Vec<_> = self.illumination.outer_iter().collect();
        self.normalised(condition, &self.image, &lit)
    }

    /// Planes `[..][x][z]`, each divided by its illumination, or by that of all, if a condition asks
    /// for it.
    fn normalised(
        &self,
        condition: Condition,
        planes: &Array3<f64>,
        lit: &Planes<'_>,
    ) -> Array3<f64> {
        let is_normalised = condition == Condition::SourceNormalised;
        let least = WATER_LEVEL * self.illumination.mean().unwrap_or(0.0);
        let over = |v: f64, lit: f64| if lit + least > 0.0 { v / (lit + least) } else { 0.0 };
        planewise(planes, lit, |v, lit| if is_normalised { over(v, lit) } else { v })
    }
}

/// Planes `[x][z]`: one each, or one for all.
type Planes<'a> = [ArrayView2<'a, f64>];

/// The plane of a line, as the one for all.
fn of_line(array: &Array3<f64>, line: usize) -> [ArrayView2<'_, f64>; 1] {
    [array.index_axis(Axis(0), line)]
}

/// Planes, each times a factor and its scale.
fn scaled(array: &Array3<f32>, factor: f64, scale: &Planes<'_>) -> Array3<f64> {
    planewise(array, scale, |v, scale| f64::from(v) * (factor * scale))
}

/// A function of planes and, for each, of another, or of one for all.
fn planewise<T: Copy + Sync>(
    array: &Array3<T>,
    others: &Planes<'_>,
    of_both: impl Fn(T, f64) -> f64 + Sync,
) -> Array3<f64> {
    let mut result = Array3::zeros(array.dim());
    let planes = result.outer_iter_mut().zip(array.outer_iter()).zip(others.iter().cycle());
    planes.collect::<Vec<_>>().into_par_iter().for_each(|((plane, values), other)| {
        Zip::from(plane).and(values).and(other).for_each(|to, v, other| *to = of_both(*v, *other));
    });
    result
}

/// The Laplacian of an image, m^-2, by differences of second order, with the image continued
/// constantly at its edges.
///
/// Waves that meet at an angle of 2 theta make an image of wavenumber `k = (2 w / v) cos(theta)`.
/// Division by w^2 and multiplication by `(v^2 / 4) k^2` therefore keep its amplitude and phase but
/// for `cos(theta)^2`, which is 0 for waves that travel in the same direction and image no
/// reflector (Zhang and Sun 2009, "Practical issues in reverse time migration", First Break 27).
/// The image is of the relative change e of the squared slowness; a reflection coefficient is -1/4
/// of its derivative along the ray, for which `2 i w / v` stands. So the traces are integrated
/// once, and `-v / 8` times the Laplacian is in proportion to the reflectivity, positive where the
/// velocity rises.
pub fn laplacian(image: &Array3<f64>, grid: &Grid) -> Array3<f64> {
    let (n, h) = (grid.n, grid.h);
    let at = |y: usize, x: usize, z: usize| image[[y, x, z]];
    let along = |i: usize, n: usize| (i.saturating_sub(1), (i + 1).min(n - 1));
    let mut result = Array3::zeros(image.dim());
    let columns = result.lanes_mut(Axis(2)).into_iter().collect::<Vec<_>>();
    columns.into_par_iter().enumerate().for_each(|(column, mut to)| {
        let (y, x) = (column / n.x, column % n.x);
        let ((west, east), (south, north)) = (along(x, n.x), along(y, n.y));
        for z in 0..n.z {
            let (above, below) = along(z, n.z);
            let twice = 2.0 * at(y, x, z);
            let mut sum = (at(y, x, above) + at(y, x, below) - twice) / (h.z * h.z);
            sum += (at(y, west, z) + at(y, east, z) - twice) / (h.x * h.x);
            if grid.is_volume() {
                sum += (at(south, x, z) + at(north, x, z) - twice) / (h.y * h.y);
            }
            to[z] = sum;
        }
    });
    result
}
