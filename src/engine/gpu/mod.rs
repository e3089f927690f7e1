//! The GPU engine: WGSL compute shaders through wgpu, on any vendor's device.

mod acquisition;
mod adapters;
pub mod bench;
mod clock;
mod device;
mod kernel;
mod run;
mod shader;
mod slab;
mod staging;
mod tap;
mod tiles;

pub use adapters::{Adapter, Backend, list};

use super::{Description, Engine, EngineError, Layout, Run};
use crate::plan::Plan;
use device::Device;

/// What a batch may take, host included: more shots at once than fill a device gain nothing.
const BATCH_BYTES: u64 = 1 << 30;

/// An opened device.
pub struct Gpu {
    device: Device,
    checked: bool,
}

impl Gpu {
    /// Opens an adapter. With `checked`, every index that a shader forms is checked by the driver's
    /// shader compiler: slower, and the same results.
    pub fn open(adapter: &Adapter, checked: bool) -> Result<Self, EngineError> {
        Ok(Gpu { device: Device::open(adapter)?, checked })
    }
}

impl Gpu {
    /// Whether it is a GPU and not a program that behaves like one.
    pub fn is_hardware(&self) -> bool {
        self.device.info.device_type != wgpu::DeviceType::Cpu
    }
}

impl Engine for Gpu {
    fn describe(&self) -> Description {
        let info = &self.device.info;
        let checks = if self.checked { ", checked" } else { "" };
        Description {
            backend: info.backend.to_str().into(),
            device: info.name.clone(),
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
            kernel: format!(
                "step, vec4, {}x{} threads{checks}",
                tiles::WORKGROUP.z,
                tiles::WORKGROUP.x
            ),
        }
    }

    fn batch(&self, plan: &Plan) -> Result<usize, EngineError> {
        let limits = self.device.limits();
        let layout = Layout::new(plan);
        let tiles = tiles::Tiles::new(plan, &layout);
        let too_large = |what, size: u64, limit: u64, unit| {
            let device = self.device.info.name.clone();
            Err(EngineError::TooLarge { what, size, limit, unit, device })
        };

        let groups = u64::from(limits.max_compute_workgroups_per_dimension);
        let along = [tiles.z, tiles.x + tiles.recording(), tiles.planes, tiles.recording_only()];
        let needed = along.into_iter().max().unwrap_or(0) as u64;
        if needed > groups {
            return too_large("the grid, or its receivers,", needed, groups, "workgroups an axis");
        }

        let bytes = |values: usize| 4 * values as u64;
        let shot = [
            ("the wavefield of a shot", bytes(layout.len())),
            ("the absorbing layers of a shot", bytes(kernel::memory_len(plan))),
            ("a sample of a shot's traces", bytes(tiles.receivers)),
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
        let fits =
            (limit / largest).min(groups / tiles.planes as u64).min(BATCH_BYTES / all).max(1);
        Ok((fits as usize).min(plan.shots.len().max(1)))
    }

    fn start<'p>(&self, plan: &'p Plan) -> Result<Box<dyn Run + 'p>, EngineError> {
        Ok(Box::new(run::GpuRun::new(&self.device, plan, self.checked)?))
    }
}

/// Every shader that runs a Plan as (name, whole text): what a validator should look at.
pub fn shaders(plan: &Plan) -> Vec<(&'static str, String)> {
    let layout = Layout::new(plan);
    let tiles = tiles::Tiles::new(plan, &layout);
    [
        (&shader::STEP, kernel::constants(plan, &layout, &tiles)),
        (&shader::WATCHDOG, tap::watchdog_constants(plan, &layout, 1.0)),
    ]
    .map(|(source, constants)| (source.name, source.specialised(&constants)))
    .into()
}
