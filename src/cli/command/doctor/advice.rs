//! What to install or set, from what is there.

use super::{
    report::{Cache, DeviceReport, ShotReport},
    vulkan::{Vendor, Vulkan},
};
use crate::engine::EngineError;
use std::path::Path;

const LOADER: &str = "install the Vulkan loader: libvulkan1 on Debian and Ubuntu, vulkan-loader on \
    Fedora and RHEL, vulkan-icd-loader on Arch";
const NVIDIA_DRIVER: &str =
    "install NVIDIA's driver, which includes Vulkan: nvidia-driver on Debian";
const NVIDIA_CONTAINER: &str = "NVIDIA's kernel module is loaded, but its Vulkan driver is not here: \
    install the driver's user part; in a container, set NVIDIA_DRIVER_CAPABILITIES=all";
const NVIDIA_FILE: &str = "NVIDIA's driver is here, but not the device file /dev/nvidia0: in a \
    container, pass the GPU (docker run --gpus all, apptainer run --nv); in a batch job, ask for a GPU";
const MESA_FILE: &str = "a driver is here, but no device file /dev/dri/renderD128: load the kernel \
    driver (amdgpu, i915 or xe); in a container, pass the GPU (docker run --device /dev/dri)";
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
mod tests {
    use super::{
        super::vulkan::{System, found},
        *,
    };
    use crate::cli::command::devices::Row;
    use std::{collections::HashMap, ffi::OsString, fs};

