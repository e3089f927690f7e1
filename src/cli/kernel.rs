//! The kernel of a run on a GPU.

use crate::cli::{
    ranks::Ranks,
    terminal::{
        failure::Failure,
        progress::{self, Progress},
    },
};
use huygens::{
    engine::{
        Description, Engine, Split,
        gpu::{Gpu, KERNELS, StepKernel},
    },
    plan::Plan,
    workflow::tune,
};
use serde_json::{Value, json};
use std::sync::{Arc, atomic::AtomicBool};

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
    let named = named.map(|name| named_kernel(gpu, name, plan)).transpose()?;
    let progress = Progress::listening("measured kernel", stop);
    let mut hear = |done, all| progress.hear_of(done, all);
    Ok(Box::new(tune::chosen(gpu, named, plan, &mut hear)?))
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

/// One engine over all ranks, made of this rank's, with rank 0's kernel: that of a single process,
/// if a GPU holds the whole, for identical bits. Ranks exchange every `ghosts` steps.
pub fn over_ranks(
    ranks: &'static Ranks,
    mut engines: Vec<Box<dyn Engine>>,
    named: Option<&str>,
    (plan, ghosts): (&Plan, Option<usize>),
    stop: &Arc<AtomicBool>,
) -> Result<Vec<Box<dyn Engine>>, Failure> {
    let (Some(mut engine), true) = (engines.pop(), engines.is_empty()) else {
        return Err(Failure::input(
            "--devices shares work among devices of one process, and ranks share one shot; leave it out, and start a rank for each device",
        ));
    };
    let holds_all = Gpu::of(engine.as_ref()).is_none_or(|gpu| gpu.batch(plan).is_ok());
    let plan = if holds_all { plan } else { &Split::part(plan, ranks.size()) };
    if ranks.is_first() {
        engine = with_kernel(engine, named, plan, stop.clone())?;
    }
    let taken = |engine: &dyn Engine| match Gpu::of(engine) {
        Some(gpu) if named.is_none() => gpu.kernel(plan).map(|kernel| Some(kernel.name)),
        _ => Ok(named),
    };
    let of = engine.describe();
    let mine = json!({
        "device": of.device, "driver": of.driver, "backend": of.backend,
        "kernel": taken(engine.as_ref())?,
    });
    let all = ranks.all_of(mine.clone())?;
    let kind = |one: &Value| [&one["device"], &one["driver"], &one["backend"]].map(Value::clone);
    if kind(&mine) == kind(&all[0]) {
        let name = all[0]["kernel"].as_str();
        if let (Some(name), Some(gpu)) = (name, Gpu::of(engine.as_ref())) {
            let kernel = named_kernel(gpu, name, plan)?;
            engine = Box::new(gpu.with_kernel(kernel));
        }
    }
    if let Some(other) = all.iter().position(|one| kind(one) != kind(&all[0])) {
        tracing::warn!(
            "rank {other} runs on {} and rank 0 on {}, which round differently: results depend on which part each has",
            all[other]["device"],
            all[0]["device"]
        );
    }
    Ok(vec![ranks.engine(engine, ghosts.unwrap_or(1))?])
}

/// Warns if devices that share shots, or parts of each, round differently.
pub fn warn_of_unlike(devices: impl IntoIterator<Item = Description>, what: &str) {
    let mut devices = devices.into_iter();
    let Some(first) = devices.next() else { return };
    if let Some(other) = devices.find(|of| *of != first) {
        tracing::warn!(
            "{}, {} and {}, {} round differently, and the {what}s that each takes may differ from run to run; name devices of one kind for the \
             same bits in every run",
            first.device,
            first.kernel,
            other.device,
            other.kernel
        );
    }
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
