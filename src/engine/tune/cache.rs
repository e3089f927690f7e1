//! The choices of earlier runs, in a file of the user's cache.

use super::{Choices, Class, Progress, Timing, batch::batched, choices::Key, measure, tuned};
use crate::{
    Engine, EngineError,
    gpu::{Gpu, StepKernel},
    io::cache,
    plan::Plan,
};
use serde::Serialize;
use std::time::Duration;

/// Name of the cache file.
pub const FILE: &str = "kernels.json";

impl Choices {
    /// The kept choices; a broken or foreign file is ignored with a message.
    pub fn load() -> Self {
        let ignored = |why: String| {
            let path = cache::path(FILE).unwrap_or_default();
            tracing::warn!("{} is ignored: {why}", path.display());
            Choices::default()
        };
        match cache::read(FILE) {
            None => Choices::default(),
            Some(Err(error)) => ignored(error.to_string()),
            Some(Ok(text)) => Choices::parse(&text).unwrap_or_else(ignored),
        }
    }

    /// Changes the kept choices; returns false if they cannot be written, which costs only a new
    /// measurement.
    pub(crate) fn update(change: impl FnOnce(&mut Choices)) -> bool {
        // Read again: other commands may have added to the file.
        let before = Choices::load();
        let mut choices = before.clone();
        change(&mut choices);
        let written = if choices == before { Ok(()) } else { cache::write(FILE, &choices.text()) };
        if let Err(error) = &written {
            tracing::warn!("the choice of kernels is not remembered: {error}");
        }
        written.is_ok()
    }
}

/// The measurements of a class.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// The class.
    pub class: Class,
    /// Of every kernel, the fastest first.
    pub timings: Vec<Timing>,
    /// True if later commands take the first.
    #[serde(skip)]
    pub is_kept: bool,
}

/// Measures a class, whether or not it was before, and remembers the fastest kernel, however noisy
/// the rounds were: a wrong choice costs less than measuring again.
pub fn measure_again(
    gpu: &Gpu,
    class: Class,
    budget: Duration,
    progress: &mut Progress<'_>,
) -> Result<Measured, EngineError> {
    let timings = measure(gpu, &class, budget, progress)?;
    let is_kept = Choices::update(|choices| choices.remember(Key::new(gpu, class), &timings));
    Ok(Measured { class, timings, is_kept })
}

/// The GPU with its batch size and kernel for a Plan: `kernel` or, without it, that of `tuned`.
/// Nothing is measured.
pub fn chosen(
    gpu: &Gpu,
    kernel: Option<&'static StepKernel>,
    plan: &Plan,
) -> Result<Gpu, EngineError> {
    let _choosing = tracing::info_span!(target: "timeline", "choosing the kernel").entered();
    let gpu = &kernel.map_or_else(|| gpu.clone(), |kernel| gpu.with_kernel(kernel));
    let choices = Choices::load();
    let gpu = batched(gpu, plan, &choices)?;
    // This also returns an error if it does not fit.
    let batch = plan.batch(0..gpu.batch(plan)?);
    match kernel {
        Some(_) => Ok(gpu),
        None => tuned(&gpu, &batch, &choices),
    }
}

/// The shots of a Plan that a run on a GPU takes at once.
pub fn first_batch(gpu: &Gpu, plan: &Plan) -> Result<Plan, EngineError> {
    let gpu = batched(gpu, plan, &Choices::load())?;
    Ok(plan.batch(0..gpu.batch(plan)?))
}

/// A run with more recorded samples per node update than this says little about the speed of its
/// steps: a sample off the nodes takes as long as tens of updates.
const MOST_SAMPLES: f64 = 0.02;

/// True if the time of a run is that of its steps, not of its traces.
fn is_of_steps(plan: &Plan) -> bool {
    let traces: usize = plan.shots.iter().map(|shot| shot.receivers.len()).sum();
    (traces * plan.time.samples) as f64 <= MOST_SAMPLES * plan.updates()
}

/// Keeps the speed of an engine for a Plan, so that the time of the next run can be estimated.
/// Runs that mostly record are not kept.
pub fn remember_run(engine: &dyn Engine, plan: &Plan, seconds: f64) -> Result<(), EngineError> {
    if engine.shares().is_empty() && is_of_steps(plan) {
        let batch = plan.batch(0..engine.batch(plan)?.min(plan.shots.len()));
        Choices::update(|choices| {
            choices.remember_run(&engine.describe(), &batch, plan.updates(), seconds);
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        acquisition::{Shot, Source, Wavelet, line},
        grid::Axes,
        model::VelocityModel,
        plan::Setup,
    };
    use ndarray::Array2;

    #[test]
    fn a_run_that_mostly_records_tells_no_speed() {
        let of = |receivers: usize| {
            let model = VelocityModel::new(Array2::from_elem((100, 100), 2000.0), 10.0, 10.0);
            let source = Source::new(Axes::xz(500.0, 500.0), Wavelet::ricker(10.0));
            let receivers = line(Axes::xz(0.0, 20.0), Axes::xz(990.0, 20.0), receivers);
            let shots = vec![Shot::new(source, receivers)];
            Plan::new(Setup::new(model.expect("a model"), shots, 0.5)).expect("a valid setup")
        };
        assert!(is_of_steps(&of(100)));
        assert!(!is_of_steps(&of(5000)));
    }
}
