//! The GPU engine: WGSL compute shaders through wgpu, on any vendor's device.

mod acquisition;
mod adapters;
pub mod bench;
mod clock;
mod device;
mod kernel;
mod kernels;
mod layers;
mod pipeline;
mod region;
mod run;
mod shader;
mod slab;
mod staging;
mod tap;

pub use adapters::{Adapter, Backend, list};
pub use kernels::{KERNELS, StepKernel};

use super::{Description, Engine, EngineError, Layout, Run};
use crate::plan::Plan;
use device::Device;

/// What a batch may take, host included: more shots at once than fill a device gain nothing.
const BATCH_BYTES: u64 = 1 << 30;

/// An opened device.
#[derive(Clone)]
pub struct Gpu {
    device: Device,
    checked: bool,
    kernel: Option<&'static StepKernel>,
}

impl Gpu {
    /// Opens an adapter. With `checked`, every index that a shader forms is checked by the driver's
    /// shader compiler: slower, and the same results.
    pub fn open(adapter: &Adapter, checked: bool) -> Result<Self, EngineError> {
        Ok(Gpu { device: Device::open(adapter)?, checked, kernel: None })
    }

    /// The same device, stepping every Plan of the kernel's dimensions with this kernel.
    #[must_use]
    pub fn with_kernel(&self, kernel: &'static StepKernel) -> Self {
        Gpu { kernel: Some(kernel), ..self.clone() }
    }

    /// Whether it is a GPU and not a program that behaves like one.
    pub fn is_hardware(&self) -> bool {
        self.device.info.device_type != wgpu::DeviceType::Cpu
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

impl Engine for Gpu {
    fn as_gpu(&self) -> Option<&Gpu> {
        Some(self)
    }

    fn describe(&self) -> Description {
        let info = &self.device.info;
        let checks = if self.checked { ", checked" } else { "" };
        Description {
            backend: info.backend.to_str().into(),
            device: info.name.clone(),
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
            kernel: format!("{}{checks}", self.kernel.map_or("step", |kernel| kernel.name)),
        }
    }

    fn batch(&self, plan: &Plan) -> Result<usize, EngineError> {
        let limits = self.device.limits();
        let layout = Layout::new(plan);
        let regions = self.kernel(plan)?.regions(plan, &layout);
        let receivers = plan.most_receivers();
        let too_large = |what, size: u64, limit: u64, unit| {
            let device = self.device.info.name.clone();
            Err(EngineError::TooLarge { what, size, limit, unit, device })
        };

        let groups = u64::from(limits.max_compute_workgroups_per_dimension);
        let needed = regions.most_groups(receivers) as u64;
        if needed > groups {
            return too_large("the grid, or its receivers,", needed, groups, "workgroups an axis");
        }

        let bytes = |values: usize| 4 * values as u64;
        let shot = [
            ("the wavefield of a shot", bytes(layout.len())),
            ("the absorbing layers of a shot", bytes(layers::memory_len(plan))),
            ("a sample of a shot's traces", bytes(receivers)),
        ];
        let wavelets = ("the wavelets", bytes(plan.wavelets.len() * plan.time.steps));
        // Places within a batch are 32-bit.
        let limit = self.device.largest_binding().min(4 * u64::from(u32::MAX));
        if let Some((what, size)) = shot.into_iter().chain([wavelets]).find(|(_, b)| *b > limit) {
            return too_large(what, size, limit, "bytes");
        }
        let [field, memory, sample] = shot.map(|(_, bytes)| bytes);
        // Two steps of the field and of the layers, two stagings of the field, the gather on the host.
        let all = 4 * field + 2 * memory + sample * plan.time.samples as u64;
        let largest = field.max(memory).max(sample);
        let fits = (limit / largest)
            .min(groups / regions.most_planes() as u64)
            .min(BATCH_BYTES / all)
            .max(1);
        Ok((fits as usize).min(plan.shots.len().max(1)))
    }

    fn start<'p>(&self, plan: &'p Plan) -> Result<Box<dyn Run + 'p>, EngineError> {
        Ok(Box::new(run::GpuRun::new(&self.device, plan, self.kernel(plan)?, self.checked)?))
    }
}

/// Every shader that may run a Plan as (name, whole text): what a validator should look at.
pub fn shaders(plan: &Plan) -> Vec<(&'static str, String)> {
    let layout = Layout::new(plan);
    let watchdog = &shader::WATCHDOG;
    let watchdog =
        (watchdog.name, watchdog.specialised(&tap::watchdog_constants(plan, &layout, 1.0)));
    let volume = plan.grid.is_volume();
    let steps = KERNELS.iter().filter(|kernel| kernel.is_for(volume));
    steps.flat_map(|kernel| kernel::texts(plan, kernel)).chain([watchdog]).collect()
}
