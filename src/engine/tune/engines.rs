//! The engines of a run: kernels chosen for its Plan, and several engines joined into one.

use super::{chosen, warn_if_unlike};
use crate::{
    Description, Engine, EngineError, Split,
    gpu::{Gpu, KERNELS, StepKernel},
    plan::Plan,
};

/// Reasons why engines do not run a Plan as requested.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum EnginesError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("there is no kernel \"{name}\"; there are: {known}")]
    NoKernel { name: String, known: String },
    #[error("kernel {name} cannot run this model on this device; these can: {known}")]
    Kernel { name: String, known: String },
    #[error("kernel {name} is one of a GPU; leave --kernel out with a CPU engine")]
    KernelOnCpu { name: String },
    #[error("{slabs} slabs divide what a GPU holds; leave --slabs out with a CPU engine")]
    SlabsOnCpu { slabs: usize },
    #[error(
        "ranks share one shot, each with one device; leave --devices out, and start a rank for each device"
    )]
    SeveralDevices,
}

/// The engine with its fields divided into `slabs` slabs, for a Plan.
pub fn with_slabs(
    engine: &dyn Engine,
    slabs: usize,
    plan: &Plan,
) -> Result<Box<dyn Engine>, EnginesError> {
    let gpu = Gpu::of(engine).ok_or(EnginesError::SlabsOnCpu { slabs })?.with_slabs(slabs);
    // This returns an error if they do not fit.
    gpu.batch(plan)?;
    Ok(Box::new(gpu))
}

/// The engine with the kernel for a Plan: on a GPU the named one, else the one remembered or
/// chosen by a rule.
pub(super) fn with_kernel(
    engine: Box<dyn Engine>,
    named: Option<&str>,
    plan: &Plan,
) -> Result<Box<dyn Engine>, EnginesError> {
    let Some(gpu) = Gpu::of(engine.as_ref()) else {
        return match named {
            None => Ok(engine),
            Some(name) => Err(EnginesError::KernelOnCpu { name: name.to_owned() }),
        };
    };
    let named = named.map(|name| named_kernel(gpu, name, plan)).transpose()?;
    Ok(Box::new(chosen(gpu, named, plan)?))
}

/// The engines with their kernels for a Plan, chosen in order. Devices of one kind share a kernel,
/// so that a shot has the same bits on each.
fn with_kernels(
    engines: Vec<Box<dyn Engine>>,
    named: Option<&str>,
    plan: &Plan,
) -> Result<Vec<Box<dyn Engine>>, EnginesError> {
    let mut known: Vec<(Description, Gpu)> = Vec::new();
    let each = engines.into_iter().map(|engine| {
        let kind = engine.describe();
        let alike = known.iter().find(|(of, _)| *of == kind);
        if let (Some(gpu), Some((_, like))) = (Gpu::of(engine.as_ref()), alike) {
            let gpu = gpu.with_kernel(like.kernel(plan)?).with_at_once(like.batch(plan)?);
            return Ok(Box::new(gpu) as Box<dyn Engine>);
        }
        let engine = with_kernel(engine, named, plan)?;
        known.extend(Gpu::of(engine.as_ref()).map(|gpu| (kind, gpu.clone())));
        Ok(engine)
    });
    each.collect()
}

/// What engines are joined for.
#[derive(Clone, Copy, Debug)]
pub struct Joining<'p> {
    /// The shots.
    pub plan: &'p Plan,
    /// Steps between exchanges, if each shot is split over the engines.
    pub split: Option<usize>,
    /// Whether waves are sent back too, as in migrations and gradients.
    pub sends_back: bool,
}

/// The engines with their kernels for a Plan; if it is split, one engine that splits its shots over
/// them. Warns if they round differently.
pub fn joined(
    engines: Vec<Box<dyn Engine>>,
    named: Option<&str>,
    Joining { plan, split, sends_back }: Joining<'_>,
) -> Result<Vec<Box<dyn Engine>>, EnginesError> {
    let Some(ghost_steps) = split else {
        return with_kernels(engines, named, plan);
    };
    // The kernel that a single device would use, if one can hold a shot: another may round
    // differently.
    let fits = engines.iter().all(|engine| engine.batch(plan).is_ok());
    let part = (!fits).then(|| Split::part(&plan.batch(0..plan.set_size()), engines.len()));
    let engines = with_kernels(engines, named, part.as_ref().unwrap_or(plan))?;
    let kinds: Vec<_> = engines.iter().map(|engine| engine.describe()).collect();
    warn_if_unlike(&kinds, "part");
    let mut split = Split::new(engines, &[])?.with_ghost_steps(ghost_steps)?;
    if sends_back {
        split = split.with_whole_layers(plan);
    }
    split.batch(plan)?;
    Ok(vec![Box::new(split)])
}

/// The named kernel, if it runs a Plan on a GPU.
pub(super) fn named_kernel(
    gpu: &Gpu,
    name: &str,
    plan: &Plan,
) -> Result<&'static StepKernel, EnginesError> {
    let able = gpu.kernels(plan);
    if let Some(kernel) = able.iter().find(|kernel| kernel.name == name) {
        return Ok(kernel);
    }
    let known: Vec<_> = able.iter().map(|kernel| kernel.name).collect();
    let (name, known) = (name.to_owned(), known.join(", "));
    Err(match KERNELS.iter().any(|kernel| kernel.name == name) {
        true => EnginesError::Kernel { name, known },
        false => EnginesError::NoKernel { name, known },
    })
}
