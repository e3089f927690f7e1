//! Numerical dispersion of a Plan: the effect of the grid and the time step on waves along their
//! longest path, known before a run.

mod remedies;
mod remedy;

pub use remedy::{NewStep, Remedy};

use super::Plan;
use crate::{
    acquisition::{Shot, TimeDispersion},
    grid::{Axes, Grid, Position},
    stencil::dispersion::{Direction, Scheme, directions},
};
use serde::Serialize;

/// Phase error, in periods of the dominant frequency, from which a user is warned. At a quarter of
/// a period a wave is out of step with the true one (Rayleigh's criterion): stacked with it, or
/// imaged, it begins to cancel.
pub const MOST_PERIODS: f64 = 0.25;
/// Points per wavelength, at the highest frequency, below which a user is warned. The widest Taylor
/// operator, order 16, is 0.3 % off at three points, 3 % at 2.5, and carries no wave at 2.2.
pub(crate) const FEWEST_POINTS: f64 = 3.0;

/// The sampling of waves of one frequency in the slowest medium.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Resolution {
    /// Hz
    pub frequency: f64,
    /// Grid nodes per wavelength along the coarsest axis.
    pub points_per_wavelength: f64,
    /// Relative error of the phase velocity in the direction in which it is largest; `None` if
    /// waves of this frequency do not travel on the grid.
    pub velocity_error: Option<f64>,
    /// That direction.
    pub direction: Direction,
}

/// The dispersion of a Plan.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Dispersion {
    /// The slowest velocity, which it is computed for, m/s.
    pub velocity: f64,
    /// The longest path of a wave at that velocity, m: the longest distance from a source to a
    /// receiver of its shot, or the diagonal of a model without receivers; at most the distance
    /// that the wave travels in the duration.
    pub path: f64,
    /// At the dominant frequency.
    pub dominant: Resolution,
    /// At the highest frequency, where the wavelets' amplitude spectra fall to 5 % of their peak.
    pub highest: Resolution,
    /// Phase error over the path at the dominant frequency, periods; positive is late.
    pub(crate) periods: Option<f64>,
    /// That error, s.
    pub(crate) seconds: Option<f64>,
    /// The phase error at the fastest velocity, where the grid hardly delays waves, so the time
    /// step's error is not compensated.
    pub(crate) fastest: PhaseError,
}

/// The phase error of the dominant frequency along the longest path at some velocity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PhaseError {
    /// m/s
    pub velocity: f64,
    /// The path at that velocity, m.
    pub path: f64,
    /// Phase error, periods; positive is late. `None` where the wave does not travel on the grid.
    pub periods: Option<f64>,
    /// That error, s.
    pub seconds: Option<f64>,
}

impl PhaseError {
    /// True if the error calls for a warning.
    pub(crate) fn is_out_of_step(&self) -> bool {
        self.periods.is_none_or(|periods| periods.abs() > MOST_PERIODS)
    }
}

impl Dispersion {
    /// True if the error calls for a warning.
    pub(crate) fn is_out_of_step(&self) -> bool {
        self.slowest().is_out_of_step() || self.fastest.is_out_of_step()
    }

    /// The larger of the phase errors at the slowest velocity and at the fastest.
    pub fn worst(&self) -> PhaseError {
        let size = |error: &PhaseError| error.periods.map_or(f64::INFINITY, f64::abs);
        let slowest = self.slowest();
        if size(&self.fastest) > size(&slowest) { self.fastest } else { slowest }
    }

    fn slowest(&self) -> PhaseError {
        let Dispersion { velocity, path, periods, seconds, .. } = *self;
        PhaseError { velocity, path, periods, seconds }
    }

    /// True if nothing calls for a warning.
    pub fn is_fine(&self) -> bool {
        !self.is_out_of_step() && !self.is_sparse()
    }

    /// True if the points per wavelength call for a warning.
    pub(crate) fn is_sparse(&self) -> bool {
        self.highest.points_per_wavelength < FEWEST_POINTS
    }
}

/// The inputs of a simulation's dispersion; a remedy changes one of them.
#[derive(Clone, Copy, Debug)]
struct Case<'a> {
    /// In the slowest medium.
    scheme: Scheme<'a>,
    fastest: f64,
    volume: bool,
    /// The longest path, m, at any velocity, and the duration, s.
    path: f64,
    duration: f64,
    dominant: f64,
    highest: f64,
}

