//! The GPU engine: WGSL compute shaders through wgpu, on any vendor's device.

mod acquisition;
mod adapters;
pub mod bench;
mod clock;
mod device;
mod increments;
mod kernel;
mod kernels;
mod layers;
mod memory;
mod model;
mod pipeline;
mod region;
mod run;
mod shader;
mod slab;
mod staging;
mod tap;

pub use adapters::{Adapter, Backend, list};
pub use kernels::{KERNELS, StepKernel};
pub use model::ModelStorage;
pub use shader::digest;

use super::{Description, Engine, EngineError, Layout, Run, check};
use crate::plan::Plan;
use device::Device;

/// An opened device.
#[derive(Clone)]
pub struct Gpu {
    device: Device,
    checked: bool,
    kernel: Option<&'static StepKernel>,
    model: ModelStorage,
}

impl Gpu {
    /// Opens an adapter. With `checked`, every index that a shader forms is checked by the driver's
    /// shader compiler: slower, and the same results.
    pub fn open(adapter: &Adapter, checked: bool) -> Result<Self, EngineError> {
        Ok(Gpu { device: Device::open(adapter)?, checked, kernel: None, model: ModelStorage::F32 })
    }

    /// The same device, stepping every Plan of the kernel's dimensions with this kernel.
    #[must_use]
    pub fn with_kernel(&self, kernel: &'static StepKernel) -> Self {
        Gpu { kernel: Some(kernel), ..self.clone() }
    }

    /// The same device, keeping the velocity model so.
    #[must_use]
    pub fn with_model(&self, model: ModelStorage) -> Self {
        Gpu { model, ..self.clone() }
    }

    /// Whether it is a GPU and not a program that behaves like one.
    pub fn is_hardware(&self) -> bool {
        self.device.info.device_type != wgpu::DeviceType::Cpu
    }

    /// What its kernels are besides their names, as a description says it.
    pub fn variant(&self) -> String {
        let model = match self.model {
            ModelStorage::F32 => "",
            ModelStorage::Unorm16 => ", model 16-bit",
        };
        format!("{model}{}", if self.checked { ", checked" } else { "" })
    }

    /// The kernels that can step a Plan here, the best guess first.
    pub fn kernels(&self, plan: &Plan) -> Vec<&'static StepKernel> {
        StepKernel::for_plan(plan, &self.device.limits()).collect()
    }

    /// The kernel that steps a Plan: the one given, where it can, else the best guess.
    pub fn kernel(&self, plan: &Plan) -> Result<&'static StepKernel, EngineError> {
        let kernels = self.kernels(plan);
        let given = self.kernel.filter(|kernel| kernels.contains(kernel));
        given
            .or_else(|| kernels.first().copied())
            .ok_or_else(|| self.device.error("it takes no workgroup of any kernel"))
    }
}

impl Gpu {
    fn way(&self, plan: &Plan) -> Result<memory::Way, EngineError> {
        Ok(memory::Way { kernel: self.kernel(plan)?, model: self.model })
    }
}

impl Engine for Gpu {
    fn as_gpu(&self) -> Option<&Gpu> {
        Some(self)
    }

    fn describe(&self) -> Description {
        let info = &self.device.info;
        Description {
            backend: info.backend.to_str().into(),
            device: info.name.clone(),
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
            kernel: format!(
                "{}{}",
                self.kernel.map_or("step", |kernel| kernel.name),
                self.variant()
            ),
        }
    }

    fn batch(&self, plan: &Plan) -> Result<usize, EngineError> {
        let way = self.way(plan)?;
        memory::check(&self.device, plan, way, plan.together())?;
        Ok(memory::batch(&self.device, plan, way))
    }

    fn start<'p>(&self, plan: &'p Plan) -> Result<Box<dyn Run + 'p>, EngineError> {
        Ok(Box::new(self.start_here(plan)?))
    }
}

/// A run whose kernel can be changed, to time one after another over the same buffers.
pub struct Trial<'p>(run::GpuRun<'p>);

impl Trial<'_> {
    /// The run, stepped by a kernel from here on.
    pub fn with(&mut self, kernel: &StepKernel) -> Result<&mut dyn Run, EngineError> {
        self.0.switch(kernel)?;
        Ok(&mut self.0)
    }
}

impl Gpu {
    /// A [`Trial`] of a Plan.
    pub fn trial<'p>(&self, plan: &'p Plan) -> Result<Trial<'p>, EngineError> {
        self.start_here(plan).map(Trial)
    }

    fn start_here<'p>(&self, plan: &'p Plan) -> Result<run::GpuRun<'p>, EngineError> {
        check(plan)?;
        let way = self.way(plan)?;
        memory::check(&self.device, plan, way, plan.shots.len())?;
        match run::GpuRun::new(&self.device, plan, way.kernel, way.model, self.checked) {
            Err(EngineError::OutOfMemory { said, .. }) => {
                Err(memory::full(&self.device, plan, way, said))
            }
            run => run,
        }
    }
}

/// Every shader that may run a Plan as (name, whole text): what a validator should look at.
pub fn shaders(plan: &Plan) -> Vec<(&'static str, String)> {
    let layout = Layout::new(plan);
    let watchdog = &shader::WATCHDOG;
    let watchdog =
        (watchdog.name, watchdog.specialised(&tap::watchdog_constants(plan, &layout, 1.0)));
    let focus = plan.focus().map(|focus| {
        let constants = tap::focus_constants(&layout, focus, plan.shots.len());
        (shader::FOCUS.name, shader::FOCUS.specialised(&constants))
    });
    let summary = plan.focus().map(|_| {
        let constants = tap::summary_constants(plan, &layout);
        (shader::SUMMARY.name, shader::SUMMARY.specialised(&constants))
    });
    let volume = plan.grid.is_volume();
    let steps = KERNELS.iter().filter(|kernel| kernel.is_for(volume));
    let texts = |kernel| {
        ModelStorage::ALL.into_iter().flat_map(move |model| kernel::texts(plan, kernel, model))
    };
    let increments = shader::INCREMENTS.specialised(&increments::constants(layout.len()));
    let increments = plan.by_increments.then_some((shader::INCREMENTS.name, increments));
    let rest = [Some(watchdog), focus, summary, increments].into_iter().flatten();
    steps.flat_map(texts).chain(rest).collect()
}
