//! Where Linux keeps Vulkan's loader and drivers.

use super::{
    device_file::{DeviceFile, device_files},
    vendor::{Vendor, gpus},
};
use serde::Serialize;
use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

/// Variables that make the loader or a driver leave out devices, or put layers between.
const VARIABLES: [&str; 14] = [
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "VK_LOADER_DRIVERS_SELECT",
    "VK_LOADER_DRIVERS_DISABLE",
    "VK_LOADER_DEVICE_SELECT",
    "VK_LOADER_LAYERS_ENABLE",
    "VK_LOADER_LAYERS_DISABLE",
    "VK_LOADER_LAYERS_ALLOW",
    "VK_INSTANCE_LAYERS",
    "VK_LAYER_PATH",
    "VK_IMPLICIT_LAYER_PATH",
    "MESA_VK_DEVICE_SELECT",
    "MESA_VK_DEVICE_SELECT_FORCE_DEFAULT_DEVICE",
    "DRI_PRIME",
];

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
    /// Device files of GPUs, which drivers open.
    pub(super) files: Vec<DeviceFile>,
    /// Variables that are set and choose drivers, devices or layers.
    pub(super) variables: Vec<Variable>,
}

/// A variable of the environment.
#[derive(Serialize)]
pub(super) struct Variable {
    pub(super) name: &'static str,
    pub(super) value: String,
}

/// Where to look.
pub(super) struct System<'s> {
    /// The root of the file system.
    pub(super) root: &'s Path,
    /// The value of a variable.
    pub(super) var: &'s dyn Fn(&str) -> Option<OsString>,
    /// True if a file can be read and written.
    pub(super) opens: &'s dyn Fn(&Path) -> bool,
}

/// What is here; `None` on other systems than Linux.
pub(super) fn find() -> Option<Vulkan> {
    let var = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    // Opened, and not only asked for: a batch system forbids devices whose files have permissions.
    let opens = |path: &Path| fs::OpenOptions::new().read(true).write(true).open(path).is_ok();
    let system = System { root: Path::new("/"), var: &var, opens: &opens };
    cfg!(target_os = "linux").then(|| found(&system))
}

/// [`find`], in a system.
pub(super) fn found(system: &System<'_>) -> Vulkan {
    let System { root, var, .. } = *system;
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
    let variable = |name| Some(Variable { name, value: var(name)?.to_string_lossy().into() });
    let variables = VARIABLES.into_iter().filter_map(variable).collect();
    Vulkan {
        loader,
        drivers,
        only,
        gpus: gpus(root),
        nvidia_module,
        files: device_files(system),
        variables,
    }
}

/// The manifest at this place, or those in this folder.
fn manifests(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.into()];
    }
    let files = place.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    files.filter(|path| path.extension().is_some_and(|end| end == "json")).collect()
}
