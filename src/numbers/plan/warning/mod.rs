//! Warnings of a Plan that can run, and the refusal of one that gives only zeros. `Rounding` is beside
//! its reason, in `rounding.rs`.
//!
//! To add a warning: a variant of [`Warning`] with the value, the limit and the remedy, an arm of
//! its `Display`, and a line in `Plan::warnings`. The limit stands beside its reason. To add a
//! cause of a blow-up: a variant of `Cause` in `src/engine/blow_up.rs`.

mod abrupt_start;
mod crowded;
mod growing_layer;
mod on_surface;
mod silence;
#[cfg(test)]
mod tests;
mod truncated;
mod wavelet_ends;

pub use abrupt_start::AbruptStart;
pub use crowded::Crowded;
pub use growing_layer::GrowingLayer;
pub use on_surface::{OnSurface, Point};
pub use silence::Silence;
pub use truncated::Truncated;

use super::{
    Dispersion, FEWEST_POINTS, MOST_PERIODS, PhaseError, Plan, PointShot, PointSource, Remedy,
    Rounding, Seconds, from_one,
};
use crate::{message::any_of, rounded::rounded};
use serde::Serialize;
use std::fmt;

/// A warning, with the value, the limit and the remedy.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[non_exhaustive]
pub enum Warning {
    /// A time step above the largest stable one, run on request.
    Unstable {
        /// The step, s.
        dt: f64,
        /// The largest stable step, s.
        limit: f64,
    },
    /// Waves that the grid or the time step disperses, or does not carry.
    Dispersion {
        /// At the dominant and the highest frequency, in the slowest and the fastest medium.
        dispersion: Box<Dispersion>,
        /// Changes, each sufficient by itself.
        remedies: Vec<Remedy>,
    },
    /// A source that switches on with a jump.
    AbruptStart(AbruptStart),
    /// A source that the run cuts off.
    #[serde(rename = "cut-off")]
    Truncated(Truncated),
    /// Sources or receivers on a free surface.
    #[serde(rename = "unheard")]
    OnSurface(OnSurface),
    /// A survey that is apparently in kilometres.
    Crowded(Crowded),
    /// An absorbing layer in which errors grow.
    GrowingLayer(GrowingLayer),
    /// Steps so short that rounding errors matter.
    Rounding(Rounding),
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Unstable { dt, limit } => write!(
                f,
                "the time step of {} is unstable (the limit is {}); running it as asked",
                Seconds(*dt),
                Seconds(*limit)
            ),
            Warning::AbruptStart(start) => start.fmt(f),
            Warning::Truncated(truncated) => truncated.fmt(f),
            Warning::OnSurface(on_surface) => on_surface.fmt(f),
            Warning::Crowded(crowded) => crowded.fmt(f),
            Warning::GrowingLayer(layer) => layer.fmt(f),
            Warning::Rounding(rounding) => rounding.fmt(f),
            Warning::Dispersion { dispersion, remedies } => {
                write!(f, "numerical dispersion: ")?;
                if dispersion.is_out_of_step() {
                    out_of_step(f, dispersion)?;
                }
                if dispersion.is_sparse() {
                    let highest = &dispersion.highest;
                    write!(
                        f,
                        "at the highest frequency, {} Hz, there are only {:.2} points per wavelength; at least \
                         {FEWEST_POINTS} are needed; ",
                        rounded(highest.frequency),
                        highest.points_per_wavelength,
                    )?;
                }
                match remedies.as_slice() {
                    [] => write!(
                        f,
                        "no single change is enough: use a finer grid, a Taylor operator and a lower frequency"
                    ),
                    [one] => write!(f, "remedy: {one}"),
                    several => write!(f, "any one of these is enough: {}", any_of(several)),
                }
            }
        }
    }
}

fn out_of_step(f: &mut fmt::Formatter<'_>, dispersion: &Dispersion) -> fmt::Result {
    let (dominant, PhaseError { velocity, path, periods, seconds }) =
        (&dispersion.dominant, dispersion.worst());
    let velocity_said = rounded(velocity);
    let (frequency, points) = (
        rounded(dominant.frequency),
        dominant.points_per_wavelength * velocity / dispersion.velocity,
    );
    match (periods, seconds) {
        (Some(periods), Some(seconds)) => write!(
            f,
            "waves of {frequency} Hz, {points:.1} points per wavelength, arrive up to {:.2} periods ({:.4} s) {} \
             after {:.2} km at {velocity_said} m/s, and {MOST_PERIODS} is the limit; ",
            periods.abs(),
            seconds.abs(),
            if seconds > 0.0 { "late" } else { "early" },
            path / 1000.0,
        ),
        _ => write!(
            f,
            "waves of {frequency} Hz have {points:.2} points per wavelength at {velocity_said} m/s and do not travel on \
             this grid; "
        ),
    }
}

impl Plan {
    /// Warnings before a run.
    pub fn warnings(&self) -> Vec<Warning> {
        self.warnings_with(Plan::dispersion_remedies)
    }

    /// The warnings of [`Self::warnings`] without the remedies of dispersion: these are searched for,
    /// which may take longer than a small run.
    pub fn warnings_without_remedies(&self) -> Vec<Warning> {
        self.warnings_with(|_| Vec::new())
    }

    fn warnings_with(&self, remedies: fn(&Plan) -> Vec<Remedy>) -> Vec<Warning> {
        let (dt, limit) = (self.time.dt, self.time.limit);
        if dt > limit {
            // Phases mean nothing if amplitudes grow.
            return vec![Warning::Unstable { dt, limit }];
        }
        let dispersion = self.dispersion().filter(|dispersion| !dispersion.is_fine());
        let with_remedies = |dispersion| Warning::Dispersion {
            dispersion: Box::new(dispersion),
            remedies: remedies(self),
        };
        let first = [
            dispersion.map(with_remedies),
            self.abrupt_start().map(Warning::AbruptStart),
            self.truncated().map(Warning::Truncated),
        ];
        let on_surface = self.on_surface().into_iter().map(Warning::OnSurface);
        let last = [
            self.crowded().map(Warning::Crowded),
            self.growing_layer().map(Warning::GrowingLayer),
            self.rounding().map(Warning::Rounding),
        ];
        first.into_iter().flatten().chain(on_surface).chain(last.into_iter().flatten()).collect()
    }

    /// All sources on the grid, with the index of their shot and the shot.
    fn all_sources(&self) -> impl Iterator<Item = (usize, &PointShot, &PointSource)> {
        let shots = self.shots.iter().enumerate();
        shots.flat_map(|(index, shot)| shot.sources.iter().map(move |source| (index, shot, source)))
    }
}
