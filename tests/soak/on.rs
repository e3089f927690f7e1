//! The engine of a job.

use crate::{
    case::{Case, On, Way},
    common::engines,
};
use huygens::{
    engine::{Engine, EngineError, Split, cpu, gpu::Gpu},
    plan::Plan,
};
use std::sync::LazyLock;

/// Each adapter, without run-time checks and with them; opened once.
static GPUS: LazyLock<Vec<[Gpu; 2]>> = LazyLock::new(|| {
    let [fast, checked] = [false, true].map(engines::opened);
    fast.into_iter().zip(checked).map(|(fast, checked)| [fast, checked]).collect()
});

/// The engine; `None` without an adapter.
pub fn engine(case: &Case, plan: &Plan) -> Result<Option<Box<dyn Engine>>, EngineError> {
    Ok(match &case.on {
        On::Cpu => Some(Box::new(cpu::Parallel)),
        On::Gpu(way) => gpu(way, plan).map(|gpu| -> Box<dyn Engine> { Box::new(gpu) }),
        On::Split { weights, on_gpu, ghost_steps } => {
            let one = |_: &f64| -> Box<dyn Engine> {
                match GPUS.first().filter(|_| *on_gpu) {
                    Some([gpu, _]) => Box::new(gpu.with_slabs(1)),
                    None => Box::new(cpu::Parallel),
                }
            };
            let split = Split::new(weights.iter().map(one).collect(), weights)?;
            Some(Box::new(split.with_ghost_steps(*ghost_steps)?))
        }
    })
}

fn gpu(way: &Way, plan: &Plan) -> Option<Gpu> {
    let gpu = &GPUS.get(way.adapter % GPUS.len().max(1))?[usize::from(way.checked)];
    let kernels = gpu.kernels(plan);
    let mut gpu = gpu.with_kernel(kernels.get(way.kernel % kernels.len().max(1))?);
    if way.slabs > 0 {
        gpu = gpu.with_slabs(way.slabs);
    }
    Some(if way.in_turn { gpu.with_copies_in_turn() } else { gpu })
}
