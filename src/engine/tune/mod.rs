//! Chooses the kernel for a Plan: the one that [`measure_again`] found the fastest for its class on
//! this device, or else the one of a rule ([`Class::kernel`]).
//!
//! The fastest kernel depends on the device, its driver, and the class of the simulation:
//! dimensions, size, operator and layers. To measure, each kernel steps a stand-in of the class for
//! a moment, in turn, over several rounds. The speeds of runs are remembered too, for estimates.

#[cfg(feature = "files")]
mod batch;
#[cfg(feature = "files")]
mod cache;
mod choices;
mod class;
#[cfg(feature = "files")]
mod engines;
#[cfg(all(feature = "files", feature = "mpi"))]
mod over_ranks;
mod rounds;
mod runner;

#[cfg(feature = "files")]
pub use cache::chosen;
pub use choices::Choices;
use choices::Key;
pub use class::Class;
#[cfg(feature = "files")]
pub use engines::{EnginesError, Joining, joined, with_slabs};
#[cfg(all(feature = "files", feature = "mpi"))]
pub use over_ranks::over_ranks;
pub use rounds::Timing;
pub use runner::{KernelFrom, Runner};
#[cfg(feature = "files")]
pub use {
    batch::MeasuredBatch, batch::measure_batch, cache::FILE, cache::Measured, cache::first_batch,
    cache::measure_again, cache::remember_run,
};

use crate::{
    Description, EngineError, Run,
    gpu::{Gpu, StepKernel},
    plan::Plan,
    prove_in,
};
use std::{ops::ControlFlow, sync::Arc, time::Duration};
use web_time::Instant;

/// Work before the first kernel: an idle device needs a while to raise its clock.
const WAKE: Duration = Duration::from_millis(200);
/// Rounds, with one turn per kernel, and the fewest that give the spread.
const ROUNDS: usize = 7;
const FEWEST_ROUNDS: usize = 3;
/// The most steps of a turn.
const MOST_STEPS: usize = 100;

/// Times every kernel that the device takes and that computes waves, in rounds, within about
/// `budget`; for five steps each if that and the set-up take longer. Fastest first. `progress`
/// receives the kernels done and their total, and may stop.
pub fn measure(
    gpu: &Gpu,
    class: &Class,
    budget: Duration,
    progress: &mut Progress<'_>,
) -> Result<Vec<Timing>, EngineError> {
    let started = Instant::now();
    let plan = Arc::new(class.stand_in());
    let kernels = gpu.kernels(&plan);
    let mut trial = gpu.trial(plan.clone())?;
    tracing::debug!(seconds = started.elapsed().as_secs_f64(), "stand-in made ready");
    // Compile every kernel, and time its step, before the first round.
    let mut hear = |done, all| tell(progress, done, all);
    let mut able = Vec::with_capacity(kernels.len());
    for (done, kernel) in kernels.iter().enumerate() {
        hear(done, kernels.len())?;
        let wake = if done == 0 { WAKE.min(budget / 4) } else { Duration::ZERO };
        let proved = prove_in(plan.grid.is_volume(), &gpu.with_kernel(kernel));
        match proved.and_then(|()| one_step(trial.with(kernel)?, wake)) {
            Ok(seconds) => able.push((*kernel, seconds)),
            Err(error)
                if is_of_the_driver(&error) && (done + 1 < kernels.len() || !able.is_empty()) =>
            {
                tracing::warn!("{} is passed over: {error}", kernel.name);
            }
            Err(error) => return Err(error),
        }
    }
    let all = started.elapsed();
    tracing::debug!(seconds = all.as_secs_f64(), "kernels compiled");
    let turn = budget.saturating_sub(all).as_secs_f64() / (ROUNDS * able.len().max(1)) as f64;
    let mut time = |round, index: usize| {
        if round >= FEWEST_ROUNDS && started.elapsed() > budget {
            return Ok(None);
        }
        hear(kernels.len(), kernels.len())?;
        let (kernel, seconds) = able[index];
        let steps = ((0.8 * turn / seconds) as usize).clamp(1, MOST_STEPS);
        turn_of(trial.with(kernel)?, steps).map(Some)
    };
    let names: Vec<_> = able.iter().map(|(kernel, _)| kernel.name).collect();
    rounds::interleaved(&names, ROUNDS, plan.grid.cells() as f64, &mut time)
}

