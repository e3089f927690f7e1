//! The batch size of a survey. A device steps fields that its caches hold faster than larger ones, and
//! a large device steps a few fields faster than one. A rule chooses; `huygens tune` measures.

use super::{
    Choices, Class, Progress,
    choices::{BatchSize, Key},
    one_step, tell, turn_of,
};
use crate::{Engine, EngineError, gpu::Gpu, plan::Plan};
use serde::Serialize;
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

/// Bytes of the fields of a batch that suits a device: half of the cache of an H100 or an H200, whose
/// cheapest batch has as many (docs/notebook.md, "A batch by a rule").
const IN_CACHE: u64 = 25 << 20;

/// The same of volumes, whose single shots leave a device idle at the ends of their many dispatches: as
/// much as a device has to spare, for at most so many shots.
const OF_VOLUMES: u64 = 1 << 30;
const MOST_VOLUMES: usize = 24;

/// The device with the batch size for a Plan: the remembered one, or else that of a rule. A software
/// adapter, and a Plan that is no survey, take as many shots as fit.
pub(crate) fn batched(gpu: &Gpu, plan: &Plan, choices: &Choices) -> Result<Gpu, EngineError> {
    let most = gpu.batch(plan)?;
    if !is_chosen(gpu, plan, most) {
        return Ok(gpu.clone());
    }
    let known = choices.batch(&gpu.describe(), &gpu.variant(), plan, most);
    Ok(gpu.with_at_once(known.unwrap_or_else(|| by_rule(plan, most))))
}

fn is_chosen(gpu: &Gpu, plan: &Plan, most: usize) -> bool {
    most > 2 && gpu.is_hardware() && plan.set_size() == 1
}

fn by_rule(plan: &Plan, most: usize) -> usize {
    let arrays = plan.batch(0..1).memory().into_iter();
    let fields =
        arrays.filter(|of| ["wavefield, two steps", "absorbing layers"].contains(&of.name));
    let (most, room) = match plan.grid.is_volume() {
        true => (most.min(MOST_VOLUMES), OF_VOLUMES),
        false => (most, IN_CACHE),
    };
    let bytes: u64 = fields.map(|of| of.bytes).sum();
    even(plan.shots.len(), most, room / bytes.max(1))
}

/// The batch size for `shots` shots where a device holds at most `most` and steps `best` of them fastest. A size near
/// `best` that divides the shots evenly is preferred, because a smaller last batch needs a set-up of its own.
fn even(shots: usize, most: usize, best: u64) -> usize {
    let most = most.min(shots).max(1);
    let best = best.clamp(1, most as u64) as usize;
    let near = (2 * best).div_ceil(3)..=(4 * best / 3).min(most);
    let even = near.filter(|size| shots.is_multiple_of(*size));
    let off = |size: &usize| (*size as f64 / best as f64).ln().abs();
    even.min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(best)
}

/// A measured batch size.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MeasuredBatch {
    /// Shots that advance together.
    pub shots: usize,
    /// The largest number that was tried.
    pub tried: usize,
}

/// Measures the batch size of a survey and remembers it; `None` where there is nothing to choose.
pub fn measure_batch(
    gpu: &Gpu,
    plan: &Plan,
    progress: &mut Progress<'_>,
) -> Result<Option<MeasuredBatch>, EngineError> {
    let most = gpu.batch(plan)?;
    if !is_chosen(gpu, plan, most) || plan.time.steps < 2 * TIMES * TIMES {
        return Ok(None);
    }
    let [shots, tried] = measured(gpu, plan, most, progress)?;
    let (key, nodes) = (Key::new(gpu, Class::of(&plan.batch(0..1))), plan.grid.cells());
    Choices::update(|choices| choices.remember_batch(key, BatchSize { nodes, shots, tried }));
    Ok(Some(MeasuredBatch { shots, tried }))
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

#[cfg(test)]
mod tests {
    use super::{IN_CACHE, MOST_VOLUMES, OF_VOLUMES, even};

    /// Microseconds a step and shot of 2.1 MB on an H200, by the shots at once: docs/notebook.md, "A batch by a rule".
    const MEASURED: [(usize, f64); 9] = [
        (1, 4.0),
        (2, 2.5),
        (3, 2.02),
        (4, 1.72),
        (6, 1.45),
        (8, 1.36),
        (12, 1.17),
        (16, 1.32),
        (24, 1.71),
    ];

    #[test]
    fn a_batch_costs_little_more_than_the_best_that_was_measured() {
        for (shots, size) in [(97, 12), (300, 12), (256, 16), (64, 16), (24, 12)] {
            assert_eq!(even(shots, 122, IN_CACHE / 2_100_000), size, "{shots} shots");
            let cost = MEASURED.iter().find(|(of, _)| *of == size).expect("it was measured").1;
            assert!(cost <= 1.13 * 1.17, "{size}: {cost}");
        }
        assert_eq!(
            [1, 7].map(|most| even(256, most, IN_CACHE / 2_100_000)),
            [1, 7],
            "no more than fit"
        );
        assert_eq!(
            even(10, 10, IN_CACHE / 30_000_000),
            1,
            "a shot that the cache does not hold is alone"
        );
        assert_eq!(even(3, 3, IN_CACHE), 3);
    }

    /// Microseconds a step and shot on an H100: 64 x 64 x 64 nodes with 20 cells of layers, and 128 x 128 x 128.
    #[test]
    fn volumes_are_stepped_together() {
        let small = [(1, 27.6), (4, 23.3), (8, 18.2), (16, 16.2), (24, 15.1), (32, 15.0)];
        let large = [(1, 66.4), (3, 58.3), (6, 52.3), (8, 51.5), (12, 51.5), (14, 50.3)];
        for (bytes, most, measured) in [(10_300_000, 24, &small), (45_000_000, 14, &large)] {
            let size = even(48, most.min(MOST_VOLUMES), OF_VOLUMES / bytes);
            let cost = measured.iter().find(|(of, _)| *of == size).expect("it was measured").1;
            let best = measured.iter().map(|(_, cost)| *cost).fold(f64::INFINITY, f64::min);
            assert!(cost < 1.05 * best, "{size}: {cost}");
        }
    }
}