impl Case<'_> {
    fn dispersion(&self) -> Dispersion {
        let velocity = self.scheme.velocity;
        let resolution = |frequency| {
            let (velocity_error, direction) = self.worst(velocity, frequency);
            let points_per_wavelength = self.points_per_wavelength(frequency);
            Resolution { frequency, points_per_wavelength, velocity_error, direction }
        };
        let (dominant, highest) = (resolution(self.dominant), resolution(self.highest));
        let PhaseError { path, periods, seconds, .. } =
            self.phase_error(velocity, dominant.velocity_error);
        let fastest = self.phase_error(self.fastest, self.worst(self.fastest, self.dominant).0);
        Dispersion { velocity, path, dominant, highest, periods, seconds, fastest }
    }

    /// Grid nodes per wavelength in the slowest medium along the coarsest axis.
    fn points_per_wavelength(&self, frequency: f64) -> f64 {
        self.scheme.velocity / (frequency * self.scheme.h.largest(self.volume))
    }

    /// The largest error of a velocity, and its direction.
    fn worst(&self, velocity: f64, frequency: f64) -> (Option<f64>, Direction) {
        let scheme = Scheme { velocity, ..self.scheme };
        let error = |direction: &Direction| {
            let error = scheme.velocity_ratio(frequency, direction).map(|ratio| ratio - 1.0);
            (error, *direction)
        };
        let size = |error: Option<f64>| error.map_or(f64::INFINITY, f64::abs);
        directions(self.volume)
            .iter()
            .map(error)
            .max_by(|(a, _), (b, _)| size(*a).total_cmp(&size(*b)))
            .expect("there are directions")
    }

    fn phase_error(&self, velocity: f64, error: Option<f64>) -> PhaseError {
        let path = self.path.min(velocity * self.duration);
        // Late by path / c - path / v.
        let seconds = error.map(|error| path / velocity * (1.0 / (1.0 + error) - 1.0));
        let periods = seconds.map(|late| late * self.dominant);
        PhaseError { velocity, path, periods, seconds }
    }
}

impl Plan {
    /// Grid nodes per wavelength at the dominant frequency, in the slowest medium along the
    /// coarsest axis; `None` without a source.
    pub fn points_per_wavelength(&self) -> Option<f64> {
        self.points_per_wavelength_at(self.frequency)
    }

    /// Grid nodes per wavelength at another frequency, Hz; `None` if that is 0.
    pub fn points_per_wavelength_at(&self, frequency: f64) -> Option<f64> {
        let case = self.case().filter(|_| frequency > 0.0);
        case.map(|case| case.points_per_wavelength(frequency))
    }

    /// The numerical dispersion; `None` if no source has a wavelet in the run.
    pub fn dispersion(&self) -> Option<Dispersion> {
        self.case().map(|case| case.dispersion())
    }

    /// The scheme in the slowest medium, with the time step whose error remains in the traces.
    pub fn scheme(&self) -> Scheme<'_> {
        let (h, velocity) = (self.grid.h, f64::from(self.slowest));
        let (operator, fourth) = (&self.operator, self.fourth.as_ref());
        Scheme { operator, fourth, h, velocity, dt: self.effective_dt(self.time.dt) }
    }

    /// The time step whose error remains in the traces: dt, or 0 if it is corrected.
    fn effective_dt(&self, dt: f64) -> f64 {
        match self.time.dispersion {
            TimeDispersion::Kept => dt,
            TimeDispersion::Corrected => 0.0,
        }
    }

    fn case(&self) -> Option<Case<'_>> {
        let case = Case {
            scheme: self.scheme(),
            fastest: f64::from(self.fastest),
            volume: self.grid.is_volume(),
            path: self.path,
            duration: self.time.duration(),
            dominant: self.frequency,
            // A wavelet that the run cuts off may have only its peak in it.
            highest: self.highest.max(self.frequency),
        };
        let heard = self.wavelets.iter().any(|row| row.iter().any(|s| *s != 0.0));
        (heard && self.frequency > 0.0).then_some(case)
    }
}

/// The longest distance from a source to a receiver of its shot, m; the diagonal of a model without
/// receivers.
pub(super) fn longest_path(shots: &[Shot], model: &Grid) -> f64 {
    let mut longest = 0.0f64;
    for shot in shots {
        let corners = corners(&shot.receivers);
        for source in &shot.sources {
            // No receiver is beyond the farthest corner of the box around all: most need no test.
            let farthest = |among: &[Position]| {
                among.iter().map(|at| source.at.distance(at)).fold(0.0, f64::max)
            };
            if farthest(&corners) > longest {
                longest = longest.max(farthest(&shot.receivers));
            }
        }
    }
    let last = model.last();
    let last = Axes { y: if model.is_volume() { last.y } else { 0.0 }, ..last };
    if longest > 0.0 { longest } else { last.distance(&Axes::default()) }
}

/// Corners of the box around some positions; empty without positions.
fn corners(of: &[Position]) -> Vec<Position> {
    let Some([low, high]) = Position::box_around(of.iter().copied()) else { return Vec::new() };
    let either = |bit: usize, low: f64, high: f64| if bit == 0 { low } else { high };
    let corner = |i: usize| Axes {
        z: either(i & 1, low.z, high.z),
        x: either(i & 2, low.x, high.x),
        y: either(i & 4, low.y, high.y),
    };
    (0..8).map(corner).collect()
}
