//! Runs whose results would mean nothing. Most have a wrong unit.

use super::{Dispersion, FEWEST_POINTS, Plan, Seconds, error::round_down};
use crate::{grid::Position, rounded::rounded};
use std::{collections::HashSet, fmt, sync::Arc};

/// Points per wavelength below which a grid carries no wave: the widest Taylor operator, order 16,
/// is 3 % off here, and its waves stand still at 2.2.
pub const HOPELESS_POINTS: f64 = 2.5;
/// A duration that is usual in milliseconds, s.
const LONG: f64 = 1000.0;
/// Steps of a survey are shorter, s; those of waves that cross the Earth are longer.
const SHORT: f64 = 0.01;

/// A run that is refused unless it is forced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hopeless {
    /// Waves that the grid does not carry.
    Coarse {
        /// The frequency that was looked at, Hz.
        frequency: f64,
        /// Whether that is the dominant one; else it is the highest.
        is_dominant: bool,
        /// Points per wavelength in the slowest medium.
        points: f64,
        /// The velocity of that, m/s.
        velocity: f64,
        /// The longest side of a cell, m.
        cell: f64,
    },
    /// Two or more receivers that all lie within a cell, in every shot.
    Crowded {
        /// The shot with the most receivers, counted from 0.
        shot: usize,
        /// Their distinct positions.
        places: usize,
        /// The longest side of the box around them, m.
        extent: f64,
        /// The shortest side of a cell, m.
        cell: f64,
    },
    /// A duration that is apparently in milliseconds, s, with its step.
    Long {
        /// The simulated time.
        duration: f64,
        /// The step.
        dt: f64,
    },
}

impl fmt::Display for Hopeless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Hopeless::Coarse { frequency, is_dominant, points, velocity, cell } => {
                let which = if is_dominant { "dominant" } else { "highest" };
                write!(
                    f,
                    "waves of {} Hz, the {which} frequency, have only {points:.2} points per \
                     wavelength at {} m/s; a grid cannot carry waves with fewer than \
                     {HOPELESS_POINTS}; use a model of a spacing of {} m or less, wavelets of \
                     frequencies {} times as high, or run it with --force",
                    round_down(frequency),
                    rounded(velocity),
                    round_down(cell * points / FEWEST_POINTS),
                    round_down(points / FEWEST_POINTS),
                )
            }
            Hopeless::Crowded { shot, places, extent, cell } => write!(
                f,
                "all {places} receivers of shot {} lie within {} m, less than a cell of the \
                 grid, {} m; multiply their positions by 1000 if these are kilometres, or \
                 run it with --force",
                shot + 1,
                round_down(extent),
                rounded(cell)
            ),
            Hopeless::Long { duration, dt } => write!(
                f,
                "a duration of {} in steps of {} takes {:.1e} steps; {} or more is refused if \
                 steps are below 10 ms; give {} s if these are milliseconds, or run it with --force",
                Seconds(duration),
                Seconds(dt),
                duration / dt,
                Seconds(LONG),
                duration / 1e3
            ),
        }
    }
}

impl Hopeless {
    /// Waves that a grid of this longest side of a cell does not carry, by the highest frequency or the
    /// dominant one alone.
    pub fn of_waves(dispersion: &Dispersion, cell: f64, by_dominant: bool) -> Option<Self> {
        let Dispersion { velocity, dominant, highest, .. } = *dispersion;
        let is_dominant = by_dominant || dominant.points_per_wavelength < HOPELESS_POINTS;
        let of = if is_dominant { dominant } else { highest };
        let (frequency, points) = (of.frequency, of.points_per_wavelength);
        let coarse = Hopeless::Coarse { frequency, is_dominant, points, velocity, cell };
        (points < HOPELESS_POINTS).then_some(coarse)
    }

    /// Positions of receivers that all lie within a cell, for every shot.
    fn of_receivers(plan: &Plan) -> Option<Self> {
        let (h, volume) = (plan.grid.h, plan.grid.is_volume());
        let cell = if volume { h.z.min(h.x).min(h.y) } else { h.z.min(h.x) };
        let mut seen = HashSet::new();
        let mut most: Option<(usize, usize, f64)> = None;
        for (shot, points) in plan.shots.iter().enumerate() {
            let receivers = &points.asked.receivers;
            if receivers.is_empty() || !seen.insert(Arc::as_ptr(receivers).cast::<Position>()) {
                continue;
            }
            let [low, high] = Position::box_around(receivers.iter().copied())?;
            let extent = high.zip(low).map(|(high, low)| high - low).largest(volume);
            if extent >= cell {
                return None;
            }
            if most.is_none_or(|(_, count, _)| receivers.len() > count) {
                most = Some((shot, receivers.len(), extent));
            }
        }
        let (shot, _, extent) = most?;
        let receivers = plan.shots[shot].asked.receivers.iter();
        let places: HashSet<_> = receivers.map(|at| [at.z, at.x, at.y].map(f64::to_bits)).collect();
        let places = places.len();
        (places > 1).then_some(Hopeless::Crowded { shot, places, extent, cell })
    }
}

