//! The time axis: step, steps, samples.

use super::{PlanError, error::round_down};
use crate::{
    acquisition::{TimeDispersion, time_dispersion},
    stencil::Steps,
};
use serde::Serialize;

/// The choice of the time step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Step {
    /// 0.9 of the largest stable step, with explicit time evolution at most the largest accurate
    /// one, reduced to a whole divisor of the recording interval.
    #[default]
    Auto,
    /// Seconds.
    Seconds(f64),
}

/// The requested time axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time {
    /// Simulated time, s.
    pub duration: f64,
    /// Time step.
    pub step: Step,
    /// Seconds between recorded samples; every step if `None`.
    pub record: Option<f64>,
    /// Treatment of the scheme's error in time.
    pub dispersion: TimeDispersion,
}

/// The time axis of a Plan: `steps` steps of `dt`; sample k is the field at `k record_every dt`,
/// the first at t = 0 and the last at the end, so there are `steps / record_every + 1`. If time
/// dispersion is corrected, the last samples lie `beyond` the duration, and are discarded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TimeAxis {
    /// Time step, s.
    pub dt: f64,
    /// The largest stable time step, s.
    pub limit: f64,
    /// Number of steps.
    pub steps: usize,
    /// Steps between recorded samples.
    pub record_every: usize,
    /// Samples per trace.
    pub samples: usize,
    /// Number of these samples that [`super::Plan::correct`] cuts off.
    pub beyond: usize,
    /// Whether wavelets are warped, and traces must be ([`super::Plan::correct`]).
    pub dispersion: TimeDispersion,
}

/// The most steps a simulation may have.
const MAX_STEPS: usize = 100_000_000;
/// Rounding allowed where one time must be a whole multiple of another.
const WHOLE: f64 = 1e-6;
/// The largest fraction of an interval that counts as rounding, for any number of them.
const PART: f64 = 0.01;

/// Steps of `dt` from a recorded sample to the next, `record` later, both in s.
///
/// # Errors
///
/// If they are not a whole number.
pub(crate) fn steps_of(record: f64, dt: f64) -> Result<f64, PlanError> {
    let every = record / dt;
    match every.round() < 1.0 || (every - every.round()).abs() > WHOLE * every {
        true => Err(PlanError::Record { record, dt }),
        false => Ok(every.round()),
    }
}

impl Time {
    /// `duration` seconds, with defaults for the rest.
    pub fn new(duration: f64) -> Self {
        let (step, dispersion) = (Step::default(), TimeDispersion::default());
        Time { duration, step, record: None, dispersion }
    }

    /// The longest short decimal step up to `dt` that divides the recording interval.
    pub(super) fn short_step(&self, dt: f64) -> f64 {
        let Some(record) = self.record else { return round_down(dt) };
        // Through text, so that it is short; it need divide the interval only to 1e-6.
        let part = record / (record / dt * (1.0 - WHOLE)).ceil().max(1.0);
        format!("{part:.8e}").parse().unwrap_or(part)
    }
}

impl TimeAxis {
    /// The steps nearest to these times, ascending, without duplicates. The last step may lie a
    /// fraction of a step before the requested duration.
    pub fn steps_at(&self, times: &[f64]) -> Vec<usize> {
        let nearest = |at: &f64| ((at / self.dt).round() as usize).min(self.steps);
        let mut steps: Vec<_> = times.iter().map(nearest).collect();
        steps.sort_unstable();
        steps.dedup();
        steps
    }

    /// From the request, with these steps.
    pub(super) fn new(time: &Time, steps: Steps, allow_unstable: bool) -> Result<Self, PlanError> {
        let Steps { stable: limit, chosen } = steps;
        let positive = |field, value: f64| match value.is_finite() && value > 0.0 {
            true => Ok(value),
            false => Err(PlanError::NotATime { field, value }),
        };
        let duration = positive("duration", time.duration)?;
        let record = time.record.map(|record| positive("record", record)).transpose()?;
        let dt = match (time.step, record) {
            (Step::Seconds(dt), _) => positive("step", dt)?,
            (Step::Auto, None) => chosen,
            (Step::Auto, Some(record)) => record / (record / chosen).ceil(),
        };
        if dt > limit && !allow_unstable {
            return Err(PlanError::Unstable { dt, limit });
        }
        let every = steps_of(record.unwrap_or(dt), dt)?;
        // The last sample is at the last whole recording interval within the duration, or beyond it
        // by rounding alone.
        let intervals = duration / (every * dt);
        let intervals = (intervals + (WHOLE * intervals).min(PART)).floor();
        let steps = intervals * every;
        let beyond = match time.dispersion {
            TimeDispersion::Kept => 0,
            TimeDispersion::Corrected => {
                time_dispersion::beyond(steps as usize).div_ceil(every as usize)
            }
        };
        if steps > MAX_STEPS as f64 {
            return Err(PlanError::TooManySteps { duration, dt, steps, max: MAX_STEPS });
        }
        if intervals < 1.0 {
            return Err(PlanError::TooShort { duration, interval: every * dt });
        }
        Ok(TimeAxis {
            dt,
            limit,
            steps: steps as usize + beyond * every as usize,
            record_every: every as usize,
            samples: intervals as usize + 1 + beyond,
            beyond,
            dispersion: time.dispersion,
        })
    }

