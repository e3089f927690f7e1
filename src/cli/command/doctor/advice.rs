//! What to install or set, from what is there.

use super::{
    remedies::*,
    report::{Cache, DeviceReport},
    shot::ShotReport,
    vendor::Vendor,
    vulkan::Vulkan,
};
use crate::engine::EngineError;
use std::path::Path;

/// Remedies, the most useful first.
pub(super) fn of(devices: &[DeviceReport], vulkan: Option<&Vulkan>, cache: &Cache) -> Vec<String> {
    let mut advice = Vec::new();
    for device in devices {
        if let ShotReport::Failed { remedy, .. } = device.shot {
            advice.push(format!("{} cannot be used: {remedy}", device.row.name));
        }
    }
    let fails = !advice.is_empty();
    let gpus = || devices.iter().filter(|device| device.row.index.is_some());
    let is_hardware = gpus().any(|device| device.row.kind != "software");
    match vulkan {
        Some(vulkan) if !is_hardware => {
            advice.extend(drivers(vulkan, gpus().next().is_some()));
        }
        Some(vulkan) if fails => advice.extend(variables(vulkan)),
        None if !is_hardware => advice.push(OTHER_SYSTEMS.into()),
        _ => (),
    }
    advice.extend(cache.folder.is_none().then(|| CACHE.into()));
    advice
}

/// What helps against a failure of a device's shot.
pub(super) fn remedy(error: &EngineError) -> &'static str {
    match error {
        EngineError::OutOfMemory { .. }
        | EngineError::DoesNotFit(_)
        | EngineError::TooLarge { .. } => "end other programs that use its memory",
        EngineError::NoMemory(_) => {
            "end other programs that use the memory of this machine, or raise the limit of this one"
        }
        EngineError::NoThread { .. } => "raise the limit of processes (ulimit -u)",
        EngineError::NotOpened { .. } => {
            "end other programs that use it, restart after an update of its driver, or update its driver"
        }
        EngineError::Silent { .. } => "end other programs that keep it busy, or update its driver",
        EngineError::Wrong { .. } | EngineError::Device { .. } | EngineError::Lost { .. } => {
            "update its driver"
        }
        _ => "this is a fault of huygens: please report it with this text",
    }
}

/// The variables that are set, which may hide a device or break it.
fn variables(vulkan: &Vulkan) -> Option<String> {
    let names: Vec<_> = vulkan.variables.iter().map(|variable| variable.name).collect();
    let it = if names.len() > 1 { "them" } else { "it" };
    let names = (!names.is_empty()).then(|| names.join(", "))?;
    Some(format!("{names} may hide or change a device: unset {it}, and run huygens doctor again"))
}

/// What would make a GPU appear. With `software`, a software driver answers already.
fn drivers(vulkan: &Vulkan, software: bool) -> Vec<String> {
    let mut advice = Vec::new();
    if let (Some(only), true) = (vulkan.only, vulkan.drivers.is_empty()) {
        advice.push(format!("{only} names no driver that exists: unset it"));
        return advice;
    }
    let loaded = vulkan.nvidia_module.is_some();
    let is_gpu_here = !vulkan.gpus.is_empty() || !vulkan.files.is_empty() || loaded;
    if is_gpu_here || !software {
        advice.extend(variables(vulkan));
    }
    if vulkan.loader.is_none() && !software {
        advice.push(LOADER.into());
    }
    if let Some(closed) = vulkan.files.iter().find(|file| !file.opens) {
        let path = closed.path.display();
        let group = closed
            .group
            .as_deref()
            .filter(|group| *group != "root")
            .unwrap_or(if is_nvidia(&closed.path) { "video" } else { "render" });
        advice.push(format!(
            "this user may not open {path}: join its group (sudo usermod -aG {group} $USER) and log \
             in again; in a batch job, ask for a GPU"
        ));
    }
    let vendors = [Vendor::Nvidia, Vendor::Amd, Vendor::Intel];
    let is_here =
        |vendor: &Vendor| vulkan.gpus.contains(vendor) || (*vendor == Vendor::Nvidia && loaded);
    // A cause that is known already is enough.
    let is_explained = !advice.is_empty();
    for vendor in vendors.into_iter().filter(is_here) {
        let said = match vendor.driver(&vulkan.drivers) {
            None => Some(missing(vendor, loaded).to_owned()),
            Some(_) if is_explained => None,
            Some(driver) => Some(unseen(vendor, vulkan, driver)),
        };
        advice.extend(said.filter(|said| !advice.contains(said)));
    }
    if !is_gpu_here && !software {
        advice.push(SOFTWARE.into());
    }
    advice
}

/// What installs the driver of a vendor.
fn missing(vendor: Vendor, nvidia_module: bool) -> &'static str {
    match vendor {
        Vendor::Nvidia if nvidia_module => NVIDIA_CONTAINER,
        Vendor::Nvidia => NVIDIA_DRIVER,
        Vendor::Amd | Vendor::Intel => MESA,
    }
}

/// Why a GPU does not answer although its driver is installed.
fn unseen(vendor: Vendor, vulkan: &Vulkan, driver: &Path) -> String {
    let by_nvidia = vendor == Vendor::Nvidia;
    if !vulkan.files.iter().any(|file| is_nvidia(&file.path) == by_nvidia) {
        return if by_nvidia { NVIDIA_FILE } else { MESA_FILE }.to_owned();
    }
    format!(
        "{} does not find its GPU: restart after an update of the driver; `VK_LOADER_DEBUG=error \
         huygens devices` shows what it reports",
        driver.display()
    )
}

/// True for the device files of NVIDIA's driver.
fn is_nvidia(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("nvidia"))
}

#[cfg(test)]
mod tests;
