//! Where Linux keeps Vulkan's loader and drivers, and which GPUs are on its PCI bus.

use serde::Serialize;
use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

/// What the engine needs of Vulkan on Linux.
#[derive(Serialize)]
pub(super) struct Vulkan {
    /// The loader, which the program opens.
    pub(super) loader: Option<PathBuf>,
    /// Manifests of the drivers, which the loader reads.
    pub(super) drivers: Vec<PathBuf>,
    /// The variable that replaces the loader's search for manifests.
    pub(super) only: Option<&'static str>,
    /// GPUs on the PCI bus.
    pub(super) gpus: Vec<Vendor>,
    /// Version of NVIDIA's kernel module, if it is loaded.
    pub(super) nvidia_module: Option<String>,
}

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
}

/// What is here; `None` on other systems than Linux.
pub(super) fn find() -> Option<Vulkan> {
    let var = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    cfg!(target_os = "linux").then(|| found(Path::new("/"), &var))
}

/// [`find`], with the root of the file system and the environment.
pub(super) fn found(root: &Path, var: &dyn Fn(&str) -> Option<OsString>) -> Vulkan {
    let listed = |name| var(name).map(|value| env::split_paths(&value).collect::<Vec<_>>());
    let only = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].into_iter().find(|name| var(name).is_some());
    let home = var("XDG_DATA_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(Path::new(&var("HOME")?).join(".local/share")));
    let shares = ["etc", "usr/local/share", "usr/share"].map(|share| root.join(share));
    let shares = shares.into_iter().chain(home).chain(listed("XDG_DATA_DIRS").unwrap_or_default());
    let places = match only.and_then(listed) {
        Some(places) => places,
        None => listed("VK_ADD_DRIVER_FILES")
            .into_iter()
            .flatten()
            .chain(shares.map(|share| share.join("vulkan/icd.d")))
            .collect(),
    };
    let mut drivers: Vec<_> = places.iter().flat_map(|place| manifests(place)).collect();
    drivers.sort();
    drivers.dedup();
    let libraries = ["usr/lib", "usr/lib64", "usr/local/lib", "usr/local/lib64", "lib", "lib64"]
        .map(|folder| root.join(folder));
    let multiarch = root.join(format!("usr/lib/{}-linux-gnu", env::consts::ARCH));
    let named = listed("LD_LIBRARY_PATH").unwrap_or_default();
    let folders = named.into_iter().chain([multiarch]).chain(libraries);
    let loader = folders.map(|folder| folder.join("libvulkan.so.1")).find(|path| path.exists());
    let module = fs::read_to_string(root.join("sys/module/nvidia/version")).ok();
    let nvidia_module = module.map(|version| version.trim().to_owned());
    Vulkan { loader, drivers, only, gpus: gpus(root), nvidia_module }
}

/// The manifest at this place, or those in this folder.
fn manifests(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.into()];
    }
    let files = place.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    files.filter(|path| path.extension().is_some_and(|end| end == "json")).collect()
}

/// The displays and 3-D controllers (class 0x03) on the PCI bus.
fn gpus(root: &Path) -> Vec<Vendor> {
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