    /// Seconds between recorded samples.
    pub fn interval(&self) -> f64 {
        self.record_every as f64 * self.dt
    }

    /// Samples per trace that are kept: one at each end of the duration, and those between.
    pub fn kept(&self) -> usize {
        self.samples - self.beyond
    }

    /// Time of the last kept sample, s: the requested duration, in whole recording intervals.
    pub fn duration(&self) -> f64 {
        self.at((self.kept() - 1) * self.record_every)
    }

    /// Time of a step, s.
    pub fn at(&self, step: usize) -> f64 {
        step as f64 * self.dt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: Steps = Steps { stable: 2.5e-3, chosen: 2.25e-3 };

    fn time(duration: f64, step: Step, record: Option<f64>) -> Time {
        Time { step, record, ..Time::new(duration) }
    }

    fn axis(duration: f64, step: Step, record: Option<f64>) -> Result<TimeAxis, PlanError> {
        TimeAxis::new(&time(duration, step, record), STEPS, false)
    }

    #[test]
    fn both_ends_are_samples() {
        for (duration, step, record, steps, samples) in [
            (4.0, 0.002, None, 2000, 2001),
            (3.0, 0.001, Some(0.004), 3000, 751),
            // The largest stable step.
            (1.0, STEPS.stable, None, 400, 401),
            // Rounding adds no step and takes none away.
            (0.1, 1e-7, None, 1_000_000, 1_000_001),
            (0.3, 1e-4, None, 3000, 3001),
            // A third of the recording interval, as a user writes it.
            (4.0, 3.333_333_4e-4, Some(1e-3), 12_000, 4001),
            (0.0999, 1e-3, None, 99, 100),
        ] {
            let time = axis(duration, Step::Seconds(step), record).expect("stable");
            assert_eq!((time.steps, time.samples), (steps, samples), "{duration} {step}");
            assert_eq!(time.record_every, steps / (samples - 1));
        }
        let time = axis(1.0, Step::Auto, Some(0.004)).expect("auto is stable");
        assert!((time.dt - 0.002).abs() < 1e-15 && time.record_every == 2, "{time:?}");
    }

    #[test]
    fn a_corrected_run_goes_on_by_whole_recording_intervals() {
        let kept = time(3.0, Step::Seconds(0.001), Some(0.004));
        let corrected = Time { dispersion: TimeDispersion::Corrected, ..kept };
        let time = TimeAxis::new(&corrected, STEPS, false).expect("stable");
        assert_eq!((time.samples, time.beyond, time.steps), (751 + 10, 10, 3040));
        assert_eq!((time.kept(), time.duration()), (751, 3.0));
    }

    #[test]
    fn a_step_to_copy_is_short_and_divides_the_recording_interval() {
        assert_eq!(time(1.0, Step::Auto, None).short_step(0.0012345678), 0.001234);
        for (record, dt) in
            [(0.004, 0.0015), (0.004, 0.0013333334), (0.001, 0.0014), (1.0 / 3e3, 1e-4)]
        {
            let step = time(1.0, Step::Auto, Some(record)).short_step(dt);
            assert!(step <= dt * (1.0 + WHOLE) && step > 0.4 * dt, "{step}");
            assert!(step.to_string().len() <= 16, "{step}");
            assert!(axis(1.0, Step::Seconds(step), Some(record)).is_ok(), "{step}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        assert!(matches!(axis(1.0, Step::Seconds(3e-3), None), Err(PlanError::Unstable { .. })));
        let uneven = axis(1.0, Step::Seconds(2e-3), Some(3e-3));
        assert!(matches!(uneven, Err(PlanError::Record { .. })));
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(axis(bad, Step::Auto, None), Err(PlanError::NotATime { .. })));
        }
        let long = axis(1e30, Step::Auto, None);
        assert!(matches!(long, Err(PlanError::TooManySteps { .. })));
        assert!(matches!(axis(1e-4, Step::Seconds(2e-3), None), Err(PlanError::TooShort { .. })));
    }

    #[test]
    fn a_time_has_its_nearest_step() {
        let time = axis(0.1, Step::Seconds(1e-3), None).expect("stable");
        assert_eq!(time.steps_at(&[9.0, 0.0104, 0.0106, 0.0107]), [10, 11, 100]);
    }
}
