//! Timing: everything that is compared takes turns, so that a drift of the device's speed falls on all.

use crate::engine::{
    EngineError, Run, Timings,
    cpu::Scalar,
    gpu::bench::{Chain, Sample, Update},
};
use serde::Serialize;
use std::{ops::ControlFlow, time::Instant};

/// Something that steps and can be timed.
pub trait Timed {
    /// Steps so often and says what a step took.
    fn sample(&mut self, steps: usize) -> Result<Sample, EngineError>;

    /// Whose clock it goes by.
    fn clock(&self) -> Clock;
}

/// Whose clock a time is by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// Timestamps that the device writes around a pass of many steps.
    Device,
    /// The host's clock over many steps.
    Wall,
}

/// What a step takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// Median, seconds a step.
    pub seconds: f64,
    /// The fastest sample.
    pub fastest: f64,
    /// The slowest sample.
    pub slowest: f64,
    /// Median by the wall, encoding included.
    pub wall: f64,
    /// Samples.
    pub samples: usize,
    /// Steps a sample.
    pub steps: usize,
    /// Whose clock `seconds` is by.
    pub clock: Clock,
}

/// Samples of each: an odd number, so that one of them is the median.
pub const SAMPLES: usize = 7;
/// What a sample should take: long against the clock's resolution and the launch of a pass.
const SAMPLE_SECONDS: f64 = 0.01;
/// The most steps a sample takes.
const MOST_STEPS: usize = 1000;
/// Work before the first sample that counts: an idle device lowers its clock and needs this long to raise
/// it again.
const WAKE_SECONDS: f64 = 0.3;

/// Samples that [`race`] takes, the warm-up counted as one.
pub fn samples(contestants: usize) -> usize {
    (SAMPLES + 1) * contestants
}

/// Times everything in turns, after a warm-up of each. `progress` hears the samples taken out of all. What
/// runs on a device is not to be mixed with what leaves it idle.
pub fn race(
    contestants: &mut [Box<dyn Timed + '_>],
    progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Vec<Measured>, EngineError> {
    let all = samples(contestants.len());
    let mut done = 0;
    let mut tell = || {
        done += 1;
        match progress(done, all) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(EngineError::Stopped { step: done, steps: all }),
        }
    };
    let mut steps = Vec::with_capacity(contestants.len());
    for contestant in contestants.iter_mut() {
        // The first run compiles, allocates and wakes; the second tells how many steps fill a sample.
        contestant.sample(1)?;
        let fits = SAMPLE_SECONDS / contestant.sample(2)?.seconds.max(1e-9);
        let fits = (fits as usize).clamp(1, MOST_STEPS);
        if fits > 2 {
            contestant.sample(fits)?;
        }
        steps.push(fits);
        tell()?;
    }
    if let (Some(first), Some(steps)) = (contestants.first_mut(), steps.first()) {
        let started = Instant::now();
        while started.elapsed().as_secs_f64() < WAKE_SECONDS {
            first.sample(*steps)?;
        }
    }
    let mut samples = vec![Vec::with_capacity(SAMPLES); contestants.len()];
    for _ in 0..SAMPLES {
        for (contestant, (steps, samples)) in
            contestants.iter_mut().zip(steps.iter().zip(&mut samples))
        {
            samples.push(contestant.sample(*steps)?);
            tell()?;
        }
    }
    let measured = contestants.iter().zip(steps.iter().zip(&samples));
    Ok(measured
        .map(|(contestant, (steps, samples))| summary(samples, *steps, contestant.clock()))
        .collect())
}

fn summary(samples: &[Sample], steps: usize, clock: Clock) -> Measured {
    let sorted = |of: fn(&Sample) -> f64| {
        let mut values: Vec<f64> = samples.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    let (seconds, wall) = (sorted(|sample| sample.seconds), sorted(|sample| sample.wall));
    Measured {
        seconds: seconds[seconds.len() / 2],
        fastest: seconds[0],
        slowest: seconds[seconds.len() - 1],
        wall: wall[wall.len() / 2],
        samples: seconds.len(),
        steps,
        clock,
    }
}

impl Timed for Chain<'_> {
    fn sample(&mut self, steps: usize) -> Result<Sample, EngineError> {
        Chain::sample(self, steps)
    }

    fn clock(&self) -> Clock {
        if self.has_clock() { Clock::Device } else { Clock::Wall }
    }
}

/// An engine's run, as `shot` advances it.
pub struct Resident<'p>(pub Box<dyn Run + 'p>);

impl Timed for Resident<'_> {
    fn sample(&mut self, steps: usize) -> Result<Sample, EngineError> {
        let before = self.0.timings();
        self.0.advance(steps, &mut ())?;
        let after = self.0.timings();
        let spent = |of: fn(&Timings) -> f64| (of(&after) - of(&before)) / steps.max(1) as f64;
        let wall = spent(|timings| timings.stepping);
        let device = after.device.map(|_| spent(|timings| timings.device.unwrap_or(0.0)));
        Ok(Sample { seconds: device.unwrap_or(wall), wall })
    }

    fn clock(&self) -> Clock {
        if self.0.timings().device.is_some() { Clock::Device } else { Clock::Wall }
    }
}

/// One thread with plain loops.
pub struct OneThread(pub Scalar<f32>, pub Update);

impl Timed for OneThread {
    fn sample(&mut self, steps: usize) -> Result<Sample, EngineError> {
        let started = Instant::now();
        for _ in 0..steps {
            match self.1 {
                Update::Laplacian => self.0.laplacian(),
                Update::Wave => self.0.step(),
            }
        }
        let wall = started.elapsed().as_secs_f64() / steps.max(1) as f64;
        Ok(Sample { seconds: wall, wall })
    }

    fn clock(&self) -> Clock {
        Clock::Wall
    }
}
