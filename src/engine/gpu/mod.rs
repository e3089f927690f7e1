//! The GPU engine: WGSL compute shaders through wgpu, on any vendor's device.
//!
//! In programs that may not block, such as a browser, [`list_async`] and [`Gpu::open_async`] find
//! and open a device, [`Gpu::begin`] starts a run, and [`GpuRun::go_on`] and [`GpuRun::end`],
//! called once per frame, do all work that needs no waiting. A browser must use these: there
//! [`Run::advance`] and every call that copies a state or a field to the host return an error.

mod acquisition;
mod adapters;
#[cfg(feature = "ladder")]
pub mod bench;
mod buffers;
mod clock;
mod compiled;
mod device;
mod exchange;
mod halo;
mod immediates;
mod increments;
mod kernel;
mod kernels;
mod layers;
mod memory;
mod model;
mod packing;
mod part;
#[cfg_attr(not(all(target_os = "linux", target_pointer_width = "64")), path = "no_peer.rs")]
mod peer;
mod pipeline;
mod region;
mod run;
mod scatter;
mod shader;
mod slab;
mod sleep;
mod staging;
mod state;
mod tap;
#[cfg_attr(any(target_arch = "wasm32", target_vendor = "apple"), path = "no_transfer.rs")]
mod transfer;
mod transposed;
mod wavefield;
mod wavelets;

pub use adapters::{Adapter, Backend, list, list_async};
pub use device::PeerCopies;
pub use kernels::{KERNELS, StepKernel};
pub use run::{GpuRun, OnDevice};
pub use shader::{digest, without_immediates};
pub use sleep::Sleep;
pub use tap::{GATHER_KERNELS, GatherKernel};
pub use wgpu;

use super::{
    Description, Engine, EngineError, GpuKind, Run, SourceWavefield, check, check_share,
    share::{Share, ShareRun},
};
use crate::{fault, plan::Plan};
use device::Device;
use packing::Places;
use part::Part;
use std::{any::Any, sync::Arc};

/// An opened device.
#[derive(Clone)]
pub struct Gpu {
    device: Device,
    kernel: Option<&'static StepKernel>,
    slabs: Option<usize>,
    gathers: &'static GatherKernel,
    /// Shots at once, if they fit.
    at_once: Option<usize>,
    sleep: Sleep,
}

impl Gpu {
    /// Opens an adapter. With `checked`, the driver's shader compiler checks every index: slower,
    /// with the same results.
    pub fn open(adapter: &Adapter, checked: bool) -> Result<Self, EngineError> {
        pollster::block_on(Gpu::open_async(adapter, checked))
    }

    /// [`Gpu::open`] for programs that may not block.
    pub async fn open_async(adapter: &Adapter, checked: bool) -> Result<Self, EngineError> {
        Ok(Gpu::with_device(Device::open(adapter, true).await?, checked))
    }

    /// Uses an open device and its queue, which the program may also use for other work. From then
    /// on this engine owns the device's handlers of uncaptured errors and of its loss; either ends
    /// the runs on it. [`super::prove`] checks that the device computes correct waves.
    ///
    /// # Errors
    ///
    /// If the device was opened with lower limits than the engine needs.
    pub fn on(
        device: wgpu::Device,
        queue: wgpu::Queue,
        checked: bool,
    ) -> Result<Self, EngineError> {
        Ok(Gpu::with_device(Device::on(device, queue)?, checked))
    }

    /// Runs the callbacks of finished work; an error if the device has failed or is lost.
    pub fn poll(&self) -> Result<(), EngineError> {
        self.device.poll()
    }

    /// An engine that is one.
    pub fn of(engine: &dyn Engine) -> Option<&Self> {
        engine.as_any()?.downcast_ref()
    }

    /// Opens a device that copies by wgpu's queue as if it were separate: for single-threaded
    /// tests.
    #[cfg(test)]
    pub(crate) fn open_copying(adapter: &Adapter) -> Result<Self, EngineError> {
        let device = pollster::block_on(Device::open(adapter, false))?;
        Ok(Gpu::with_device(device, false))
    }

    fn with_device(device: Device, checked: bool) -> Self {
        let device = device.checking(checked);
        Gpu {
            device,
            kernel: None,
            slabs: None,
            gathers: tap::USUAL,
            at_once: None,
            sleep: Sleep::ByRule,
        }
    }

    /// The same device, with this kernel for all Plans of its dimensions.
    #[must_use]
    pub fn with_kernel(&self, kernel: &'static StepKernel) -> Self {
        Gpu { kernel: Some(kernel), ..self.clone() }
    }

