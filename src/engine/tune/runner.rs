//! The engine that would run a Plan, as far as it is known without a measurement.

use super::{Choices, by_rule, remembered};
use crate::{Description, Engine, gpu::Gpu, plan::Plan};
use serde::Serialize;

/// The engine that would run a Plan.
#[derive(Clone, Debug, Serialize)]
pub struct Runner {
    /// The engine, with its kernel.
    #[serde(flatten)]
    pub engine: Description,
    /// True if the program chose it.
    pub(crate) auto: bool,
    /// Origin of the kernel.
    pub kernel_from: KernelFrom,
    /// Remembered speed, 10^9 nodes/s.
    pub gpts_per_s: Option<f64>,
}

/// Origin of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KernelFrom {
    /// A CPU engine has one.
    Only,
    /// `huygens tune` measured it on this device.
    Remembered,
    /// Given by a rule for the class of the simulation.
    Rule,
}

impl Runner {
    /// The description of an engine, with the remembered speed for a batch.
    pub fn new(engine: &dyn Engine, auto: bool, batch: &Plan, choices: &Choices) -> Self {
        let in_a_run = choices.speed(&engine.describe(), batch);
        let Some(gpu) = Gpu::of(engine) else {
            let (engine, gpts_per_s) = (engine.describe(), in_a_run);
            return Runner { engine, auto, kernel_from: KernelFrom::Only, gpts_per_s };
        };
        let remembered = remembered(gpu, batch, choices);
        let (kernel_from, with_kernel) = match remembered {
            Some((kernel, _)) => (KernelFrom::Remembered, Ok(gpu.with_kernel(kernel))),
            None => (KernelFrom::Rule, by_rule(gpu, batch)),
        };
        let engine = with_kernel.unwrap_or_else(|_| gpu.clone()).describe();
        let gpts_per_s = in_a_run.or(remembered.map(|(_, gpts)| gpts));
        Runner { engine, auto, kernel_from, gpts_per_s }
    }
}
