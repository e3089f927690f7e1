//! The device of a run.

mod list;

pub use list::{Devices, Splitting};

use super::{failure::Failure, picture::quoted, ranks};
use clap::{Args, ValueEnum};
use huygens::engine::{
    Engine,
    gpu::{self, ModelStorage},
    prove_once, select,
};
use std::time::Instant;

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
    /// Opens the requested engine.
    pub fn open(&self, storage: ModelStorage) -> Result<Box<dyn Engine>, Failure> {
        let _opening = tracing::info_span!(target: "timeline", "opening devices").entered();
        let adapter = self.adapter.as_deref();
        let began = Instant::now();
        // Ranks of a host share its GPUs round robin.
        let turn = ranks::all()
            .filter(|_| self.is_auto())
            .and_then(|ranks| select::in_turn(ranks.local()));
        if let Some(gpu) = turn {
            let wanted = Some(vec![(select::Choice::Auto, Some(gpu.to_string()))]);
            let opened = select::open_several(wanted, self.checked, storage, &prove_once)?;
            return Ok(opened.into_iter().next().expect("one was wanted"));
        }
        let open = select::open(self.backend.into(), adapter, self.checked, storage, &prove_once);
        tracing::debug!(seconds = began.elapsed().as_secs_f64(), "device opened");
        Ok(open?)
    }

    /// The same flags, quoted for a shell.
    pub fn words(&self) -> Vec<String> {
        let backend = self.backend.to_possible_value();
        let backend = backend.filter(|_| !matches!(self.backend, Backend::Auto));
        let backend =
            backend.iter().flat_map(|value| ["--backend".into(), value.get_name().into()]);
        let adapter = self.adapter.iter().flat_map(|name| ["--adapter".into(), quoted(name)]);
        let checked = self.checked.then(|| "--checked".to_owned());
        backend.chain(adapter).chain(checked).collect()
    }

    /// True if the program chooses the device.
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
