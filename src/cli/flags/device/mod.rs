//! The device of a run.

mod list;

pub(crate) use list::{Devices, Opening, Splitting};

use super::named::explained;
use crate::{
    cli::{ranks, terminal::shell::quoted},
    engine::{
        Engine, gpu, prove_once,
        select::{self, Choice, SelectError},
    },
    job::FieldsOnHost,
};
use clap::Args;
use std::{sync::Arc, time::Instant};

/// The flags that say where to run.
#[derive(Args, Clone, Debug)]
pub(crate) struct Device {
    /// Device or engine that runs the simulation.
    #[arg(long, default_value = "auto", value_parser = explained(&Choice::NAMED, &HELP))]
    pub(crate) backend: Choice,
    /// GPU, by its number in `huygens devices` or a part of its name.
    #[arg(long, value_name = "NAME-OR-INDEX")]
    pub(crate) adapter: Option<String>,
    /// Check every array index on the GPU; slow, for finding faults.
    #[arg(long)]
    pub(crate) checked: bool,
}

/// What help says of the first of [`Choice::NAMED`].
const HELP: [&str; 3] = [
    "A discrete GPU, else an integrated one, else the CPU",
    "Every core of the CPU, f32",
    "The engine that all others are tested against: one core, f64, slow",
];

impl Device {
    /// Opens the requested engine.
    pub(crate) fn open(&self) -> Result<Box<dyn Engine>, SelectError> {
        let _opening = tracing::info_span!(target: "timeline", "opening devices").entered();
        let adapter = self.adapter.as_deref();
        let began = Instant::now();
        // Ranks of a host share its GPUs round robin.
        if let Some(ranks) = ranks::all().filter(|_| self.is_auto())
            && let Some(engine) = select::open_in_turn(ranks.local(), self.checked, &prove_once)?
        {
            return Ok(engine);
        }
        let open = select::open(self.backend, adapter, self.checked, &prove_once);
        tracing::debug!(seconds = began.elapsed().as_secs_f64(), "device opened");
        open
    }

    /// Whether wavefields will be in the host's memory, as far as the flags and the devices of this
    /// host tell before one is opened.
    pub(crate) fn fields_on_host(&self) -> FieldsOnHost {
        let is_auto = self.is_auto();
        let is_cpu = matches!(self.backend, Choice::Cpu | Choice::Reference);
        let is_cpu = is_cpu && self.adapter.is_none();
        Arc::new(move || is_cpu || (is_auto && select::preferred(&gpu::list(false)).is_empty()))
    }

    /// The same flags, quoted for a shell.
    pub(crate) fn words(&self) -> Vec<String> {
        let named = Choice::NAMED.iter().filter(|(_, of)| *of == self.backend);
        let backend = named.filter(|(_, of)| *of != Choice::Auto);
        let backend = backend.flat_map(|(name, _)| ["--backend".into(), (*name).into()]);
        let adapter = self.adapter.iter().flat_map(|name| ["--adapter".into(), quoted(name)]);
        let checked = self.checked.then(|| "--checked".to_owned());
        backend.chain(adapter).chain(checked).collect()
    }

    /// True if the program chooses the device.
    pub(crate) fn is_auto(&self) -> bool {
        self.backend == Choice::Auto && self.adapter.is_none()
    }
}