/// Receives how many are done and of how many, (0, 0) before the first, and may stop.
pub type Progress<'p> = dyn FnMut(usize, usize) -> ControlFlow<()> + 'p;

/// Reports progress; an error if it is asked to stop.
pub fn tell(progress: &mut Progress<'_>, done: usize, all: usize) -> Result<(), EngineError> {
    match progress(done, all).is_break() {
        true => Err(EngineError::Stopped { step: done, steps: all }),
        false => Ok(()),
    }
}

/// True if another kernel may succeed.
fn is_of_the_driver(error: &EngineError) -> bool {
    use EngineError::{BlowUp, Device, Wrong};
    matches!(error, Device { .. } | Wrong { .. } | BlowUp { .. })
}

/// Seconds per step after `wake`. The first call also waits for earlier work; a later one gives the
/// speed.
fn one_step(run: &mut dyn Run, wake: Duration) -> Result<f64, EngineError> {
    let started = Instant::now();
    run.advance(1, &mut ())?;
    loop {
        let began = Instant::now();
        run.advance(1, &mut ())?;
        if started.elapsed() >= wake {
            return Ok(began.elapsed().as_secs_f64().max(1e-6));
        }
    }
}

/// Seconds per step over `steps` steps.
fn turn_of(run: &mut dyn Run, steps: usize) -> Result<f64, EngineError> {
    let before = run.timings();
    run.advance(steps, &mut ())?;
    let after = run.timings();
    let seconds = match (before.device, after.device) {
        (Some(before), Some(after)) => after - before,
        _ => after.stepping - before.stepping,
    };
    Ok(seconds / steps as f64)
}

/// The remembered kernel for a Plan, if the device can step the Plan with it, and its speed on the
/// stand-in of the class, 10^9 nodes/s.
fn remembered(gpu: &Gpu, plan: &Plan, choices: &Choices) -> Option<(&'static StepKernel, f64)> {
    let choice = choices.find(&Key::new(gpu, Class::of(plan)))?;
    let kernel = StepKernel::named(&choice.kernel)?;
    gpu.kernels(plan).contains(&kernel).then_some((kernel, choice.gpts))
}

/// The device with the kernel of the rule for a Plan; a software adapter, and a device that does not
/// take that kernel, have the first that they take.
pub fn by_rule(gpu: &Gpu, plan: &Plan) -> Result<Gpu, EngineError> {
    let able = gpu.kernels(plan);
    let rule = StepKernel::named(Class::of(plan).kernel());
    let rule = rule.filter(|kernel| gpu.is_hardware() && able.contains(kernel));
    Ok(gpu.with_kernel(rule.map_or_else(|| gpu.kernel(plan), Ok)?))
}

/// The device with the kernel for a Plan: the one remembered for its class, or else that of the rule.
#[cfg(feature = "files")]
fn tuned(gpu: &Gpu, plan: &Plan, choices: &Choices) -> Result<Gpu, EngineError> {
    match remembered(gpu, plan, choices) {
        Some((kernel, _)) => Ok(gpu.with_kernel(kernel)),
        None => by_rule(gpu, plan),
    }
}

/// Warns if any of the devices that take shots or parts, as `what` says, differs from the first.
pub fn warn_if_unlike(devices: &[Description], what: &str) {
    let Some((first, others)) = devices.split_first() else { return };
    if let Some(other) = others.iter().find(|of| *of != first) {
        let [first, other] = [first, other].map(|one| format!("{}, {}", one.device, one.kernel));
        tracing::warn!(
            "{first} and {other} round differently, and the {what}s that each takes may differ from \
             run to run; name devices of one kind for the same bits in every run"
        );
    }
}
