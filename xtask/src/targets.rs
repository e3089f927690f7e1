//! What the crate is built for, checked without a linker: parts of it alone, and other systems.

use crate::run::{Outcome, cargo, run};
use std::process::Command;

/// A browser has no files and no command line.
const BROWSER: &str = "wasm32-unknown-unknown";
const SYSTEMS: [&str; 3] =
    ["x86_64-pc-windows-gnu", "aarch64-unknown-linux-gnu", "aarch64-apple-darwin"];
/// Each is checked with nothing but what it needs.
const FEATURES: [&str; 3] = ["", "render", "jobs"];

/// Checks them all, with the lints.
pub fn check() -> Outcome {
    for features in FEATURES {
        clippy(&["--lib", "--no-default-features", "--features", features])?;
    }
    for target in SYSTEMS.into_iter().chain([BROWSER]) {
        run(Command::new("rustup").args(["target", "add", target])).map_err(|why| {
            format!("{why}; the standard library of {target} is needed to check the crate for it")
        })?;
        let engine_alone = ["--lib", "--no-default-features"];
        let parts: &[&str] = if target == BROWSER { &engine_alone } else { &[] };
        clippy(&[parts, &["--target", target]].concat())?;
    }
    Ok(())
}

fn clippy(arguments: &[&str]) -> Outcome {
    let mut clippy = cargo(&["clippy", "--package", "huygens"]);
    run(clippy.args(arguments).args(["--", "-D", "warnings"]))
}
