//! The strongest source of a shot, and the power of two that is taken out of its sources.

use super::PlanError;
use crate::single::power_of_two;
use std::ops::RangeInclusive;

/// What the strongest source of a shot may add to the field in a step, so that f32 represents the field and its
/// derivatives: f32 has all of its digits down to 1.2e-38, so waves may spread and be absorbed by 120 dB and still be
/// exact. Sources outside of it are divided by a power of two.
pub(super) const EXACT_FIELD: RangeInclusive<f64> = 1e-25..=1e25;
/// What it may add before that division, so that f32 represents the recorded traces too: to 1.4e-45, so those that are
/// 60 dB weaker have seven digits; and to 3.4e38.
pub(super) const RECORDED_FIELD: RangeInclusive<f64> = 1e-35..=1e35;

/// The strongest source of a shot, by the value that it adds to the field in a step.
#[derive(Default)]
pub(super) struct Strongest {
    /// Its index, its amplitude and the field with an amplitude of 1.
    source: Option<(usize, f64, f64)>,
}

impl Strongest {
    /// Includes a source that adds `unit` at amplitude 1. Takes the whole wavelet's peak: a wavelet
    /// cut off by the run is another mistake.
    pub(crate) fn include(&mut self, index: usize, value: f64, unit: f64) {
        let louder = |(_, amplitude, known): (usize, f64, f64)| {
            (unit * value).abs() > (known * amplitude).abs()
        };
        if unit != 0.0 && value != 0.0 && self.source.is_none_or(louder) {
            self.source = Some((index, value, unit));
        }
    }

    /// The power of two by which the sources are divided, so that f32 represents the field.
    pub(crate) fn unit(&self) -> f64 {
        let Some((_, amplitude, unit)) = self.source else { return 1.0 };
        let peak = (unit * amplitude).abs();
        if EXACT_FIELD.contains(&peak) {
            return 1.0;
        }
        // Amplitudes of 2^n then have the bits of an amplitude of 1.
        let of_amplitude = power_of_two(amplitude.abs());
        if EXACT_FIELD.contains(&(peak / of_amplitude)) { of_amplitude } else { power_of_two(peak) }
    }

    /// Returns an error for a shot whose waves would be smaller than a limit.
    pub(crate) fn check(&self, shot: usize, limit: f64) -> Result<(), PlanError> {
        let Some((source_index, value, unit)) = self.source else { return Ok(()) };
        let peak = (unit * value).abs();
        if peak >= limit {
            return Ok(());
        }
        let louder = if unit > 1e-20 { 1.0 } else { 10f64.powf((-unit.log10()).ceil()) };
        Err(PlanError::Faint { shot, source_index, value, peak, limit, louder })
    }
}
