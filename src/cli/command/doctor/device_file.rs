//! The device files of GPUs, and whether this user may open them.

use super::vulkan::System;
use serde::Serialize;
use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

/// The file by which a driver reaches a GPU.
#[derive(Serialize)]
pub(super) struct DeviceFile {
    pub(super) path: PathBuf,
    /// The group that owns it, if it has a name.
    pub(super) group: Option<String>,
    /// True if this user may read and write it.
    pub(super) opens: bool,
}

impl fmt::Display for DeviceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        match (self.opens, &self.group) {
            (true, _) => Ok(()),
            (false, Some(group)) => write!(f, ", not for this user (group {group})"),
            (false, None) => write!(f, ", not for this user"),
        }
    }
}

/// The device files of GPUs: Mesa's, then NVIDIA's.
pub(super) fn device_files(system: &System<'_>) -> Vec<DeviceFile> {
    let groups = fs::read_to_string(system.root.join("etc/group")).unwrap_or_default();
    let is_gpu = |name: &str| {
        let numbered =
            |start| name.strip_prefix(start).is_some_and(|n: &str| n.parse::<u32>().is_ok());
        numbered("renderD") || numbered("nvidia") || name == "nvidiactl"
    };
    let folder = |at| system.root.join(at).read_dir().into_iter().flatten().flatten();
    let entries = folder("dev/dri").chain(folder("dev"));
    let mut paths: Vec<_> = entries
        .filter(|entry| entry.file_name().to_str().is_some_and(is_gpu))
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    let file = |path: PathBuf| {
        let opens = (system.opens)(&path);
        DeviceFile { group: group(&path, &groups), opens, path }
    };
    paths.into_iter().map(file).collect()
}

/// The name of a file's group, from the text of /etc/group.
#[cfg(unix)]
fn group(path: &Path, groups: &str) -> Option<String> {
    use std::os::unix::fs::MetadataExt;

    let id = fs::metadata(path).ok()?.gid().to_string();
    let mut lines = groups.lines().map(|line| line.split(':').collect::<Vec<_>>());
    lines.find(|line| line.get(2) == Some(&id.as_str())).map(|line| line[0].to_owned())
}

#[cfg(not(unix))]
fn group(_path: &Path, _groups: &str) -> Option<String> {
    None
}
