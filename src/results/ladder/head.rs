//! The head of the record of a ladder.

use crate::{
    engine::{Description, Engine, cpu::Parallel, gpu::Gpu},
    program::{PROGRAM, Program},
};
use serde::Serialize;

/// The head of `ladder.json`: of which program and device it tells.
#[derive(Clone, Debug, Serialize)]
pub struct Head {
    #[serde(flatten)]
    program: Program,
    /// The device; `null` if only the CPU's rungs ran.
    device: Option<Description>,
    /// The CPU engine.
    cpu: Description,
    /// True if every shader has run-time checks.
    checked: bool,
}

impl Head {
    /// The head for a device, or for none.
    pub fn new(gpu: Option<&Gpu>, checked: bool) -> Self {
        let (device, cpu) = (gpu.map(Gpu::describe), Parallel.describe());
        Head { program: PROGRAM, device, cpu, checked }
    }
}
