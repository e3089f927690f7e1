//! Timing: all contestants take turns, so that a drift of the device's speed affects all alike.

pub use crate::engine::tune::Progress;
pub(super) use crate::engine::tune::tell;

use super::{Scalar, error::LadderError};
use crate::engine::{
    EngineError, Run, Timings,
    gpu::{
        GpuRun,
        bench::{BenchError, Chain, Sample, Update},
    },
};
use serde::Serialize;
use std::{
    future::{Future, ready},
    pin::Pin,
};
use web_time::Instant;

/// A time that a browser, which may not block, awaits; elsewhere it is there when it is asked for.
pub(crate) type Sampled<'t> = Pin<Box<dyn Future<Output = Result<Sample, EngineError>> + 't>>;

/// Waits for what a browser awaits.
pub(crate) fn now<T>(timed: impl Future<Output = T>) -> T {
    pollster::block_on(timed)
}

/// A time that is there.
pub(crate) fn at_once<'t>(sample: Result<Sample, EngineError>) -> Sampled<'t> {
    Box::pin(ready(sample))
}

/// A contestant that steps and can be timed.
pub(crate) trait Timed {
    /// Runs `steps` steps and returns the time per step.
    fn sample(&mut self, steps: usize) -> Sampled<'_>;

    /// The clock of its times.
    fn clock(&self) -> Clock;
}

/// The clock of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// Timestamps that the device writes around a pass of many steps.
    Device,
    /// The host's clock over many steps, with their encoding and the wait for them.
    Wall,
}

/// Time of a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// Median, seconds per step.
    pub seconds: f64,
    /// The fastest sample.
    pub fastest: f64,
    /// The slowest sample.
    pub slowest: f64,
    /// Median by the wall clock, encoding included.
    pub(crate) wall: f64,
    /// Samples.
    pub samples: usize,
    /// Steps per sample.
    pub steps: usize,
    /// Clock of `seconds`.
    pub clock: Clock,
}

/// Samples of each: an odd number, so that one of them is the median.
pub(crate) const SAMPLES: usize = 7;
/// Target length of a sample, s, unless [`MOST_STEPS`] take less: long against the clock's
/// resolution and the launch of a pass. A build with assertions is for tests, not for timing.
const SAMPLE_SECONDS: f64 = if cfg!(debug_assertions) { 0.001 } else { 0.01 };
/// Target length of a sample, s: long beside the start of the shares' threads.
pub(super) const SPLIT_SECONDS: f64 = if cfg!(debug_assertions) { 0.01 } else { 0.3 };
/// The most steps of a sample.
const MOST_STEPS: usize = 1000;
/// Work before the first sample that counts: an idle device lowers its clock and needs this long to
/// raise it again.
const WAKE_SECONDS: f64 = if cfg!(debug_assertions) { 0.03 } else { 0.3 };

/// Length of a trial of a grouping, s.
const TRIAL_SECONDS: f64 = 0.002;
/// Trials of each grouping; the fastest counts.
const TRIALS: usize = 3;

/// Samples that [`race`] takes, the warm-up counted as one.
pub(crate) fn samples(contestants: usize) -> usize {
    (SAMPLES + 1) * contestants
}

/// Times all contestants in turns, after a warm-up of each. `progress` receives the samples taken
/// and their total. Contestants that run on a device must not be mixed with ones that leave it
/// idle.
pub(crate) async fn race(
    contestants: &mut [Box<dyn Timed + '_>],
    progress: &mut Progress<'_>,
) -> Result<Vec<Measured>, EngineError> {
    let all = samples(contestants.len());
    let mut done = 0..;
    let mut one_more = || tell(progress, done.next().unwrap_or(0) + 1, all);
    if let Some(first) = contestants.first_mut() {
        wake(first.as_mut()).await?;
    }
    let mut taken = Vec::with_capacity(contestants.len());
    for contestant in contestants.iter_mut() {
        let steps = warm_up(contestant.as_mut(), SAMPLE_SECONDS).await?;
        taken.push((steps, Vec::with_capacity(SAMPLES)));
        one_more()?;
    }
    for _ in 0..SAMPLES {
        for (contestant, (steps, samples)) in contestants.iter_mut().zip(&mut taken) {
            samples.push(contestant.sample(*steps).await?);
            one_more()?;
        }
    }
    let measured = contestants.iter().zip(taken);
    Ok(measured
        .map(|(contestant, (steps, samples))| summary(&samples, steps, contestant.clock()))
        .collect())
}

/// Times one contestant by the wall clock, with samples of `seconds` s, after a warm-up; calls
/// `begin` before those that count.
pub(super) fn by_the_wall(
    run: &mut dyn Timed,
    seconds: f64,
    begin: &mut dyn FnMut(),
    tell: &mut dyn FnMut() -> Result<(), EngineError>,
) -> Result<Measured, EngineError> {
    let steps = now(warm_up(run, seconds))?;
    now(run.sample(steps))?;
    tell()?;
    begin();
    let mut samples = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        samples.push(Sample::by_the_wall(now(run.sample(steps))?.wall));
        tell()?;
    }
    Ok(summary(&samples, steps, Clock::Wall))
}

