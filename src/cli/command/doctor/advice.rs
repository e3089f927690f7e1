//! What to install or set, from what is there.

use super::{
    report::{Cache, DeviceReport, ShotReport},
    vulkan::{Vendor, Vulkan},
};

const LOADER: &str = "install the Vulkan loader: libvulkan1 on Debian and Ubuntu, vulkan-loader on \
    Fedora and RHEL, vulkan-icd-loader on Arch";
const NVIDIA_DRIVER: &str =
    "install NVIDIA's driver, which includes Vulkan: nvidia-driver on Debian";
const NVIDIA_CONTAINER: &str = "NVIDIA's kernel module is loaded, but its Vulkan driver is not here: \
    install the driver's user part; in a container, set NVIDIA_DRIVER_CAPABILITIES=all";
const MESA: &str =
    "install Mesa's Vulkan drivers: mesa-vulkan-drivers on Debian, Ubuntu and Fedora";
const SOFTWARE: &str = "no GPU was found, so jobs run on the CPU; that needs nothing else. To try \
    the GPU engine, install Mesa's software driver: mesa-vulkan-drivers on Debian, Ubuntu and Fedora";
const OTHER_SYSTEMS: &str =
    "no GPU was found, so jobs run on the CPU; if there is a GPU, install its vendor's driver";
const CACHE: &str = "there is no cache folder, so that devices are tested at each start: set HOME \
    or XDG_CACHE_HOME";

/// Remedies, the most useful first.
pub(super) fn of(devices: &[DeviceReport], vulkan: Option<&Vulkan>, cache: &Cache) -> Vec<String> {
    let mut advice = Vec::new();
    for device in devices {
        if let ShotReport::Failed { error } = &device.shot {
            let name = &device.row.name;
            advice.push(format!("{name} cannot be used: {error}; update its driver"));
        }
    }
    let gpus = || devices.iter().filter(|device| device.row.index.is_some());
    let is_hardware = gpus().any(|device| device.row.kind != "software");
    match vulkan {
        Some(vulkan) if !is_hardware => {
            advice.extend(drivers(vulkan, gpus().next().is_some()));
        }
        None if !is_hardware => advice.push(OTHER_SYSTEMS.into()),
        _ => (),
    }
    advice.extend(cache.folder.is_none().then(|| CACHE.into()));
    advice
}

/// What would make a GPU appear. With `software`, a software driver answers already.
fn drivers(vulkan: &Vulkan, software: bool) -> Vec<String> {
    let mut advice = Vec::new();
    if let (Some(only), true) = (vulkan.only, vulkan.drivers.is_empty()) {
        advice.push(format!("{only} names no driver that exists: unset it"));
        return advice;
    }
    if vulkan.loader.is_none() && !software {
        advice.push(LOADER.into());
    }
    let has = |vendor| vulkan.gpus.contains(&vendor);
    if vulkan.nvidia_module.is_some() {
        advice.push(NVIDIA_CONTAINER.into());
    } else if has(Vendor::Nvidia) {
        advice.push(NVIDIA_DRIVER.into());
    }
    if has(Vendor::Amd) || has(Vendor::Intel) {
        advice.push(MESA.into());
    }
    if vulkan.gpus.is_empty() && vulkan.nvidia_module.is_none() && !software {
        advice.push(SOFTWARE.into());
    }
    advice
}

#[cfg(test)]
mod tests {
    use super::{super::vulkan::found, *};
    use std::{collections::HashMap, ffi::OsString, fs, path::Path};

    /// What is advised for a system with these files, `(path, text)`, and without an adapter.
    fn advised(files: &[(&str, &str)], variables: &[(&str, &str)]) -> String {
        let root = tempfile::tempdir().expect("a temporary folder");
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a new folder");
            fs::write(path, text).expect("written");
        }
        let variables: HashMap<_, _> = variables.iter().copied().collect();
        let var = |name: &str| variables.get(name).map(OsString::from);
        let cache = Cache { folder: Some(root.path().into()), files: Vec::new() };
        of(&[], Some(&found(Path::new(root.path()), &var)), &cache).join("\n")
    }

    const CARD: &str = "sys/bus/pci/devices/0000:01:00.0";
    const MANIFEST: (&str, &str) = ("usr/share/vulkan/icd.d/some.json", "{}");
    const LOADED: (&str, &str) = ("usr/lib/libvulkan.so.1", "");

    /// A GPU on the bus.
    fn card(class: &str, vendor: &str, more: &[(&str, &str)]) -> String {
        let (at, of) = (format!("{CARD}/class"), format!("{CARD}/vendor"));
        advised(&[&[(at.as_str(), class), (of.as_str(), vendor)], more].concat(), &[])
    }

    #[test]
    fn what_is_missing_is_named() {
        let none = advised(&[], &[]);
        assert_eq!(none, format!("{LOADER}\n{SOFTWARE}"));
        assert_eq!(advised(&[LOADED, MANIFEST], &[]), SOFTWARE);

        let nvidia = card("0x030200\n", "0x10de\n", &[LOADED]);
        assert_eq!(nvidia, NVIDIA_DRIVER);
        let module = ("sys/module/nvidia/version", "550.54\n");
        assert_eq!(card("0x030200\n", "0x10de\n", &[LOADED, module]), NVIDIA_CONTAINER);
        assert_eq!(card("0x030000\n", "0x1002\n", &[LOADED]), MESA);
        assert_eq!(card("0x030000\n", "0x8086\n", &[]), format!("{LOADER}\n{MESA}"));
        // A network card is no GPU.
        assert_eq!(card("0x020000\n", "0x8086\n", &[LOADED]), SOFTWARE);
    }

    #[test]
    fn a_variable_that_names_nothing_is_blamed() {
        let advice = advised(&[LOADED, MANIFEST], &[("VK_DRIVER_FILES", "/no/such.json")]);
        assert_eq!(advice, "VK_DRIVER_FILES names no driver that exists: unset it");
    }
}
