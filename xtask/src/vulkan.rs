//! Looks for a Vulkan driver: a loader, and a manifest that names a driver to it.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

const LOADER: &str = "libvulkan.so.1";

/// The driver for the GPU tests.
pub enum Driver {
    /// The system brings its own interface to the GPU: Metal or DirectX 12.
    Native,
    /// The manifests of the Vulkan drivers.
    Found(Vec<PathBuf>),
    /// There is none.
    Missing {
        /// The missing part.
        why: String,
        /// Whether an installed driver would be seen.
        curable: bool,
    },
}

/// Looks for a driver.
pub fn driver() -> Driver {
    if !cfg!(target_os = "linux") {
        return Driver::Native;
    }
    let var = |name: &str| env::var_os(name);
    judged(loader(), manifests(&var, Path::new("/")), only(&var).map(|(name, _)| name))
}

fn judged(loader: bool, manifests: Vec<PathBuf>, only: Option<&str>) -> Driver {
    match (loader, manifests.is_empty(), only) {
        (true, false, _) => Driver::Found(manifests),
        (_, true, Some(name)) => {
            let why = format!("{name} names no driver manifest that is there");
            Driver::Missing { why, curable: false }
        }
        (false, ..) => {
            Driver::Missing { why: format!("no Vulkan loader ({LOADER})"), curable: true }
        }
        (true, true, None) => {
            Driver::Missing { why: "no Vulkan driver manifest".into(), curable: true }
        }
    }
}

fn loader() -> bool {
    // Users other than root often lack the second one's folder in their PATH.
    let cached = ["ldconfig", "/sbin/ldconfig"].iter().any(|program| {
        Command::new(program).arg("-p").output().is_ok_and(|output| {
            let listed = String::from_utf8_lossy(&output.stdout);
            listed.lines().any(|line| line.split_whitespace().next() == Some(LOADER))
        })
    });
    let usual = ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64", "/lib", "/lib64"];
    let multiarch = format!("/usr/lib/{}-linux-gnu", env::consts::ARCH);
    let named = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut folders =
        usual.iter().map(PathBuf::from).chain([multiarch.into()]).chain(env::split_paths(&named));
    cached || folders.any(|folder| folder.join(LOADER).exists())
}

type Var<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The manifests that the loader would read, with `root` for the root of the file system.
fn manifests(var: Var, root: &Path) -> Vec<PathBuf> {
    if let Some((_, named)) = only(var) {
        return named.iter().flat_map(|place| at(place)).collect();
    }
    let home = var("XDG_DATA_HOME")
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
        .or_else(|| var("HOME").map(|home| Path::new(&home).join(".local/share")));
    let shares = ["etc", "usr/local/share", "usr/share"].map(|share| root.join(share));
    let folders = (shares.into_iter().chain(home))
        .chain(listed(var, "XDG_DATA_DIRS").unwrap_or_default())
        .map(|share| share.join("vulkan/icd.d"));
    let added = listed(var, "VK_ADD_DRIVER_FILES").unwrap_or_default();
    let mut found: Vec<PathBuf> = added.into_iter().chain(folders).flat_map(|p| at(&p)).collect();
    found.sort();
    found.dedup();
    found
}

/// The variable that replaces the loader's own search, and the places that it names.
fn only(var: Var) -> Option<(&'static str, Vec<PathBuf>)> {
    ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"]
        .into_iter()
        .find_map(|name| Some((name, listed(var, name)?)))
}

fn listed(var: Var, name: &str) -> Option<Vec<PathBuf>> {
    let value = var(name).filter(|value| !value.is_empty())?;
    Some(env::split_paths(&value).collect())
}

/// The manifest at this place, or those in this folder.
fn at(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.into()];
    }
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.is_file() && path.extension().is_some_and(|end| end == "json"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: PathBuf) -> PathBuf {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a new folder");
        fs::write(&path, "{}").expect("a new file");
        path
    }

    fn vars<'a>(set: &'a [(&'a str, &'a Path)]) -> impl Fn(&str) -> Option<OsString> + 'a {
        |name| set.iter().find(|(known, _)| *known == name).map(|(_, path)| path.into())
    }

    #[test]
    fn manifests_are_found_in_system_and_home() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let root = root.path();
        let etc = write(root.join("etc/vulkan/icd.d/a.json"));
        let home = write(root.join("home/.local/share/vulkan/icd.d/b.json"));
        let usr = write(root.join("usr/share/vulkan/icd.d/c.json"));
        let data = write(root.join("data/vulkan/icd.d/d.json"));
        write(root.join("usr/share/vulkan/icd.d/README"));

        let user = root.join("home");
        let found = manifests(&vars(&[("HOME", &user)]), root);
        assert_eq!(found, [etc.clone(), home, usr.clone()]);
        let xdg = root.join("data");
        let found = manifests(&vars(&[("HOME", &user), ("XDG_DATA_HOME", &xdg)]), root);
        assert_eq!(found, [data, etc, usr]);
    }

    #[test]
    fn variables_add_manifests_or_replace_all_others() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let root = root.path();
        let usr = write(root.join("usr/share/vulkan/icd.d/c.json"));
        let own = write(root.join("own.json"));
        assert_eq!(manifests(&vars(&[("VK_ADD_DRIVER_FILES", &own)]), root), [own.clone(), usr]);
        for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
            assert_eq!(manifests(&vars(&[(name, &own)]), root), std::slice::from_ref(&own));
            assert!(manifests(&vars(&[(name, &root.join("gone.json"))]), root).is_empty());
        }
    }

    #[test]
    fn an_empty_system_has_none() {
        let root = tempfile::tempdir().expect("a temporary folder");
        assert!(manifests(&vars(&[]), root.path()).is_empty());
    }

    #[test]
    fn a_driver_is_a_loader_and_a_manifest() {
        let some = || vec![PathBuf::from("a.json")];
        let curable = |driver| match driver {
            Driver::Missing { curable, .. } => Some(curable),
            _ => None,
        };
        assert_eq!(curable(judged(true, some(), None)), None);
        assert_eq!(curable(judged(false, some(), None)), Some(true));
        assert_eq!(curable(judged(true, vec![], None)), Some(true));
        assert_eq!(curable(judged(true, vec![], Some("VK_DRIVER_FILES"))), Some(false));
    }
}
