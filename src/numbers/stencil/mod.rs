//! Finite-difference operators as plain numbers: coefficients, symbols, stability.
//!
//! A second derivative of radius L is the symmetric sum `d2p/dx2 (i) = c_0 p(i) + sum_{j=1..L} c_j
//! (p(i+j) + p(i-j))`, with `c_j` in 1/m^2. Its symbol is `c_0 + 2 sum c_j cos(j theta)`, theta the
//! phase across one cell.
//!
//! To add a stencil: a file here with its coefficients `c_0 ..= c_L`; a variant of [`Family`] with
//! an arm in `Family::operators`; a variant of the job's `Operator` (`src/job/operator.rs`) with an
//! arm in `src/job/setup.rs`; an arm in `plan/dispersion/remedies.rs`; lines in `assets/templates/`
//! and `docs/job.md`. Its stability limit follows from its symbol. Explicit time evolution (`ete/`)
//! is fitted to the time step instead: kernels add its `Fourth` to the Laplacian.

pub mod dispersion;
pub mod ete;
mod rounded;
mod stability;
mod taylor;
mod windowed_sinc;

pub use ete::{Evolution, Fourth, Media};
pub(crate) use stability::largest_step;
pub use windowed_sinc::Window;

use crate::grid::Axes;
use serde::Serialize;

/// The longest one-sided operator that the kernels support, cells.
pub const MAX_RADIUS: usize = 16;

/// A family of second-derivative operators.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[non_exhaustive]
pub enum Family {
    /// Taylor (maximally flat) coefficients of an even order, 2 to 16, the same on each axis.
    Taylor {
        /// Order of accuracy, twice the radius.
        order: usize,
    },
    /// Sadahiro's windowed sinc (2014, appendix C, `makefir2`), with its own window on each axis.
    WindowedSinc {
        /// The window of each axis; y is unused in 2-D.
        window: Axes<Window>,
    },
    /// Explicit time evolution: fitted to a time step ([`ete`]).
    Ete {
        /// Points of the stencil.
        points: ete::Points,
    },
}

impl Family {
    /// Default order of a Taylor operator.
    pub const ORDER: usize = 8;
}

impl Default for Family {
    fn default() -> Self {
        Family::Taylor { order: Self::ORDER }
    }
}

/// Reasons why an operator was rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum StencilError {
    #[error("order {} is not available; choose an even order from 2 to 16", .0)]
    Order(usize),
    #[error("a wing of {} cells is not available; choose 1 to {MAX_RADIUS}", .0)]
    Wing(usize),
    #[error(
        "alpha = {alpha}, beta = {beta} is no window; choose alpha from 0.5 to 1 and beta from 0 to 8"
    )]
    Window { alpha: f64, beta: f64 },
    /// Coefficients whose symbol is positive somewhere: energy would grow at any time step.
    #[error(
        "the operator along {axis} amplifies some wavelengths; widen its window (larger alpha, smaller beta)"
    )]
    Amplifies { axis: char },
    /// A step, s, that explicit time evolution cannot be fitted to.
    #[error(
        "no stable operator can be fitted to a time step of {dt} s; use a shorter one, or step = \"auto\""
    )]
    NoFit { dt: f64 },
}

/// The operators of a time step: `p_next = 2 p - p_prev + m (L p + m B p)`, `m = (v dt)^2`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Operators {
    /// L, along each axis.
    pub(crate) axes: Axes<AxisOperator>,
    /// B; only with explicit time evolution.
    pub(crate) fourth: Option<Fourth>,
}

/// The steps that operators allow, s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    /// The largest at which no wave grows.
    pub stable: f64,
    /// The default.
    pub(crate) chosen: f64,
}

/// Ratio of the default step to the largest stable one.
const CHOSEN: f64 = 0.9;

/// Derivatives along one axis.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisOperator {
    /// `c_0 ..= c_L` of the second derivative, 1/m^2: representable in f32, with sum exactly zero.
    pub second: Vec<f64>,
    /// `d_1 ..= d_L` of the antisymmetric first derivative `sum d_j (p(i+j) - p(i-j))`, 1/m. Taylor
    /// coefficients of the same radius; absorbing layers use them.
    pub first: Vec<f64>,
}

