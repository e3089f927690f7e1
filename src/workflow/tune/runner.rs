//! The engine that would run a Plan, as far as it is known without a measurement.

use super::{Choices, remembered};
use crate::{
    engine::{Description, Engine, gpu::Gpu},
    plan::Plan,
};
use serde::Serialize;

/// The engine that would run a Plan.
#[derive(Clone, Debug, Serialize)]
pub struct Runner {
    /// The engine, with its kernel.
    #[serde(flatten)]
    pub engine: Description,
    /// True if the program chose it.
    pub auto: bool,
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
    /// Measured before on this device.
    Remembered,
    /// The first run will measure it.
    NotYetMeasured,
    /// Software Vulkan is not measured.
    BestGuess,
}

impl Runner {
    /// The description of an engine, with the remembered speed for a batch.
    pub fn new(engine: &dyn Engine, auto: bool, batch: &Plan, choices: &Choices) -> Self {
        let Some(gpu) = Gpu::of(engine) else {
            let engine = engine.describe();
            let gpts_per_s = choices.speed(&engine, batch);
            return Runner { engine, auto, kernel_from: KernelFrom::Only, gpts_per_s };
        };
        if let Some((kernel, gpts)) = remembered(gpu, batch, choices) {
            let engine = gpu.with_kernel(kernel).describe();
            return Runner {
                engine,
                auto,
                kernel_from: KernelFrom::Remembered,
                gpts_per_s: Some(gpts),
            };
        }
        let guess =
            gpu.kernel(batch).map_or_else(|_| gpu.clone(), |kernel| gpu.with_kernel(kernel));
        let kernel_from = match gpu.is_hardware() {
            true => KernelFrom::NotYetMeasured,
            false => KernelFrom::BestGuess,
        };
        Runner { engine: guess.describe(), auto, kernel_from, gpts_per_s: None }
    }
}
