//! Running the binary.

use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A job that runs in a moment.
pub const SMALL: &str = r#"
[model]
velocity = "builtin:layers"
nodes = { z = 60, x = 80 }
spacing = { z = 20.0, x = 20.0 }

[time]
duration = 0.4
step = 0.002

[[source]]
at = { x = 800.0, z = 200.0 }
wavelet = { kind = "ricker", peak_hz = 10.0 }

[receivers]
line = { from = { x = 0.0, z = 0.0 }, to = { x = 1580.0, z = 0.0 }, count = 80 }

[output]
snapshots = [0.2]
"#;

/// The job for a volume.
pub fn small_volume() -> String {
    SMALL
        .replace("nodes = { z = 60, x = 80 }", "nodes = { z = 24, x = 20, y = 16 }")
        .replace("spacing = { z = 20.0, x = 20.0 }", "spacing = 20.0")
        .replace("x = 800.0, z = 200.0 }", "x = 200.0, y = 160.0, z = 200.0 }")
        .replace("x = 0.0, z = 0.0 }", "x = 0.0, y = 160.0, z = 0.0 }")
        .replace("x = 1580.0, z = 0.0 }", "x = 380.0, y = 160.0, z = 0.0 }")
        .replace("count = 80", "count = 20")
}

/// Runs `huygens ARGUMENTS` in a folder. The user's measurements must not affect tests, so the
/// tests have their own cache.
pub fn huygens(folder: &Path, arguments: &[&str]) -> Output {
    huygens_with_cache(folder, arguments, &cache())
}

fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")
}

/// [`huygens`] with a cache folder.
pub fn huygens_with_cache(folder: &Path, arguments: &[&str], cache: &Path) -> Output {
    command_with_cache(folder, arguments, cache).output().expect("the binary runs")
}

/// [`huygens`] with a single Vulkan driver configured, which does not exist.
#[cfg(target_os = "linux")]
pub fn huygens_without_vulkan(folder: &Path, arguments: &[&str]) -> Output {
    let nowhere = folder.join("nowhere.json");
    let mut command = command(folder, arguments);
    command.env("VK_DRIVER_FILES", &nowhere).env("VK_ICD_FILENAMES", &nowhere);
    command.output().expect("the binary runs")
}

/// The command of [`huygens`], not yet started.
pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    command_with_cache(folder, arguments, &cache())
}

fn command_with_cache(folder: &Path, arguments: &[&str], cache: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_huygens"));
    command.args(arguments).current_dir(folder);
    command.env("NO_COLOR", "1").env("XDG_CACHE_HOME", cache).env_remove("RUST_LOG");
    command
}

/// [`huygens`] must end with this exit code.
#[track_caller]
pub fn exits(code: i32, folder: &Path, arguments: &[&str]) -> Output {
    let output = huygens(folder, arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", said(&output));
    output
}

/// [`huygens`] must succeed.
#[track_caller]
pub fn done(folder: &Path, arguments: &[&str]) -> Output {
    exits(0, folder, arguments)
}

/// [`huygens`] must find its input wrong, and leave nothing behind; returns what the user reads.
#[track_caller]
pub fn refused(folder: &Path, arguments: &[&str]) -> String {
    let before = names(folder);
    let said = said(&exits(2, folder, arguments));
    assert_eq!(names(folder), before, "nothing is left behind");
    assert!(!said.contains("panicked"), "{said}");
    said
}

/// What a run printed, as JSON.
#[track_caller]
pub fn printed(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("JSON on standard output")
}

/// A file of JSON, such as a record.
#[track_caller]
pub fn json(path: impl AsRef<Path>) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("a file of JSON")
}

/// The messages on one line: they are wrapped to the terminal.
pub fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let words = text.split_whitespace().filter(|word| !matches!(*word, "│" | "×" | "╰─▶"));
    words.collect::<Vec<_>>().join(" ")
}

/// Each of some words is there.
#[track_caller]
pub fn says(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "\"{part}\" in: {said}");
    }
}

/// A fresh folder.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// A fresh folder with a job, job.toml.
pub fn with_job(job: impl AsRef<[u8]>) -> tempfile::TempDir {
    let folder = folder();
    std::fs::write(folder.path().join("job.toml"), job).expect("written");
    folder
}

/// Names in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().expect("a folder");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.expect("an entry").file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<_> = entries.map(name).collect();
    names.sort();
    names
}

/// A number from the environment.
#[allow(dead_code, reason = "not every system runs the tests that ask for it")]
pub fn told(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}
