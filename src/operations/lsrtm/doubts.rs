//! What may be wrong with the recorded traces and the migration model.

use super::LeastSquares;
use crate::{grid::Axes, model::VelocityModel, rounded::rounded};
use ndarray::Array2;
use std::fmt;

/// The largest relative difference of the velocity from its mean over a quarter of a wavelength that is
/// told of no reflection by the model itself.
const SMOOTH: f64 = 0.01;
/// Lags up to this many periods are tried.
const PERIODS: f64 = 1.5;
/// The least correlation at a lag that says something of the start of traces.
const ALIKE: f64 = 0.5;

/// The correlation of recorded traces with those of the source waves, lag by lag.
#[derive(Clone, Debug)]
pub(crate) struct Lags {
    /// At lags from -(n - 1) / 2 to (n - 1) / 2 steps.
    sums: Vec<f64>,
    modelled: f64,
    recorded: f64,
}

impl Lags {
    /// For lags up to a period and a half of the dominant frequency, Hz, in steps of `dt` s.
    pub(crate) fn new(frequency: f64, dt: f64) -> Self {
        let most = if frequency > 0.0 { (PERIODS / frequency / dt).ceil() as usize } else { 0 };
        Lags { sums: vec![0.0; 2 * most + 1], modelled: 0.0, recorded: 0.0 }
    }

    /// Of the traces of a shot, `[receiver][step]`.
    pub(crate) fn of(&self, modelled: &Array2<f32>, recorded: &Array2<f64>) -> Self {
        let (count, most) = (recorded.ncols(), self.sums.len() / 2);
        let mut found = Lags { sums: vec![0.0; self.sums.len()], modelled: 0.0, recorded: 0.0 };
        for (p, d) in modelled.outer_iter().zip(recorded.outer_iter()) {
            found.modelled += p.iter().map(|p| f64::from(*p).powi(2)).sum::<f64>();
            found.recorded += d.iter().map(|d| d * d).sum::<f64>();
            for (index, sum) in found.sums.iter_mut().enumerate() {
                // d(t) beside p(t - lag).
                let (late, early) = (index.saturating_sub(most), most.saturating_sub(index));
                let both = p.iter().skip(early).zip(d.iter().skip(late)).take(count);
                *sum += both.map(|(p, d)| f64::from(*p) * d).sum::<f64>();
            }
        }
        found
    }

    /// Adds another shot.
    pub(crate) fn add(&mut self, other: &Lags) {
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, other)| *sum += other);
        self.modelled += other.modelled;
        self.recorded += other.recorded;
    }

    /// What is wrong with the start of the recorded traces, for a dominant frequency in Hz and steps of
    /// `dt` s; `None` if they are within a quarter of a period, or say nothing.
    pub(crate) fn other_start(&self, frequency: f64, dt: f64) -> Option<OtherStart> {
        let size = self.modelled.sqrt() * self.recorded.sqrt();
        let most = self.sums.len() / 2;
        let best = (0..self.sums.len())
            .max_by(|a, b| self.sums[*a].abs().total_cmp(&self.sums[*b].abs()))?;
        let correlation = |index: usize| self.sums[index] / size;
        let later = (best as f64 - most as f64) * dt;
        let is_other = later.abs() * frequency > 0.25 && correlation(best).abs() > ALIKE;
        is_other.then(|| OtherStart {
            later,
            correlation: correlation(best),
            as_they_are: correlation(most),
        })
    }
}

/// Recorded traces that start at another time than those of the source waves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OtherStart {
    /// Seconds that they are late.
    pub(crate) later: f64,
    correlation: f64,
    as_they_are: f64,
}

impl fmt::Display for OtherStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (by, how) = (self.later.abs(), if self.later > 0.0 { "later" } else { "earlier" });
        write!(
            f,
            "the traces of rtm.gathers come {by:.2} s {how} than those of the source waves: shifted by that their correlation is \
             {:.2}, as they are it is {:.2}; check the start of the traces, the delay of the wavelet and the velocity above the \
             receivers",
            self.correlation, self.as_they_are
        )
    }
}

impl LeastSquares {
    /// The warning of a migration model that reflects waves of the source by itself.
    pub(crate) fn rough(&self) -> Option<String> {
        let plan = &self.migrated.plan;
        let quarter = f64::from(plan.slowest) / (4.0 * plan.frequency);
        let model = &self.migrated.model;
        let mean = model.smoothed(quarter).ok()?;
        let (at, part) = largest_difference(model, &mean)?;
        (part > SMOOTH).then(|| {
            format!(
                "the migration model reflects waves of the source by itself, which least squares do not explain: at x = {} m, z = {} m \
                 its velocity is {:.1} % off its mean over a quarter of a wavelength, {quarter:.0} m, and at most {} % are smooth; \
                 smooth it over more metres (rtm.smooth)",
                rounded(at.x),
                rounded(at.z),
                100.0 * part,
                100.0 * SMOOTH
            )
        })
    }
}

/// The place where two models on the same nodes differ most, metres, and the difference as a part of the
/// velocity.
fn largest_difference(model: &VelocityModel, other: &VelocityModel) -> Option<(Axes<f64>, f64)> {
    let h = model.grid().h;
    let velocities = model.velocity();
    let pairs = velocities.indexed_iter().zip(other.velocity());
    let parts = pairs.map(|((at, v), mean)| (at, (f64::from(*v) / f64::from(*mean) - 1.0).abs()));
    let ((y, x, z), part) = parts.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let at = Axes { z: z as f64 * h.z, x: x as f64 * h.x, y: y as f64 * h.y };
    Some((at, part))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Traces of 10 Hz that come some steps of 2 ms later, and are turned over.
    #[test]
    fn the_start_of_traces_is_found_whatever_their_polarity() {
        let pulse = |n: f64| (-(n / 12.0).powi(2)).exp() * (0.02 * 6.3 * n).cos();
        let modelled = Array2::from_shape_fn((3, 400), |(r, n)| {
            pulse(n as f64 - 150.0 - 20.0 * r as f64) as f32
        });
        for (late, factor) in [(0, 1.0), (40, 2.0), (-35, -3.0)] {
            let recorded = Array2::from_shape_fn((3, 400), |(r, n)| {
                factor * pulse((n as i32 - late) as f64 - 150.0 - 20.0 * r as f64)
            });
            let mut lags = Lags::new(10.0, 2e-3);
            let of_shot = lags.of(&modelled, &recorded);
            lags.add(&of_shot);
            lags.add(&of_shot);
            let found = lags.other_start(10.0, 2e-3);
            let Some(found) = found else {
                assert_eq!(late, 0);
                continue;
            };
            assert!((found.later - 2e-3 * f64::from(late)).abs() < 1e-9, "{found}");
            assert!(found.correlation * factor > 0.99 * factor.abs(), "{found}");
        }
    }
}