    /// A Linux without an adapter.
    #[derive(Clone, Copy, Default)]
    struct Machine<'m> {
        /// Paths and texts.
        files: &'m [(&'m str, &'m str)],
        variables: &'m [(&'m str, &'m str)],
        /// Beginnings of the names of device files that this user may not open.
        closed: &'m str,
    }

    impl Machine<'_> {
        fn vulkan(self, root: &Path) -> Vulkan {
            for (path, text) in self.files {
                let path = root.join(path);
                fs::create_dir_all(path.parent().expect("a folder")).expect("a new folder");
                fs::write(path, text).expect("written");
            }
            let variables: HashMap<_, _> = self.variables.iter().copied().collect();
            let var = |name: &str| variables.get(name).map(OsString::from);
            let opens = |path: &Path| {
                let name = path.file_name().expect("a name").to_string_lossy();
                self.closed.is_empty() || !name.starts_with(self.closed)
            };
            found(&System { root, var: &var, opens: &opens })
        }

        /// What is advised, with temporary folders written as /.
        fn advised(self, devices: &[DeviceReport]) -> String {
            let root = tempfile::tempdir().expect("a temporary folder");
            let vulkan = self.vulkan(root.path());
            let cache = Cache { folder: Some(root.path().into()), files: Vec::new() };
            let advice = of(devices, Some(&vulkan), &cache).join("\n");
            advice.replace(&format!("{}/", root.path().display()), "/")
        }
    }

    fn advised(files: &[(&str, &str)], variables: &[(&str, &str)]) -> String {
        Machine { files, variables, ..Machine::default() }.advised(&[])
    }

    const CLASS: &str = "sys/bus/pci/devices/0000:01:00.0/class";
    const VENDOR: &str = "sys/bus/pci/devices/0000:01:00.0/vendor";
    const RADEON: [(&str, &str); 2] = [(CLASS, "0x030000\n"), (VENDOR, "0x1002\n")];
    const GEFORCE: [(&str, &str); 2] = [(CLASS, "0x030200\n"), (VENDOR, "0x10de\n")];
    const MODULE: (&str, &str) = ("sys/module/nvidia/version", "550.54\n");
    const MANIFEST: (&str, &str) = ("usr/share/vulkan/icd.d/some.json", "{}");
    const RADEON_MANIFEST: (&str, &str) = ("usr/share/vulkan/icd.d/radeon_icd.x86_64.json", "{}");
    const NVIDIA_MANIFEST: (&str, &str) = ("etc/vulkan/icd.d/nvidia_icd.json", "{}");
    const LOADED: (&str, &str) = ("usr/lib/libvulkan.so.1", "");
    const RENDER: (&str, &str) = ("dev/dri/renderD128", "");

    /// A GPU on the bus.
    fn card(class: &str, vendor: &str, more: &[(&str, &str)]) -> String {
        advised(&[&[(CLASS, class), (VENDOR, vendor)], more].concat(), &[])
    }

    #[test]
    fn what_is_missing_is_named() {
        let none = advised(&[], &[]);
        assert_eq!(none, format!("{LOADER}\n{SOFTWARE}"));
        assert_eq!(advised(&[LOADED, MANIFEST], &[]), SOFTWARE);

        let nvidia = card("0x030200\n", "0x10de\n", &[LOADED]);
        assert_eq!(nvidia, NVIDIA_DRIVER);
        assert_eq!(card("0x030200\n", "0x10de\n", &[LOADED, MODULE]), NVIDIA_CONTAINER);
        assert_eq!(card("0x030000\n", "0x1002\n", &[LOADED]), MESA);
        assert_eq!(card("0x030000\n", "0x8086\n", &[]), format!("{LOADER}\n{MESA}"));
        // Software Vulkan alone is no driver of a Radeon.
        assert_eq!(card("0x030000\n", "0x1002\n", &[LOADED, MANIFEST]), MESA);
        // A network card is no GPU.
        assert_eq!(card("0x020000\n", "0x8086\n", &[LOADED]), SOFTWARE);
    }

    #[test]
    fn with_a_driver_the_device_file_is_looked_at() {
        let machine = |card: &[(&str, &str)], more: &[(&str, &str)], closed: &str| {
            let files = [card, &[LOADED], more].concat();
            Machine { files: &files, variables: &[], closed }.advised(&[])
        };
        let closed = machine(&RADEON, &[RADEON_MANIFEST, RENDER], "renderD");
        let may_not = "this user may not open /dev/dri/renderD128: join its group";
        assert!(closed.starts_with(may_not) && !closed.contains("install"), "{closed}");
        assert_eq!(machine(&RADEON, &[RADEON_MANIFEST], ""), MESA_FILE);
        let open = machine(&RADEON, &[RADEON_MANIFEST, RENDER], "");
        let blamed = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json does not find its GPU";
        assert!(open.starts_with(blamed), "{open}");

        assert_eq!(machine(&GEFORCE, &[NVIDIA_MANIFEST, MODULE], ""), NVIDIA_FILE);
        let file = ("dev/nvidia0", "");
        let closed = machine(&GEFORCE, &[NVIDIA_MANIFEST, MODULE, file], "nvidia");
        assert!(closed.starts_with("this user may not open /dev/nvidia0"), "{closed}");
        // Two causes: no driver, and no access.
        let both = machine(&RADEON, &[RENDER], "renderD");
        assert!(both.starts_with("this user may not") && both.ends_with(MESA), "{both}");
    }

    #[test]
    #[cfg(unix)]
    fn the_group_of_a_device_file_is_named() {
        use std::os::unix::fs::MetadataExt;

        let root = tempfile::tempdir().expect("a temporary folder");
        let id = fs::metadata(root.path()).expect("it is there").gid();
        let group = format!("tape:x:{}:\ngraphics:x:{id}:ada\n", id + 1);
        let files = [&RADEON[..], &[LOADED, RADEON_MANIFEST, RENDER, ("etc/group", &group)]];
        let files = files.concat();
        let advice = Machine { files: &files, variables: &[], closed: "renderD" }.advised(&[]);
        assert!(advice.contains("usermod -aG graphics $USER"), "{advice}");
    }

    #[test]
    fn a_variable_that_names_nothing_is_blamed() {
        let advice = advised(&[LOADED, MANIFEST], &[("VK_DRIVER_FILES", "/no/such.json")]);
        assert_eq!(advice, "VK_DRIVER_FILES names no driver that exists: unset it");
    }

    #[test]
    fn a_variable_that_may_hide_a_gpu_is_blamed() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let software = root.path().join("lvp_icd.json");
        fs::write(&software, "{}").expect("written");
        let software = software.to_str().expect("text");
        let files = [&RADEON[..], &[LOADED, RADEON_MANIFEST, RENDER]].concat();
        for name in ["VK_ICD_FILENAMES", "VK_DRIVER_FILES", "VK_LOADER_DRIVERS_DISABLE"] {
            let advice = advised(&files, &[(name, software)]);
            let blamed = format!("{name} may hide or change a device: unset it");
            assert!(advice.starts_with(&blamed), "{advice}");
        }
        let two = [("VK_INSTANCE_LAYERS", "some"), ("VK_LOADER_LAYERS_ENABLE", "*")];
        let advice = advised(&files, &two);
        assert!(
            advice.contains("LAYERS_ENABLE, VK_INSTANCE_LAYERS may") && advice.contains("them")
        );
        // One that only prints.
        assert!(!advised(&files, &[("VK_LOADER_DEBUG", "all")]).contains("unset"));
    }

    /// A GPU whose shot failed.
    fn failed(error: &EngineError) -> DeviceReport {
        let (name, kind) = ("card".into(), "discrete".into());
        let row = Row { index: Some(0), name, kind, ..Row::default() };
        DeviceReport {
            row,
            shot: ShotReport::Failed { error: error.to_string(), remedy: remedy(error) },
        }
    }

    #[test]
    fn a_failure_has_its_own_remedy() {
        let (device, said) = (|| "card".to_owned(), || "so".to_owned());
        let full = EngineError::OutOfMemory { device: device(), said: said() };
        let thread = EngineError::NoThread { device: device(), said: said() };
        let wrong = EngineError::Wrong { device: device(), error: 0.1, limit: 1e-5 };
        for (error, remedy) in [
            (&full, "end other programs that use its memory"),
            (&thread, "raise the limit of processes (ulimit -u)"),
            (&wrong, "update its driver"),
        ] {
            let advice = Machine::default().advised(&[failed(error)]);
            assert_eq!(advice, format!("card cannot be used: {remedy}"));
        }
        let layers = [("VK_INSTANCE_LAYERS", "some")];
        let machine = Machine { variables: &layers, ..Machine::default() };
        let advice = machine.advised(&[failed(&wrong)]);
        assert!(advice.contains("VK_INSTANCE_LAYERS may hide or change a device"), "{advice}");
    }
}