/// The median of some times.
pub(super) fn median(times: Vec<f64>) -> f64 {
    let times = sorted(times);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

fn sorted(mut times: Vec<f64>) -> Vec<f64> {
    times.sort_by(f64::total_cmp);
    times
}

/// A grouping that was tried.
pub(super) struct Tried<'b, G> {
    pub(crate) chain: Chain<'b>,
    pub(crate) grouping: G,
    /// Seconds per step.
    pub(crate) seconds: f64,
}

/// The fastest grouping by short trials, or the reason that the device takes none.
pub(super) async fn fastest<'b, G>(
    groupings: impl IntoIterator<Item = G>,
    chain: impl Fn(&G) -> Result<Chain<'b>, BenchError>,
    hardware: bool,
    progress: &mut Progress<'_>,
) -> Result<Result<Tried<'b, G>, String>, LadderError> {
    let (mut ready, mut refusal) = (Vec::new(), String::new());
    for grouping in groupings {
        tell(progress, 0, 0)?;
        match chain(&grouping) {
            Ok(chain) => ready.push(Tried { chain, grouping, seconds: f64::INFINITY }),
            Err(refused @ BenchError::Refused { .. }) => refusal = refused.to_string(),
            Err(error) => return Err(error.into()),
        }
    }
    // While kernels are compiled an idle device lowers its clock, and kernels bound by arithmetic
    // then look worse than they are.
    if let ([first, _, ..], true) = (&mut ready[..], hardware) {
        wake(&mut first.chain).await?;
    }
    for (number, Tried { chain, seconds, .. }) in ready.iter_mut().enumerate() {
        tell(progress, 0, 0)?;
        let steps = warm_up(chain, TRIAL_SECONDS).await?;
        for _ in 0..TRIALS {
            *seconds = seconds.min(chain.timed(steps).await?.seconds);
        }
        tracing::debug!(number, us = 1e6 * *seconds, "trial");
    }
    Ok(ready.into_iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds)).ok_or(refusal))
}

/// Keeps a contestant busy until its clock is up.
pub(crate) async fn wake(contestant: &mut dyn Timed) -> Result<(), EngineError> {
    let started = Instant::now();
    let mut steps = 1;
    while started.elapsed().as_secs_f64() < WAKE_SECONDS {
        contestant.sample(steps).await?;
        steps = (2 * steps).min(MOST_STEPS / 10);
    }
    Ok(())
}

/// Warms a contestant up; returns the number of its steps that fill `seconds` s.
pub(crate) async fn warm_up(
    contestant: &mut dyn Timed,
    seconds: f64,
) -> Result<usize, EngineError> {
    let fits = |step: f64| ((seconds / step.max(1e-9)) as usize).clamp(1, MOST_STEPS);
    // The first run compiles and allocates; the second is too short for the fixed costs of a pass.
    contestant.sample(1).await?;
    let about = fits(contestant.sample(2).await?.seconds);
    if about <= 2 {
        return Ok(about);
    }
    Ok(fits(contestant.sample(about).await?.seconds))
}

pub(super) fn summary(samples: &[Sample], steps: usize, clock: Clock) -> Measured {
    let all = |of: fn(&Sample) -> f64| samples.iter().map(of).collect();
    let seconds = sorted(all(|sample| sample.seconds));
    Measured {
        seconds: seconds[seconds.len() / 2],
        fastest: seconds[0],
        slowest: seconds[seconds.len() - 1],
        wall: median(all(|sample| sample.wall)),
        samples: seconds.len(),
        steps,
        clock,
    }
}

impl Timed for Chain<'_> {
    fn sample(&mut self, steps: usize) -> Sampled<'_> {
        Box::pin(self.timed(steps))
    }

    fn clock(&self) -> Clock {
        if self.has_clock() { Clock::Device } else { Clock::Wall }
    }
}

