//! The GPU engine: WGSL compute shaders through wgpu, on any vendor's device.

mod acquisition;
mod adapters;
mod clock;
mod device;
mod kernel;
mod run;
mod shader;
mod slab;
mod staging;
mod tap;

pub use adapters::{Adapter, Backend, list};

use super::{Description, Engine, EngineError, Layout, Run};
use crate::plan::Plan;
use device::Device;

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

impl Engine for Gpu {
    fn describe(&self) -> Description {
        let info = &self.device.info;
        let checks = if self.checked { ", checked" } else { "" };
        Description {
            backend: info.backend.to_str().into(),
            device: info.name.clone(),
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
            kernel: format!("step2d, {}x{} threads{checks}", kernel::TILE.z, kernel::TILE.x),
        }
    }

    fn batch(&self, plan: &Plan) -> Result<usize, EngineError> {
        let bytes = |values: usize| 4 * values as u64;
        let layout = Layout::new(plan);
        let receivers = plan.shots.iter().map(|shot| shot.receivers.len()).max().unwrap_or(0);
        let shot = [
            ("the wavefield of a shot", bytes(layout.len())),
            ("the absorbing layers of a shot", bytes(kernel::memory_len(plan))),
            ("a sample of a shot's traces", bytes(receivers)),
            ("the wavelets", bytes(plan.wavelets.len() * plan.time.steps)),
        ];
        let limit = self.device.largest_binding();
        if let Some((what, bytes)) = shot.into_iter().find(|(_, bytes)| *bytes > limit) {
            let device = self.device.info.name.clone();
            return Err(EngineError::TooLarge { what, bytes, limit, device });
        }
        let per_shot = shot[..3].iter().map(|(_, bytes)| *bytes).max().unwrap_or(1).max(1);
        let groups = u64::from(self.device.limits().max_compute_workgroups_per_dimension);
        // Indices within a batch are 32-bit.
        let indexed = u64::from(u32::MAX) / (per_shot / 4).max(1);
        let fits = (limit / per_shot).min(groups).min(indexed).max(1);
        Ok((fits as usize).min(plan.shots.len().max(1)))
    }

    fn start<'p>(&self, plan: &'p Plan) -> Result<Box<dyn Run + 'p>, EngineError> {
        Ok(Box::new(run::GpuRun::new(&self.device, plan, self.checked)?))
    }
}

/// Every shader that runs a Plan as (name, whole text): what a validator should look at.
pub fn shaders(plan: &Plan) -> Vec<(&'static str, String)> {
    let layout = Layout::new(plan);
    let tiles = acquisition::Tiles::new(plan, &layout);
    [
        (&shader::STEP_2D, kernel::constants(plan, &layout, &tiles)),
        (&shader::WATCHDOG, tap::watchdog_constants(plan, &layout, 1.0)),
    ]
    .map(|(source, constants)| (source.name, source.specialised(&constants)))
    .into()
}