    /// The same device, with this kernel for offset gathers. Results have the same bits.
    #[must_use]
    pub fn with_gathers(&self, gathers: &'static GatherKernel) -> Self {
        Gpu { gathers, ..self.clone() }
    }

    /// The same device, with wavefields cut into this many slabs along the slowest axis instead of
    /// the fewest that fit its bindings. Results have the same bits.
    #[must_use]
    pub fn with_slabs(&self, slabs: usize) -> Self {
        Gpu { slabs: Some(slabs), ..self.clone() }
    }

    /// The same device, with this many shots at once if they fit.
    #[must_use]
    pub fn with_at_once(&self, shots: usize) -> Self {
        Gpu { at_once: Some(shots), ..self.clone() }
    }

    /// The same device, with blocks that sleep by this rule until a wave reaches them. Results have
    /// the same bits.
    #[must_use]
    pub fn with_sleep(&self, sleep: Sleep) -> Self {
        Gpu { sleep, ..self.clone() }
    }

    /// The same device, with steps that wait while a snapshot is copied; the bits are the same.
    #[must_use]
    pub fn with_copies_in_turn(&self) -> Self {
        let mut gpu = self.clone();
        gpu.device.transfer = None;
        gpu
    }

    /// The same device, with this rule for copying halos past the host. Results have the same bits.
    #[must_use]
    pub fn with_peer_copies(&self, peer_copies: PeerCopies) -> Self {
        let mut gpu = self.clone();
        gpu.device.peer_copies = peer_copies;
        gpu
    }

    /// True if a separate queue copies to the host during steps.
    pub fn copies_beside(&self) -> bool {
        self.device.transfer.is_some()
    }

    /// The number of slabs for a Plan's shots.
    pub fn slabs(&self, plan: &Plan) -> Result<usize, EngineError> {
        let share = Share::whole(&Arc::new(plan.clone()));
        memory::slabs(&self.device, &share, self.stepping(plan)?, plan.shots.len())
    }

    /// True for a GPU, false for a software adapter.
    pub fn is_hardware(&self) -> bool {
        self.device.info.device_type != wgpu::DeviceType::Cpu
    }

    /// The variant of its kernels, for a description.
    pub(crate) fn variant(&self) -> String {
        if self.device.checked { ", checked" } else { "" }.to_owned()
    }

    /// The kernels that can step a Plan on this device, the best guess first.
    pub fn kernels(&self, plan: &Plan) -> Vec<&'static StepKernel> {
        StepKernel::for_plan(plan, &self.device.limits()).collect()
    }

    /// The kernel for a Plan: the given one if it fits, otherwise the best guess.
    pub(crate) fn kernel(&self, plan: &Plan) -> Result<&'static StepKernel, EngineError> {
        let kernels = self.kernels(plan);
        let given = self.kernel.filter(|kernel| kernels.contains(kernel));
        given
            .or_else(|| kernels.first().copied())
            .ok_or_else(|| self.device.error("it takes no workgroup of any kernel"))
    }
}

impl Gpu {
    fn stepping(&self, plan: &Plan) -> Result<memory::Stepping, EngineError> {
        Ok(memory::Stepping { kernel: self.kernel(plan)?, slabs: self.slabs, sleep: self.sleep })
    }
}

impl Engine for Gpu {
    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn gpus(&self) -> Vec<GpuKind> {
        vec![if self.is_hardware() { GpuKind::Hardware } else { GpuKind::Software }]
    }

    fn describe(&self) -> Description {
        let info = &self.device.info;
        Description {
            backend: info.backend.to_str().into(),
            device: info.name.clone(),
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
            kernel: format!(
                "{}{}{}",
                self.kernel.map_or("step", |kernel| kernel.name),
                self.variant(),
                self.slabs.map_or_else(String::new, |slabs| format!(", {slabs} slabs"))
            ),
        }
    }

    fn reopened(&self) -> Result<Option<Box<dyn Engine>>, EngineError> {
        let fresh = self.device.reopened()?;
        Ok(fresh.map(|device| Box::new(Gpu { device, ..self.clone() }) as Box<dyn Engine>))
    }

    fn alike(&self, shares: &[Share]) -> Result<Option<Box<dyn Engine>>, EngineError> {
        let slabs = |share: &Share| {
            memory::slabs(&self.device, share, self.stepping(&share.plan)?, share.plan.shots.len())
        };
        let all = shares.iter().map(slabs).collect::<Result<Vec<_>, _>>()?;
        let most = all.into_iter().max().unwrap_or(1);
        if most == 1 {
            return Ok(None);
        }
        let cut = self.with_slabs(most);
        // Thinner slabs would not support this.
        let stepping = cut.stepping(&shares[0].plan)?;
        shares.iter().try_for_each(|share| {
            memory::slabs(&self.device, share, stepping, share.plan.shots.len()).map(drop)
        })?;
        Ok(Some(Box::new(cut)))
    }

