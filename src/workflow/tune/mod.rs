//! Chooses the kernel that steps a Plan by measurement.
//!
//! Which kernel is the fastest depends on the device, its driver, and the class of the simulation: its
//! dimensions, size, operator and layers. A stand-in of the class is stepped for a moment with each kernel.

mod choices;
mod class;

pub use choices::{Choice, Choices};
pub use class::{Class, Extent, Layers};

use crate::{
    engine::{
        Engine, EngineError, Run,
        gpu::{Gpu, StepKernel},
    },
    plan::Plan,
};
use serde::Serialize;
use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

/// What a measurement on first use may take.
pub const BUDGET: Duration = Duration::from_millis(1500);
/// Work before the first kernel: an idle device needs a while to raise its clock.
const WAKE: Duration = Duration::from_millis(200);
/// Samples of a kernel, of which the fastest counts: what disturbs only slows.
const SAMPLES: usize = 4;
/// The most steps of a sample.
const MOST_STEPS: usize = 100;

/// What a kernel takes on the stand-in.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Timing {
    /// The kernel.
    pub kernel: &'static str,
    /// Seconds a step.
    pub seconds: f64,
    /// 10^9 nodes a second, layers included.
    pub gpts: f64,
}

/// Times every kernel that the device takes, within about `budget`, or for three steps each where that and the
/// set-up take longer. Fastest first. `progress` hears the kernels done out of all, and may stop.
pub fn measure(
    gpu: &Gpu,
    class: &Class,
    budget: Duration,
    progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Vec<Timing>, EngineError> {
    let started = Instant::now();
    let plan = class.stand_in();
    let kernels = gpu.kernels(&plan);
    let nodes = plan.grid.cells() as f64;
    let mut trial = gpu.trial(&plan)?;
    tracing::debug!(seconds = started.elapsed().as_secs_f64(), "stand-in made ready");
    let mut timings: Vec<Timing> = Vec::new();
    for (done, kernel) in kernels.iter().enumerate() {
        if progress(done, kernels.len()).is_break() {
            return Err(EngineError::Stopped { step: done, steps: kernels.len() });
        }
        let began = Instant::now();
        let run = trial.with(kernel)?;
        // Samples take less than half of a share; the rest is for the compilation of those to come.
        let left = budget.saturating_sub(started.elapsed());
        let share = left / (kernels.len() - done) as u32;
        let wake = if done == 0 { WAKE.min(share) } else { Duration::ZERO };
        let compiled = began.elapsed().as_secs_f64();
        let seconds = sample(run, wake, share)?;
        let took = began.elapsed().as_secs_f64();
        tracing::debug!(kernel = kernel.name, compiled, took, "measured");
        // A clock too coarse for a step tells nothing.
        if seconds <= 0.0 {
            continue;
        }
        timings.push(Timing { kernel: kernel.name, seconds, gpts: 1e-9 * nodes / seconds });
    }
    timings.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(timings)
}

/// The fastest of some samples, seconds a step.
fn sample(run: &mut dyn Run, wake: Duration, share: Duration) -> Result<f64, EngineError> {
    let started = Instant::now();
    // The first step waits for what comes before it; a later one tells the speed.
    run.advance(1, &mut ())?;
    let one = loop {
        let began = Instant::now();
        run.advance(1, &mut ())?;
        if started.elapsed() >= wake {
            break began.elapsed().as_secs_f64().max(1e-6);
        }
    };
    let steps = ((0.1 * share.as_secs_f64() / one) as usize).clamp(1, MOST_STEPS);
    let mut fastest = f64::INFINITY;
    for _ in 0..SAMPLES {
        let before = run.timings();
        run.advance(steps, &mut ())?;
        let after = run.timings();
        let seconds = match (before.device, after.device) {
            (Some(before), Some(after)) => after - before,
            _ => after.stepping - before.stepping,
        };
        fastest = fastest.min(seconds / steps as f64);
        if started.elapsed() > wake + share {
            break;
        }
    }
    Ok(fastest)
}

/// Nothing where the stand-in does not fit: what is to run may be smaller than what stands for it.
fn measure_what_fits(
    gpu: &Gpu,
    class: &Class,
    progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Vec<Timing>, EngineError> {
    match measure(gpu, class, BUDGET, progress) {
        Err(EngineError::DoesNotFit(_)) => Ok(Vec::new()),
        timings => timings,
    }
}

/// The device with the kernel that is the fastest for a Plan now; with the best guess where it is a program
/// that behaves like a GPU.
pub fn measured(gpu: &Gpu, plan: &Plan) -> Result<Gpu, EngineError> {
    let unheard = &mut |_, _| ControlFlow::Continue(());
    let timings = match gpu.is_hardware() {
        true => measure_what_fits(gpu, &Class::of(plan), unheard)?,
        false => Vec::new(),
    };
    let best = timings.first().and_then(|best| StepKernel::named(best.kernel));
    Ok(gpu.with_kernel(best.map_or_else(|| gpu.kernel(plan), Ok)?))
}

/// The kernel that is remembered for a Plan, where the device can step it with it, and the 10^9 nodes a second at
/// which it stepped the stand-in of its class.
pub fn remembered(gpu: &Gpu, plan: &Plan, choices: &Choices) -> Option<(&'static StepKernel, f64)> {
    let choice = choices.find(&gpu.describe(), &gpu.variant(), &Class::of(plan))?;
    let kernel = StepKernel::named(choice.kernel())?;
    gpu.kernels(plan).contains(&kernel).then_some((kernel, choice.gpts()))
}

/// The device with the kernel for a Plan: the one remembered for its class, else the fastest, which is then
/// remembered. A program that behaves like a GPU is not measured, but takes what is remembered.
pub fn tuned(
    gpu: &Gpu,
    plan: &Plan,
    choices: &mut Choices,
    progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Gpu, EngineError> {
    if let Some((kernel, _)) = remembered(gpu, plan, choices) {
        return Ok(gpu.with_kernel(kernel));
    }
    let class = Class::of(plan);
    if !gpu.is_hardware() {
        return Ok(gpu.with_kernel(gpu.kernel(plan)?));
    }
    let timings = measure_what_fits(gpu, &class, progress)?;
    tracing::debug!(%class, ?timings, "kernels");
    let Some(best) = timings.first() else { return Ok(gpu.with_kernel(gpu.kernel(plan)?)) };
    choices.remember(Choice::new(&gpu.describe(), gpu.variant(), class, best));
    let kernel = StepKernel::named(best.kernel).filter(|kernel| gpu.kernels(plan).contains(kernel));
    Ok(gpu.with_kernel(kernel.map_or_else(|| gpu.kernel(plan), Ok)?))
}
