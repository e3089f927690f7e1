//! Where to run.

use super::failure::Failure;
use clap::{Args, ValueEnum};
use huygens::engine::{
    Engine,
    gpu::{self, ModelStorage},
    select,
};

/// The flags that say where to run.
#[derive(Args, Clone, Debug)]
pub struct Device {
    /// What runs the simulation.
    #[arg(long, value_enum, default_value_t)]
    pub backend: Backend,
    /// A GPU by its number in `huygens devices` or a part of its name.
    #[arg(long, value_name = "NAME-OR-INDEX")]
    pub adapter: Option<String>,
    /// Check every index that a shader forms: slower, for finding faults.
    #[arg(long)]
    pub checked: bool,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum Backend {
    /// A discrete GPU, else an integrated one, else the CPU.
    #[default]
    Auto,
    /// Every core of the CPU, f32.
    Cpu,
    /// The oracle: one core, f64.
    Reference,
    Vulkan,
    Metal,
    Dx12,
    Gl,
}

impl Device {
    /// The engine that was asked for.
    pub fn open(&self, storage: ModelStorage) -> Result<Box<dyn Engine>, Failure> {
        let adapter = self.adapter.as_deref();
        Ok(select::open(self.backend.into(), adapter, self.checked, storage)?)
    }

    /// Whether it is left to the program to choose it.
    pub fn is_auto(&self) -> bool {
        matches!(self.backend, Backend::Auto) && self.adapter.is_none()
    }
}

impl From<Backend> for select::Choice {
    fn from(backend: Backend) -> Self {
        match backend {
            Backend::Auto => select::Choice::Auto,
            Backend::Cpu => select::Choice::Cpu,
            Backend::Reference => select::Choice::Reference,
            Backend::Vulkan => select::Choice::Gpu(gpu::Backend::Vulkan),
            Backend::Metal => select::Choice::Gpu(gpu::Backend::Metal),
            Backend::Dx12 => select::Choice::Gpu(gpu::Backend::Dx12),
            Backend::Gl => select::Choice::Gpu(gpu::Backend::Gl),
        }
    }
}
