//! Advice for made machines.

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
    assert!(advice.contains("LAYERS_ENABLE, VK_INSTANCE_LAYERS may") && advice.contains("them"));
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
