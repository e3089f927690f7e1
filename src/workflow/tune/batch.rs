//! How many shots of a survey advance together, by measurement: fields that a device's caches hold are stepped faster than
//! more of them, and a few faster than one, whose steps a large device is too large for.

use super::{Choices, choices::Together, one_step, turn_of};
use crate::{
    engine::{Engine, EngineError, gpu::Gpu},
    plan::Plan,
};
use std::{ops::ControlFlow, sync::Arc, time::Duration};
use web_time::Instant;

/// Steps that are timed, and how often; the fastest counts, as what disturbs only slows.
const STEPS: usize = 40;
const TIMES: usize = 3;
/// Work before the first measurement: an idle device needs a while to raise its clock.
const WAKE: Duration = Duration::from_millis(100);
/// Fewer shots that cost so much more each, as a part, are taken: they need less memory.
const TIED: f64 = 0.02;
/// Where a shot costs so much more than in the best batch, as a part, larger batches are not tried.
const PAST: f64 = 0.15;

/// The device with as many shots at once as cost least each: what is remembered for such shots, else what is measured now and then
/// remembered. A program that behaves like a GPU takes as many as fit, and so does what is no survey.
pub fn batched(
    gpu: &Gpu,
    plan: &Plan,
    choices: &mut Choices,
    progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Gpu, EngineError> {
    let most = gpu.batch(plan)?;
    let short = plan.time.steps < 2 * TIMES * TIMES;
    if most < 3 || short || !gpu.is_hardware() || plan.set_size() > 1 {
        return Ok(gpu.clone());
    }
    let (device, variant) = (gpu.describe(), gpu.variant());
    if let Some(shots) = choices.batch(&device, &variant, plan, most) {
        return Ok(gpu.with_at_once(shots));
    }
    let (shots, tried) = measured(gpu, plan, most, progress)?;
    choices.remember_together(Together::new(&device, variant, plan, (shots, tried)));
    Ok(gpu.with_at_once(shots))
}

/// Of 1, 2, 3, 4, 6, 8, 12, ... shots up to `most` how many cost least each, and the most that were tried.
fn measured(
    gpu: &Gpu,
    plan: &Plan,
    most: usize,
    progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<(usize, usize), EngineError> {
    let sizes = [1].into_iter().chain((0..).flat_map(|k| [2 << k, 3 << k]));
    let mut sizes: Vec<usize> = sizes.take_while(|size| *size < most).collect();
    sizes.push(most);
    let (mut best, mut tried) = ((1, f64::INFINITY), 1);
    one_step(&mut gpu.trial(Arc::new(plan.batch(0..1)))?, WAKE)?;
    for (done, &size) in sizes.iter().enumerate() {
        if progress(done, sizes.len()).is_break() {
            return Err(EngineError::Stopped { step: done, steps: sizes.len() });
        }
        let began = Instant::now();
        let mut run = gpu.trial(Arc::new(plan.batch(0..size)))?;
        one_step(&mut run, Duration::ZERO)?;
        tried = size;
        let mut each = f64::INFINITY;
        for _ in 0..TIMES {
            let steps = STEPS.min(plan.time.steps / (2 * TIMES));
            let seconds = turn_of(&mut run, steps.max(1))? / size as f64;
            // A clock may be too coarse.
            each = if seconds > 0.0 { each.min(seconds) } else { each };
        }
        let seconds = began.elapsed().as_secs_f64();
        tracing::debug!(size, step_of_a_shot = each, seconds, "batch");
        if each < best.1 / (1.0 + TIED) {
            best = (size, each);
        }
        if each > best.1 * (1.0 + PAST) {
            break;
        }
    }
    Ok((best.0, tried))
}
