//! Explicit time evolution (Liu, Dai, Niu and Wu 2014; Fang et al. 2015, equations 1 to 4): an
//! operator that is fitted to the change of a plane wave in a time step, so that a long step has no
//! dispersion.
//!
//! At velocity v, `p(t + dt) + p(t - dt) = 2 cos(v dt |k|) p(t)`. A stencil of points `dx_j`
//! approximates the cosine, `p(t + dt) = 2 sum_j c_j p(x + dx_j, t) - p(t - dt)`, with weights that
//! depend on `m = (v dt)^2` at x. They are smooth in m, and over a model's velocities two terms
//! approximate them as closely as a table with 902 rows of velocities:
//!
//! `2 sum_j c_j p(x + dx_j) = 2 p + m (L p + m B p)`,
//!
//! L a second derivative along each axis and B a star and the diagonals of the coordinate planes.
//! Absorbing layers stretch L and, along each axis, the star of m B with it: if they damped L
//! alone, m B would make waves grow. As m -> 0, L -> laplacian and B -> laplacian^2 / 12 to the
//! fourth order in space and time; the remaining freedom minimises the error of the phase velocity,
//! in the mean square over the band and the velocities.
//!
//! The band: [`POINTS_PER_WAVELENGTH`] and more in the slowest medium, in faster media the same
//! frequencies. Beyond it the symbol is bounded by -1 and 1 for every wavenumber of the grid and
//! every velocity, so that no wave grows at constant velocity.

mod fit;
mod inequalities;
mod shape;
mod table;

pub use fit::Media;
pub(crate) use fit::largest_steps;
pub use table::{Errors, Table, TableError, centre};

use super::{AxisOperator, rounded::rounded, taylor};
use crate::grid::Axes;
use serde::Serialize;
use shape::{Part, Shape, Term};

/// One-sided length of the stencils, cells.
pub const RADIUS: usize = 4;
/// Points per wavelength in the slowest medium at the end of the fitted band.
pub(crate) const POINTS_PER_WAVELENGTH: f64 = 4.0;
/// The largest difference of the fitted symbol from `cos(v dt |k|)` up to 0.8 of the band, for an
/// automatic step.
pub(crate) const RESIDUAL: f64 = 1e-5;

/// The points of a stencil, counted in a volume.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Points {
    /// The star of radius 4 and the 12 nearest diagonal neighbours; 21 points in a plane.
    #[default]
    #[serde(rename = "37")]
    Few,
    /// The star and the diagonals out to radius 4; 33 points in a plane.
    #[serde(rename = "73")]
    Many,
}

impl Points {
    /// Length of the diagonals, cells.
    pub fn diagonal(self) -> usize {
        match self {
            Points::Few => 1,
            Points::Many => RADIUS,
        }
    }

    /// Their number in a volume.
    pub fn count(self) -> usize {
        1 + 6 * RADIUS + 12 * self.diagonal()
    }

    /// The stencil with `count` points.
    pub fn counted(count: usize) -> Option<Self> {
        [Points::Few, Points::Many].into_iter().find(|points| points.count() == count)
    }
}

/// B: multiplied by (v dt)^2, it is added to the Laplacian.
#[derive(Clone, Debug, PartialEq)]
pub struct Fourth {
    /// `b_0 ..= b_4` along each axis, 1/m^4: representable in f32, with a sum of exactly zero.
    pub star: Axes<Vec<f64>>,
    /// `d_0 ..= d_1` or `..= d_4` of each coordinate plane, 1/m^4: `d_j` is the weight of the four
    /// nodes j cells away along both of its axes.
    pub diagonal: Planes<Vec<f64>>,
}

/// One value per coordinate plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Planes<T> {
    /// The plane of z and x, the only one in 2-D.
    pub zx: T,
    /// The plane of x and y.
    pub xy: T,
    /// The plane of y and z.
    pub yz: T,
}

/// The operators of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Evolution {
    /// L.
    pub axes: Axes<AxisOperator>,
    /// B.
    pub fourth: Fourth,
}

impl Fourth {
    /// Length of its diagonals, cells.
    pub fn diagonals(&self) -> usize {
        self.diagonal.zx.len() - 1
    }

    /// Its symbol at a phase of `theta` radians per cell along each axis, 1/m^4; 0 along an axis
    /// removes that axis' contribution.
    pub(crate) fn symbol(&self, theta: Axes<f64>) -> f64 {
        let line = |weights: &[f64], theta: f64| {
            let wing = weights[1..].iter().zip(1..);
            wing.map(|(b, j)| 2.0 * b * ((f64::from(j) * theta).cos() - 1.0)).sum::<f64>()
        };
        let plane = |weights: &[f64], one: f64, other: f64| {
            let cosines = |j: f64| (j * one).cos() * (j * other).cos();
            let wing = weights[1..].iter().zip(1..);
            wing.map(|(d, j)| 4.0 * d * (cosines(f64::from(j)) - 1.0)).sum::<f64>()
        };
        let Axes { z, x, y } = theta;
        let (star, diagonal) = (&self.star, &self.diagonal);
        line(&star.z, z)
            + line(&star.x, x)
            + line(&star.y, y)
            + plane(&diagonal.zx, z, x)
            + plane(&diagonal.xy, x, y)
            + plane(&diagonal.yz, y, z)
    }
}

impl Evolution {
    /// From the weights of a shape's terms, with spacings in units of `h`.
    fn new(shape: &Shape, weights: &[f64], spacing: Axes<f64>) -> Self {
        let unit = shape.unit();
        let mut axes = [(); 3].map(|()| vec![0.0; RADIUS + 1]);
        let mut star = axes.clone();
        let mut diagonal = [(); 3].map(|()| vec![0.0; shape.points.diagonal() + 1]);
        for (Term { part, reach, places }, weight) in shape.terms.iter().zip(weights) {
            for place in places {
                match part {
                    Part::Second => axes[*place][*reach] = weight / unit.powi(2),
                    Part::Star => star[*place][*reach] = weight / unit.powi(4),
                    // Two of the four nodes, as `rounded` counts one side.
                    Part::Diagonal => diagonal[*place][*reach] = 2.0 * weight / unit.powi(4),
                }
            }
        }
        let second = |weights: &[f64], h: f64| AxisOperator {
            second: rounded(&centred(weights)),
            first: taylor::first(RADIUS, h),
        };
        let halved = |weights: &[f64]| {
            let mut weights = rounded(&centred(weights));
            weights[1..].iter_mut().for_each(|d| *d /= 2.0);
            weights
        };
        let [zx, xy, yz] = diagonal.each_ref().map(|weights| halved(weights));
        let [z, x, y] = star.each_ref().map(|weights| rounded(&centred(weights)));
        Evolution {
            axes: Axes {
                z: second(&axes[0], spacing.z),
                x: second(&axes[1], spacing.x),
                y: second(&axes[2], spacing.y),
            },
            fourth: Fourth { star: Axes { z, x, y }, diagonal: Planes { zx, xy, yz } },
        }
    }
}

/// Prepends the centre that makes the sum over both sides zero.
fn centred(weights: &[f64]) -> Vec<f64> {
    taylor::with_centre(weights[1..].to_vec())
}
