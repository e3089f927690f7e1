//! The kernel of a run on a GPU, and the cache of measurements.

use super::{
    failure::Failure,
    progress::{self, Progress},
    session::warn_of_unlike,
};
use huygens::{
    engine::{
        Description, Engine, Split,
        gpu::{Gpu, KERNELS, StepKernel},
    },
    io::cache,
    plan::Plan,
    workflow::tune::{self, Choices},
};
use std::sync::{Arc, atomic::AtomicBool};

/// Name of the cache file.
pub const FILE: &str = "kernels.json";

/// Splits the engine's fields into `slabs` slabs, if requested.
pub fn with_slabs(
    engine: Box<dyn Engine>,
    slabs: Option<usize>,
    plan: &Plan,
) -> Result<Box<dyn Engine>, Failure> {
    match (slabs, Gpu::of(engine.as_ref())) {
        (None, _) => Ok(engine),
        (Some(slabs), Some(gpu)) => {
            let gpu = gpu.with_slabs(slabs);
            // Checked before a kernel is measured in vain.
            gpu.batch(plan)?;
            Ok(Box::new(gpu))
        }
        (Some(slabs), None) => Err(Failure::input(format!(
            "--slabs {slabs} cuts what a GPU holds; leave it out with a CPU engine"
        ))),
    }
}

/// The engine with the kernel for a Plan: on a GPU the named one, else the one remembered or
/// measured now.
pub fn with_kernel(
    engine: Box<dyn Engine>,
    named: Option<&str>,
    plan: &Plan,
    stop: Arc<AtomicBool>,
) -> Result<Box<dyn Engine>, Failure> {
    let Some(gpu) = Gpu::of(engine.as_ref()) else {
        return match named {
            None => Ok(engine),
            Some(name) => Err(Failure::input(format!(
                "--kernel {name} chooses among the kernels of a GPU; leave it out with a CPU engine"
            ))),
        };
    };
    let _choosing = tracing::info_span!(target: "timeline", "choosing kernels").entered();
    let named = named.map(|name| named_kernel(gpu, name, plan)).transpose()?;
    let gpu = &named.map_or_else(|| gpu.clone(), |kernel| gpu.with_kernel(kernel));
    let before = remembered();
    let mut choices = before.clone();
    let progress = Progress::listening("measured kernel", stop);
    let mut hear = |done, all| progress.hear_of(done, all);
    let gpu = tune::batched(gpu, plan, &mut choices, &mut hear)?;
    // The batch; this also returns an error if it does not fit.
    let plan = plan.batch(0..gpu.batch(plan)?);
    let gpu = match named {
        Some(_) => Ok(gpu),
        None => tune::tuned(&gpu, &plan, &mut choices, &mut hear),
    };
    drop(progress);
    if choices != before {
        remember(&choices);
    }
    Ok(Box::new(gpu?))
}

/// The engines with their kernels for a Plan, or one engine that splits its shots over them, with
/// an exchange every `split` steps.
pub fn joined(
    engines: Vec<Box<dyn Engine>>,
    named: Option<&str>,
    (plan, split): (&Plan, Option<usize>),
    stop: &Arc<AtomicBool>,
) -> Result<Vec<Box<dyn Engine>>, Failure> {
    let Some(ghost_steps) = split else { return with_kernels(engines, named, plan, stop) };
    // The kernel that a single device would use, if one can hold a shot: another may round
    // differently.
    let fits = engines.iter().all(|engine| engine.batch(plan).is_ok());
    let part = (!fits).then(|| Split::part(&plan.batch(0..plan.set_size()), engines.len()));
    let engines = with_kernels(engines, named, part.as_ref().unwrap_or(plan), stop)?;
    warn_of_unlike(engines.iter().map(|engine| engine.describe()), "part");
    let measuring = progress::doing("measuring the devices");
    let split = Split::by_speed(engines, plan)?.with_ghost_steps(ghost_steps)?;
    drop(measuring);
    split.batch(plan)?;
    Ok(vec![Box::new(split)])
}

/// The engines with their kernels for a Plan, chosen in order. Devices of one kind share a kernel,
/// so that a shot has the same bits on each.
pub fn with_kernels(
    engines: Vec<Box<dyn Engine>>,
    named: Option<&str>,
    plan: &Plan,
    stop: &Arc<AtomicBool>,
) -> Result<Vec<Box<dyn Engine>>, Failure> {
    let mut known: Vec<(Description, Gpu)> = Vec::new();
    let each = engines.into_iter().map(|engine| {
        let kind = engine.describe();
        let alike = known.iter().find(|(of, _)| *of == kind);
        if let (Some(gpu), Some((_, like))) = (Gpu::of(engine.as_ref()), alike) {
            let gpu = gpu.with_kernel(like.kernel(plan)?).with_at_once(like.batch(plan)?);
            return Ok(Box::new(gpu) as Box<dyn Engine>);
        }
        let engine = with_kernel(engine, named, plan, stop.clone())?;
        known.extend(Gpu::of(engine.as_ref()).map(|gpu| (kind, gpu.clone())));
        Ok(engine)
    });
    each.collect()
}

/// The named kernel, if it supports a Plan.
pub fn named_kernel(gpu: &Gpu, name: &str, plan: &Plan) -> Result<&'static StepKernel, Failure> {
    let can: Vec<_> = gpu.kernels(plan);
    let known: Vec<_> = can.iter().map(|kernel| kernel.name).collect();
    let known = known.join(", ");
    match can.iter().find(|kernel| kernel.name == name) {
        Some(kernel) => Ok(kernel),
        None if KERNELS.iter().any(|kernel| kernel.name == name) => Err(Failure::input(format!(
            "--kernel {name} does not step this model here; these do: {known}"
        ))),
        None => Err(Failure::input(format!("there is no kernel \"{name}\"; there are: {known}"))),
    }
}

/// The cached choices; a broken or foreign file is ignored with a message.
pub fn remembered() -> Choices {
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

/// Saves the speed of a CPU engine for a Plan, so that `check` can estimate the time of the next. A
/// GPU's speed is saved with its kernel.
pub fn remember_run(engine: &dyn Engine, plan: &Plan, seconds: f64) -> Result<(), Failure> {
    if Gpu::of(engine).is_none() && engine.shares().is_empty() {
        let mut choices = remembered();
        let batch = plan.batch(0..engine.batch(plan)?.min(plan.shots.len()));
        if choices.remember_run(&engine.describe(), &batch, plan.updates(), seconds) {
            remember(&choices);
        }
    }
    Ok(())
}

/// Saves the choices; returns false on failure, which costs only a new measurement.
pub fn remember(choices: &Choices) -> bool {
    let written = cache::write(FILE, &choices.text());
    if let Err(error) = &written {
        tracing::warn!("the choice of kernels is not remembered: {error}");
    }
    written.is_ok()
}
