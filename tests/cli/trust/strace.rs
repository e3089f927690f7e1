//! A run whose calls of the system are seen, and made to fail.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// What a run did.
pub struct Traced {
    pub output: Output,
    /// A line for each call or part of one, in the order of time, after the number of its thread.
    pub calls: Vec<(u32, String)>,
}

/// `huygens ARGUMENTS` with its calls of these names; `None`, said, where there is no strace.
pub fn traced(folder: &Path, calls: &str, flags: &[&str], arguments: &[&str]) -> Option<Traced> {
    let log = tempfile::NamedTempFile::new().expect("a place");
    let works = Command::new("strace").args(["-o", "/dev/null", "true"]).status();
    if !works.is_ok_and(|status| status.success()) {
        println!("NOT RUN: there is no strace, or it may not look at other programs");
        return None;
    }
    let output = Command::new("strace")
        .args([
            "-f",
            "-qq",
            "-y",
            "-s",
            "0",
            "--seccomp-bpf",
            "-e",
            &format!("trace={calls}"),
            "-o",
        ])
        .arg(log.path())
        .args(flags)
        .arg(env!("CARGO_BIN_EXE_huygens"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env("RAYON_NUM_THREADS", "1")
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env_remove("RUST_LOG")
        .output()
        .expect("it runs");
    let text = fs::read_to_string(log.path()).expect("its log");
    let calls = text.lines().filter_map(|line| {
        let (thread, call) = line.split_once(' ')?;
        Some((thread.parse().ok()?, call.trim_start().to_owned()))
    });
    Some(Traced { output, calls: calls.collect() })
}

/// The path of the first argument of a call, an open file: `fsync(5</out/a>)`.
pub fn open_file(call: &str) -> Option<PathBuf> {
    let (_, after) = call.split_once('(')?;
    let (number, path) = after.split_once('<')?;
    number.parse::<u32>().ok()?;
    Some(path.split_once('>')?.0.into())
}

/// The paths that a call names: `rename("a", "b")`, or with the folder that they are in,
/// `renameat(5</out>, "a", 6</out/b>, "c")`.
pub fn named(call: &str) -> Vec<PathBuf> {
    let parts: Vec<&str> = call.split('"').collect();
    let named = parts.chunks_exact(2).map(|part| {
        let folder = part[0].strip_suffix(">, ").and_then(|before| before.rsplit_once('<'));
        Path::new(folder.map_or("", |(_, folder)| folder)).join(part[1])
    });
    named.collect()
}