    fn batch(&self, plan: &Plan) -> Result<usize, EngineError> {
        let stepping = self.stepping(plan)?;
        let share = Share::whole(&Arc::new(plan.clone()));
        memory::slabs(&self.device, &share, stepping, plan.set_size())?;
        if fault::strikes("room", 1) {
            return Ok(plan.set_size());
        }
        let fit = memory::batch(&self.device, plan, stepping);
        Ok(self.at_once.map_or(fit, |wanted| wanted.clamp(1, fit)))
    }

    fn start(&self, plan: Arc<Plan>) -> Result<Box<dyn Run>, EngineError> {
        Ok(Box::new(self.begin(plan)?))
    }

    fn start_with(
        &self,
        plan: Arc<Plan>,
        source: &SourceWavefield,
    ) -> Result<Box<dyn Run>, EngineError> {
        Ok(Box::new(self.begin_with(Share::whole(&plan), Some(source))?))
    }

    fn start_share(
        &self,
        share: Share,
        source: Option<&SourceWavefield>,
    ) -> Result<Box<dyn ShareRun>, EngineError> {
        check_share(&share)?;
        Ok(Box::new(run::GpuShare::new(self.begin_with(share.clone(), source)?, &share)?))
    }
}

impl Gpu {
    /// A run in as few slabs as fit, to time several kernels over the same buffers
    /// ([`GpuRun::with`]).
    pub(crate) fn trial(&self, plan: Arc<Plan>) -> Result<GpuRun, EngineError> {
        Gpu { slabs: None, sleep: Sleep::Never, ..self.clone() }.begin(plan)
    }

    /// [`Engine::start`] for programs that may not block.
    pub fn begin(&self, plan: Arc<Plan>) -> Result<GpuRun, EngineError> {
        self.begin_with(Share::whole(&plan), None)
    }

    fn begin_with(
        &self,
        share: Share,
        source: Option<&SourceWavefield>,
    ) -> Result<GpuRun, EngineError> {
        check(&share.plan)?;
        let stepping = self.stepping(&share.plan)?;
        let slabs = memory::slabs(&self.device, &share, stepping, share.plan.shots.len())?;
        let (kernel, gathers) = (stepping.kernel, self.gathers);
        let start = run::Start { kernel, slabs, sleep: self.sleep, source, gathers };
        match GpuRun::new(&self.device, share.clone(), start) {
            Err(EngineError::OutOfMemory { said, .. }) => {
                let stepping = memory::Stepping { slabs: Some(slabs), ..stepping };
                Err(memory::full(&self.device, &share, stepping, said))
            }
            run => run,
        }
    }
}

/// All shaders that may run a Plan in this many slabs, as (name, whole text), for a validator.
pub fn shaders(plan: &Arc<Plan>, slabs: usize) -> Result<Vec<(&'static str, String)>, EngineError> {
    let (layers, share) = &wavefield::stepped(Share::whole(plan));
    let plan = &share.plan;
    let (parts, own) = (Part::all(share, slabs)?, Part::of(share, share.pieces.clone()));
    let mut shaders = Vec::new();
    for part in &parts {
        for kernel in StepKernel::all_for(plan) {
            shaders.extend(kernel::texts(plan, part, kernel, Sleep::Never));
            if kernel.sleeps(Sleep::Always, plan, part) {
                shaders.extend(kernel::texts(plan, part, kernel, Sleep::Always));
            }
        }
        shaders.extend(tap::shaders(&own, part));
        if part.is_split() {
            let first = part.pieces.start;
            shaders.extend(Places::of_field(part, first..first + share.ghosts).shader());
        }
        if plan.scattering.is_some() {
            shaders.extend(scatter::shaders(part));
        }
    }
    if layers.adjoint && layers.has_cpml() {
        shaders.push(transposed::source(plan).named(&transposed::constants(layers, &parts[0])));
    }
    if plan.by_increments {
        let values = parts[0].layout.len();
        shaders.push(shader::INCREMENTS.named(&increments::constants(values)));
    }
    for row in exchange::rows(parts.len()) {
        let layouts: Vec<_> = parts[row].iter().map(|part| &part.layout).collect();
        shaders.push(exchange::GHOSTS.named(&exchange::constants(&layouts)));
    }
    Ok(shaders)
}