/// An engine's run, as `shot` advances it.
pub(crate) struct Resident<'p>(pub Box<dyn Run + 'p>);

impl Timed for Resident<'_> {
    fn sample(&mut self, steps: usize) -> Sampled<'_> {
        let (first, before) = (self.0.step(), self.0.timings());
        let advanced = self.0.advance(steps, &mut ());
        at_once(advanced.map(|()| since(first, before, self.0.as_ref())))
    }

    fn clock(&self) -> Clock {
        clock_of(self.0.as_ref())
    }
}

/// The same of a device, whose steps a browser awaits.
pub(crate) struct OnDevice(pub GpuRun);

impl Timed for OnDevice {
    fn sample(&mut self, steps: usize) -> Sampled<'_> {
        Box::pin(async move {
            let (first, before) = (self.0.step(), self.0.timings());
            self.0.advance_async(steps, &mut ()).await?;
            Ok(since(first, before, &self.0))
        })
    }

    fn clock(&self) -> Clock {
        clock_of(&self.0)
    }
}

/// Time per step since a step of a run and its timings there.
fn since(first: usize, before: Timings, run: &dyn Run) -> Sample {
    let (done, after) = ((run.step() - first).max(1) as f64, run.timings());
    let spent = |of: fn(&Timings) -> f64| (of(&after) - of(&before)) / done;
    let wall = spent(|timings| timings.stepping);
    let device = after.device.map(|_| spent(|timings| timings.device.unwrap_or(0.0)));
    Sample { seconds: device.unwrap_or(wall), wall }
}

fn clock_of(run: &dyn Run) -> Clock {
    if run.timings().device.is_some() { Clock::Device } else { Clock::Wall }
}

/// One thread with plain loops.
pub(crate) struct OneThread(pub Scalar<f32>, pub Update);

impl Timed for OneThread {
    fn sample(&mut self, steps: usize) -> Sampled<'_> {
        let started = Instant::now();
        for _ in 0..steps {
            match self.1 {
                Update::Laplacian => self.0.laplacian(),
                Update::Wave => self.0.step(),
            }
        }
        let wall = started.elapsed().as_secs_f64() / steps.max(1) as f64;
        at_once(Ok(Sample::by_the_wall(wall)))
    }

    fn clock(&self) -> Clock {
        Clock::Wall
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    /// Becomes ever slower, and records its turns.
    struct Slowing<'a> {
        name: char,
        samples: usize,
        turns: &'a std::cell::RefCell<String>,
    }

    impl Timed for Slowing<'_> {
        fn sample(&mut self, _steps: usize) -> Sampled<'_> {
            self.samples += 1;
            self.turns.borrow_mut().push(self.name);
            // Long enough for one step per sample; the first runs are no part of the result.
            let seconds = self.samples as f64;
            at_once(Ok(Sample { seconds, wall: 2.0 * seconds }))
        }

        fn clock(&self) -> Clock {
            Clock::Device
        }
    }

    #[test]
    fn takes_turns_and_gives_the_median() -> Result<(), EngineError> {
        let turns = std::cell::RefCell::default();
        let slowing = |name| Slowing { name, samples: 0, turns: &turns };
        let mut both: Vec<Box<dyn Timed + '_>> =
            vec![Box::new(slowing('a')), Box::new(slowing('b'))];
        let mut told = Vec::new();
        let measured = now(race(&mut both, &mut |done, all| {
            told.push((done, all));
            ControlFlow::Continue(())
        }))?;
        drop(both);
        assert!(turns.borrow().ends_with("ababababababab"), "{}", turns.borrow());
        // b: two warm-up samples, then 3 to 9 seconds per step.
        let b = measured[1];
        assert_eq!((b.fastest, b.seconds, b.slowest, b.wall), (3.0, 6.0, 9.0, 12.0));
        assert_eq!((b.samples, b.steps), (SAMPLES, 1));
        assert_eq!((told.len(), told.last()), (16, Some(&(16, 16))));
        Ok(())
    }

    #[test]
    fn stops_when_asked() {
        let turns = std::cell::RefCell::default();
        let mut one: Vec<Box<dyn Timed + '_>> =
            vec![Box::new(Slowing { name: 'a', samples: 0, turns: &turns })];
        let stopped = now(race(&mut one, &mut |_, _| ControlFlow::Break(())));
        assert!(matches!(stopped, Err(EngineError::Stopped { .. })));
    }
}
