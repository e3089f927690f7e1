//! Builds of the crate that are checked without a linker: parts of it alone, other systems, and the
//! fuzz targets.

use crate::run::{Outcome, cargo, run};
use std::process::Command;

/// A browser has no files and no command line.
const BROWSER: &str = "wasm32-unknown-unknown";
/// Each is checked whole.
const SYSTEMS: [&str; 2] = ["x86_64-pc-windows-gnu", "aarch64-apple-darwin"];
/// Each is checked with nothing but what it needs.
const FEATURES: [&str; 3] = ["", "gpu", "render"];
/// A part and a system in one, for either of which all that the crate needs is checked anew. The
/// whole of Linux is linted where this runs.
const ELSEWHERE: (&str, &str) = ("jobs", "aarch64-unknown-linux-gnu");
/// The page, with the parts of the crate that it has; elsewhere it is empty.
const PAGE: [&str; 2] = ["--package", "huygens-web"];
const CRATE: [&str; 2] = ["--package", "huygens"];

/// Checks them all, with the lints.
pub fn check() -> Outcome {
    for features in FEATURES {
        clippy(&[&CRATE[..], &part(features)].concat())?;
    }
    let (features, elsewhere) = ELSEWHERE;
    let crates = SYSTEMS.map(|system| (system, CRATE.to_vec()));
    let others = [(elsewhere, [&CRATE[..], &part(features)].concat()), (BROWSER, PAGE.to_vec())];
    for (target, what) in crates.into_iter().chain(others) {
        run(Command::new("rustup").args(["target", "add", target])).map_err(|why| {
            format!("{why}; the standard library of {target} is needed to check the crate for it")
        })?;
        clippy(&[&what[..], &["--target", target]].concat())?;
    }
    run(&mut cargo(&["check", "--manifest-path", "fuzz/Cargo.toml"]))
}

/// A part of the crate and what it needs.
fn part(features: &str) -> Vec<&str> {
    vec!["--lib", "--no-default-features", "--features", features]
}

fn clippy(arguments: &[&str]) -> Outcome {
    run(cargo(&["clippy"]).args(arguments).args(["--", "-D", "warnings"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The library alone builds nothing of the command line, and nothing of wgpu without the GPU
    /// engine.
    #[test]
    fn the_smallest_parts_need_no_command_line() {
        let what = ["tree", "--package", "huygens", "--edges", "normal", "--prefix", "none"];
        let command_line =
            ["clap", "miette", "ab_glyph_rasterizer", "image", "toml", "zip", "console"];
        let device = ["wgpu", "naga", "pollster", "ash", "libloading"];
        let without_gpu = [&command_line[..], &device[..]].concat();
        for (features, most, none) in [("", 75, &without_gpu[..]), ("gpu", 115, &command_line[..])]
        {
            let part = ["--no-default-features", "--features", features];
            let told = cargo(&what).args(part).output().expect("cargo runs");
            let tree = String::from_utf8_lossy(&told.stdout);
            let all: BTreeSet<_> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
            assert!(all.contains("ndarray") && all.len() <= most, "{}: {told:?}", all.len());
            assert_eq!(all.contains("wgpu"), features == "gpu", "{tree}");
            for name in none {
                assert!(!all.contains(name), "{name} in {tree}");
            }
        }
    }
}
