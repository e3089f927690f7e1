//! The choices of earlier runs, in a file of the user's cache.

use super::{Choices, Progress, batch::batched, tuned};
use crate::{
    Engine, EngineError,
    gpu::{Gpu, StepKernel},
    io::cache,
    plan::Plan,
};

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

    /// Keeps the choices; returns false on failure, which costs only a new measurement.
    pub fn save(&self) -> bool {
        let written = cache::write(FILE, &self.text());
        if let Err(error) = &written {
            tracing::warn!("the choice of kernels is not remembered: {error}");
        }
        written.is_ok()
    }
}

/// The GPU with its batch size and kernel for a Plan: `kernel` or, without it, that of `tuned`. The
/// batch size is the one kept or else measured now, which is then kept.
pub fn chosen(
    gpu: &Gpu,
    kernel: Option<&'static StepKernel>,
    plan: &Plan,
    progress: &mut Progress<'_>,
) -> Result<Gpu, EngineError> {
    let _choosing = tracing::info_span!(target: "timeline", "choosing the batch").entered();
    let gpu = &kernel.map_or_else(|| gpu.clone(), |kernel| gpu.with_kernel(kernel));
    let before = Choices::load();
    let mut choices = before.clone();
    let gpu = batched(gpu, plan, &mut choices, progress)?;
    // The batch; this also returns an error if it does not fit.
    let plan = plan.batch(0..gpu.batch(plan)?);
    let gpu = match kernel {
        Some(_) => Ok(gpu),
        None => tuned(&gpu, &plan, &choices),
    };
    if choices != before {
        choices.save();
    }
    gpu
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
        let mut choices = Choices::load();
        let batch = plan.batch(0..engine.batch(plan)?.min(plan.shots.len()));
        if choices.remember_run(&engine.describe(), &batch, plan.updates(), seconds) {
            choices.save();
        }
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