impl AxisOperator {
    /// One-sided length, cells.
    pub fn radius(&self) -> usize {
        self.first.len()
    }

    /// The symbol of the second derivative at a phase of `theta` radians per cell, 1/m^2.
    pub(crate) fn symbol(&self, theta: f64) -> f64 {
        let wing = self.second[1..].iter().enumerate();
        self.second[0] + wing.map(|(j, c)| 2.0 * c * ((j + 1) as f64 * theta).cos()).sum::<f64>()
    }
}

impl Family {
    /// The steps that its operators allow in these media.
    pub fn steps(&self, media: &Media) -> Result<Steps, StencilError> {
        if let Family::Ete { points } = *self {
            let [stable, accurate] = ete::largest_steps(points, media);
            return Ok(Steps { stable, chosen: accurate.min(CHOSEN * stable) });
        }
        let axes = self.on(media.spacing)?;
        let y = media.volume.then_some(&axes.y);
        let stable = largest_step(media.fastest, [&axes.z, &axes.x].into_iter().chain(y));
        Ok(Steps { stable, chosen: CHOSEN * stable })
    }

    /// Its operators for a step of `dt` s in these media.
    pub(crate) fn operators(&self, media: &Media, dt: f64) -> Result<Operators, StencilError> {
        if let Family::Ete { points } = *self {
            let fitted = Evolution::fitted(points, media, dt);
            let Evolution { axes, fourth } = fitted.ok_or(StencilError::NoFit { dt })?;
            return Ok(Operators { axes, fourth: Some(fourth) });
        }
        Ok(Operators { axes: self.on(media.spacing)?, fourth: None })
    }

    /// The second derivative along each axis for the spacings `h`, m, if independent of the step.
    fn on(&self, h: Axes<f64>) -> Result<Axes<AxisOperator>, StencilError> {
        let axis = |name, h: f64, window: fn(&Axes<Window>) -> Window| {
            let second = match self {
                Family::Taylor { order } => taylor::second(*order, h)?,
                Family::WindowedSinc { window: all } => window(all).second(h)?,
                Family::Ete { .. } => unreachable!("its operators follow from the step"),
            };
            let first = taylor::first(second.len() - 1, h);
            let operator = AxisOperator { second: rounded::rounded(&second), first };
            if stability::amplifies(&operator) {
                return Err(StencilError::Amplifies { axis: name });
            }
            Ok(operator)
        };
        Ok(Axes {
            z: axis('z', h.z, |w| w.z)?,
            x: axis('x', h.x, |w| w.x)?,
            y: axis('y', h.y, |w| w.y)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUBE: Axes<f64> = Axes { z: 10.0, x: 10.0, y: 10.0 };

    fn media(volume: bool) -> Media {
        Media { spacing: CUBE, volume, slowest: 1500.0, fastest: 4500.0 }
    }

    #[test]
    fn steps_count_the_axes_of_the_model() {
        // h / (v sqrt(n)) on n axes at order 2.
        for (volume, axes) in [(false, 2.0f64), (true, 3.0)] {
            let steps = Family::Taylor { order: 2 }.steps(&media(volume)).expect("a valid order");
            let stable = 10.0 / (4500.0 * axes.sqrt());
            assert!((steps.stable / stable - 1.0).abs() < 1e-6, "{steps:?}");
            assert!((steps.chosen / stable - CHOSEN).abs() < 1e-6, "{steps:?}");
        }
    }

    #[test]
    fn each_axis_has_its_own_window() {
        let wing = |wing| Window { wing, alpha: 0.54, beta: 2.0 };
        let window = Axes { z: wing(3), x: wing(4), y: wing(5) };
        let axes = Family::WindowedSinc { window }.on(CUBE).expect("valid windows");
        assert_eq!([axes.z.radius(), axes.x.radius(), axes.y.radius()], [3, 4, 5]);
    }

    #[test]
    fn the_step_of_explicit_time_evolution_is_stable_and_accurate() {
        let (points, media) = (ete::Points::Few, media(false));
        let [stable, accurate] = ete::largest_steps(points, &media);
        let chosen = Family::Ete { points }.steps(&media).expect("it has steps").chosen;
        assert!(chosen <= CHOSEN * stable && chosen <= accurate, "{chosen} {stable} {accurate}");
    }
}
