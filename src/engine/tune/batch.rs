//! The batch size of a survey, by measurement. A device steps fields that its caches hold faster
//! than larger ones, and a large device steps a few fields faster than one.

use super::{
    Choices, Class, Progress,
    choices::{BatchSize, Key},
    one_step, tell, turn_of,
};
use crate::{Engine, EngineError, gpu::Gpu, plan::Plan};
use std::{sync::Arc, time::Duration};
use web_time::Instant;

/// Timed steps, and repetitions; the fastest counts, since disturbances only slow.
const STEPS: usize = 40;
const TIMES: usize = 3;
/// Work before the first measurement: an idle device needs a while to raise its clock.
const WAKE: Duration = Duration::from_millis(100);
/// A smaller batch is preferred if a shot costs at most this fraction more: it needs less memory.
const TIED: f64 = 0.02;
/// Larger batches are not tried once a shot costs this fraction more than in the best batch.
const PAST: f64 = 0.15;

/// The device with the cheapest batch size per shot: the remembered one, or else a measured one,
/// which is then remembered. A software adapter, and a Plan that is no survey, take as many shots
/// as fit.
pub fn batched(
    gpu: &Gpu,
    plan: &Plan,
    choices: &mut Choices,
    progress: &mut Progress<'_>,
) -> Result<Gpu, EngineError> {
    let most = gpu.batch(plan)?;
    let short = plan.time.steps < 2 * TIMES * TIMES;
    if most < 3 || short || !gpu.is_hardware() || plan.set_size() > 1 {
        return Ok(gpu.clone());
    }
    if let Some(shots) = choices.batch(&gpu.describe(), &gpu.variant(), plan, most) {
        return Ok(gpu.with_at_once(shots));
    }
    let [shots, tried] = measured(gpu, plan, most, progress)?;
    let (key, nodes) = (Key::new(gpu, Class::of(&plan.batch(0..1))), plan.grid.cells());
    choices.remember_batch(key, BatchSize { nodes, shots, tried });
    Ok(gpu.with_at_once(shots))
}

/// The batch size among 1, 2, 3, 4, 6, 8, 12, ... up to `most` that costs least per shot, and the
/// largest size tried.
fn measured(
    gpu: &Gpu,
    plan: &Plan,
    most: usize,
    progress: &mut Progress<'_>,
) -> Result<[usize; 2], EngineError> {
    let sizes = [1].into_iter().chain((0..).flat_map(|k| [2 << k, 3 << k]));
    let mut sizes: Vec<usize> = sizes.take_while(|size| *size < most).collect();
    sizes.push(most);
    let (mut best, mut tried) = ((1, f64::INFINITY), 1);
    one_step(&mut gpu.trial(Arc::new(plan.batch(0..1)))?, WAKE)?;
    for (done, &size) in sizes.iter().enumerate() {
        tell(progress, done, sizes.len())?;
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
    Ok([best.0, tried])
}
