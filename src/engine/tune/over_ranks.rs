//! One engine over the ranks of MPI, made of each rank's own.

use super::{
    EnginesError,
    engines::{named_kernel, with_kernel},
};
use crate::{Engine, Ranks, Split, World, gpu::Gpu, plan::Plan};
use serde_json::{Value, json};

/// One engine over all ranks, made of this rank's, with rank 0's kernel: that of a single process,
/// if a GPU holds the whole, for identical bits. Ranks exchange halos every `ghost_steps` steps. All
/// ranks call it. Warns if their devices round differently.
pub fn over_ranks(
    world: &'static World,
    mut engines: Vec<Box<dyn Engine>>,
    named: Option<&str>,
    plan: &Plan,
    ghost_steps: usize,
) -> Result<Ranks, EnginesError> {
    let (Some(mut engine), true) = (engines.pop(), engines.is_empty()) else {
        return Err(EnginesError::SeveralDevices);
    };
    let holds_all = Gpu::of(engine.as_ref()).is_none_or(|gpu| gpu.batch(plan).is_ok());
    let plan = if holds_all { plan } else { &Split::part(plan, world.size) };
    if world.is_first() {
        engine = with_kernel(engine, named, plan)?;
    }
    let taken = match Gpu::of(engine.as_ref()) {
        Some(gpu) if named.is_none() => Some(gpu.kernel(plan)?.name),
        _ => named,
    };
    let description = engine.describe();
    let mine = json!({
        "device": description.device, "driver": description.driver, "backend": description.backend,
        "kernel": taken,
    });
    let all = world.agree(Ok(mine.clone()))?;
    let kind = |one: &Value| ["device", "driver", "backend"].map(|key| one[key].clone());
    if kind(&mine) == kind(&all[0])
        && let (Some(name), Some(gpu)) = (all[0]["kernel"].as_str(), Gpu::of(engine.as_ref()))
    {
        engine = Box::new(gpu.with_kernel(named_kernel(gpu, name, plan)?));
    }
    let device = |rank: usize| all[rank]["device"].as_str().unwrap_or_default().to_owned();
    if let Some(rank) = all.iter().position(|one| kind(one) != kind(&all[0])) {
        tracing::warn!(
            "rank {rank} runs on {:?} and rank 0 on {:?}, which round differently: results depend on \
             which part each has",
            device(rank),
            device(0)
        );
    }
    Ok(Ranks::new(world, engine.into()).with_ghost_steps(ghost_steps)?)
}
