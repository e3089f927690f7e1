//! The vendors of the GPUs on the PCI bus of Linux.

use serde::Serialize;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The maker of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Vendor {
    Nvidia,
    Amd,
    Intel,
}

impl Vendor {
    pub(super) fn name(self) -> &'static str {
        match self {
            Vendor::Nvidia => "NVIDIA",
            Vendor::Amd => "AMD",
            Vendor::Intel => "Intel",
        }
    }

    /// The manifest of a driver for its GPUs, if it is among these.
    pub(super) fn driver(self, drivers: &[PathBuf]) -> Option<&Path> {
        let words: &[&str] = match self {
            Vendor::Nvidia => &["nvidia", "nouveau"],
            Vendor::Amd => &["radeon", "amd"],
            Vendor::Intel => &["intel"],
        };
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().to_lowercase());
        let is_its = |path: &&PathBuf| {
            name(path).is_some_and(|name| words.iter().any(|word| name.contains(word)))
        };
        drivers.iter().find(is_its).map(PathBuf::as_path)
    }
}

/// The displays and 3-D controllers (class 0x03) on the PCI bus.
pub(super) fn gpus(root: &Path) -> Vec<Vendor> {
    let devices = root.join("sys/bus/pci/devices").read_dir().into_iter().flatten().flatten();
    let mut devices: Vec<_> = devices.map(|entry| entry.path()).collect();
    devices.sort();
    let vendor = |device: &PathBuf| {
        let read = |name| fs::read_to_string(device.join(name)).ok();
        read("class")?.starts_with("0x03").then_some(())?;
        match read("vendor")?.trim() {
            "0x10de" => Some(Vendor::Nvidia),
            "0x1002" => Some(Vendor::Amd),
            "0x8086" => Some(Vendor::Intel),
            _ => None,
        }
    };
    devices.iter().filter_map(vendor).collect()
}