impl Plan {
    /// The reason that nothing can be learned from a run, if there is one.
    pub(crate) fn hopeless(&self) -> Option<Hopeless> {
        let (duration, dt) = (self.requested_time.duration, self.time.dt);
        let long = (duration >= LONG && dt < SHORT).then_some(Hopeless::Long { duration, dt });
        let coarse = || {
            // A jump has high frequencies that are not meant.
            let jumps = self.truncated().is_some() || self.abrupt_start().is_some();
            let cell = self.grid.h.largest(self.grid.is_volume());
            Hopeless::of_waves(&self.dispersion()?, cell, jumps)
        };
        long.or_else(|| Hopeless::of_receivers(self)).or_else(coarse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Gaussian, Ricker, Sampled, Shot, Source, Wavelet, line},
        grid::Axes,
        plan::Setup,
        testing::{rock, setup, steps},
    };

    /// A shot of a wavelet at a line of receivers up to `x`, m, in cells of 10 m at 1500 m/s.
    fn found(wavelet: Wavelet, count: usize, x: f64, [duration, dt]: [f64; 2]) -> Option<Hopeless> {
        let source = Source::new(Axes::xz(0.5 * x, 200.0), wavelet);
        let receivers = line(Axes::xz(0.0, 0.0), Axes::xz(x, 0.0), count);
        let model = rock([80, 60], [10.0; 2], 1500.0);
        let setup = setup(model, vec![Shot::new(source, receivers)]);
        let plan = Plan::new(Setup { time: steps(duration, dt), ..setup });
        plan.expect("a valid setup").hopeless()
    }

    /// [`found`] of half a second at 700 m of receivers.
    fn of_waves(wavelet: Wavelet) -> Option<Hopeless> {
        found(wavelet, 50, 700.0, [0.5, 1e-3])
    }

    #[test]
    fn waves_that_the_grid_does_not_carry_are_found() {
        // A Ricker wavelet falls to 5 % of its largest amplitude at 2.4 times its peak frequency.
        assert_eq!(of_waves(Wavelet::ricker(24.0)), None);
        let coarse = of_waves(Wavelet::ricker(27.0)).expect("waves of 65 Hz have 2.3 points");
        let Hopeless::Coarse { points, is_dominant: false, .. } = coarse else {
            panic!("{coarse:?}")
        };
        assert!((2.2..2.5).contains(&points), "{points}");
        let said = coarse.to_string();
        for part in ["2.5", "spacing of 7.", "wavelets of frequencies 0.7"] {
            assert!(said.contains(part), "{said}");
        }
        let dominant = of_waves(Wavelet::ricker(70.0));
        assert!(matches!(dominant, Some(Hopeless::Coarse { is_dominant: true, .. })));
    }

    #[test]
    fn a_jump_at_either_end_does_not_count() {
        let ricker = |delay| Wavelet::Ricker(Ricker { peak_hz: 10.0, delay });
        let gaussian = Gaussian { derivative: 0, peak_hz: 10.0, delay: 0.0 };
        // From its middle, up to its middle, and the click of one sample.
        assert_eq!(of_waves(ricker(0.0)), None);
        assert_eq!(found(ricker(0.2), 50, 700.0, [0.2, 1e-3]), None);
        assert_eq!(of_waves(Wavelet::Gaussian(gaussian)), None);
        let click = Sampled { values: vec![0.0, 1.0, 0.0].into(), interval: 1e-3 };
        assert!(of_waves(Wavelet::Sampled(click)).is_some());
    }

    #[test]
    fn receivers_in_kilometres_are_found() {
        // Two are refused too; one lies in a cell by its nature.
        for (count, x, places) in [
            (50, 0.7, Some(50)),
            (2, 0.7, Some(2)),
            (1, 0.7, None),
            (50, 700.0, None),
            (50, 10.0, None),
            (50, 0.0, None),
        ] {
            let crowded = |places| Hopeless::Crowded { shot: 0, places, extent: 0.7, cell: 10.0 };
            let found = found(Wavelet::ricker(10.0), count, x, [0.5, 1e-3]);
            assert_eq!(found, places.map(crowded), "{count} up to {x} m");
        }
    }

    #[test]
    fn a_duration_in_milliseconds_is_found() {
        let of = |duration| found(Wavelet::ricker(10.0), 50, 700.0, [duration, 2e-3]);
        assert_eq!(of(1000.0), Some(Hopeless::Long { duration: 1000.0, dt: 2e-3 }));
        assert_eq!(of(30.0), None);
    }
}
