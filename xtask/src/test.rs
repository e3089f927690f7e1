//! All tests, with a driver for those that need a GPU.

use crate::{
    drivers, mesa, mpi, peers,
    run::{Outcome, cargo, root, run},
    validators,
    vulkan::{self, Driver},
};
use serde_json::Value;
use std::{
    env,
    path::PathBuf,
    process::{Command, Output, Stdio},
};

/// With this variable set a GPU test fails where it finds no adapter.
pub const REQUIRE: &str = "HUYGENS_REQUIRE_GPU";

/// With this variable set the tests do all their cases, and long studies; without it those that a
/// landing waits for (`tests/common/mod.rs`).
pub const FULL: &str = "HUYGENS_FULL";

/// What is tested.
#[derive(Debug, Default, PartialEq)]
pub struct Tests {
    /// Whether a missing Vulkan driver is installed.
    pub install: bool,
    /// Whether all cases are run, on all drivers.
    pub full: bool,
    /// Whether other codes are installed and tested against: segyio, obspy, Deepwave, Devito.
    pub peers: bool,
    /// The arguments after `--`, for `cargo test`.
    pub args: Vec<String>,
}

/// Runs the tests; where there is no Vulkan driver it installs one first, or fails afterwards.
pub fn test(Tests { install, full, peers, args }: &Tests) -> Outcome {
    let install = *install;
    let python = peers.then(peers::python).transpose()?;
    let driver = if install { obtained()? } else { vulkan::driver() };
    match &driver {
        Driver::Native => {}
        Driver::Found(manifests) => {
            let names: Vec<_> = manifests.iter().map(|path| path.display().to_string()).collect();
            println!("Vulkan drivers: {}", names.join(", "));
        }
        Driver::Missing { why, .. } => println!("GPU tests will not be run: {why}"),
    }
    if !salt() {
        println!(
            "Tests against the SEG/EAGE salt data will not be run: the data are not part of the \
             project; HUYGENS_DATA may name their folder"
        );
    }
    let mut tests = cargo(&["test"]);
    tests.args(mpi::all()).args(args);
    match full {
        true => tests.env(FULL, "1"),
        false => tests.env_remove(FULL),
    };
    match validators::folder(install && args.is_empty()) {
        Ok(Some(folder)) => drop(tests.env(validators::FOLDER, folder)),
        Ok(None) => {}
        Err(why) => println!("NOT RUN: SPIR-V and GLSL are not shown to both validators: {why}"),
    }
    if let Some(python) = python {
        tests.env(peers::PYTHON, python);
    }
    match driver {
        Driver::Missing { why, .. } => {
            let outcome = run(tests.env_remove(REQUIRE));
            eprintln!("{}", warning(&why, outcome.is_ok()));
            outcome.and(Err("the GPU tests were not run".into()))
        }
        Driver::Native | Driver::Found(_) => {
            run(tests.env(REQUIRE, "1"))?;
            // A run of named tests stays on the usual driver.
            if *full && args.is_empty() {
                return drivers::test(install);
            }
            if !full {
                println!("NOT RUN: other drivers, all cases, and long studies; --full runs them");
            }
            Ok(())
        }
    }
}

/// The driver that is there, or is there once installed.
fn obtained() -> Result<Driver, String> {
    match vulkan::driver() {
        Driver::Missing { why, curable: false } => Err(why),
        Driver::Missing { why, curable: true } => {
            println!("The GPU tests need a Vulkan driver, and there is none: {why}.");
            mesa::install()?;
            match vulkan::driver() {
                Driver::Missing { why, .. } => Err(format!("after the installation still {why}")),
                driver => Ok(driver),
            }
        }
        Driver::Found(manifests) if !program_sees_a_gpu()? => {
            println!("The GPU tests need a GPU, and the program sees none through {manifests:?}.");
            mesa::install()?;
            match program_sees_a_gpu()? {
                true => Ok(vulkan::driver()),
                false => Err("after the installation the program still sees no GPU".into()),
            }
        }
        driver => Ok(driver),
    }
}

/// Builds a test, and with it the program, as all tests do: `cargo run` would build most of what it
/// is made of once more, with other features. Cargo tells on standard output what it made, and on
/// standard error what it does.
fn build() -> Command {
    let told = ["--no-run", "--message-format", "json-render-diagnostics"];
    cargo(&[&["test"][..], &mpi::all(), &["--test", "manual"], &told].concat())
}

/// The path of the program in cargo's messages.
fn program(told: &str) -> Option<PathBuf> {
    let made = told.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut programs =
        made.filter(|it| it["target"]["name"] == "huygens" && it["profile"]["test"] == false);
    programs.find_map(|it| it["executable"].as_str().map(PathBuf::from))
}

/// The output of `huygens devices --json`, with more arguments.
pub fn devices(more: &[&str]) -> Result<Output, String> {
    let cannot =
        |error: &dyn std::fmt::Display| format!("cannot ask the program for its devices: {error}");
    // Cargo's progress is shown, because the first build takes minutes.
    let built = build().stderr(Stdio::inherit()).output().map_err(|error| cannot(&error))?;
    let program = program(&String::from_utf8_lossy(&built.stdout));
    let program = program.ok_or_else(|| cannot(&"it could not be built"))?;
    let mut asked = Command::new(program);
    asked.args(["devices", "--json"]).args(more).output().map_err(|error| cannot(&error))
}

/// A manifest may belong to a device that is not there, so the program itself is asked.
fn program_sees_a_gpu() -> Result<bool, String> {
    let output = devices(&[])?;
    // Only GPUs have a number.
    Ok(String::from_utf8_lossy(&output.stdout).contains("\"index\": 0"))
}

/// True if the data are where their tests look for them.
fn salt() -> bool {
    let folder = env::var_os("HUYGENS_DATA").map_or_else(|| "../shared/data".into(), PathBuf::from);
    root().join(folder).join("salt").exists()
}

fn warning(why: &str, passed: bool) -> String {
    let rule = "!".repeat(72);
    let others = if passed { "All other tests passed." } else { "Of the other tests some failed." };
    format!(
        "\n{rule}\n  THE GPU TESTS WERE NOT RUN: {why}.\n  {others}\n  \
         `cargo xtask test` without --no-install makes sure of a driver first.\n{rule}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_build_is_silent() {
        let quiet = ["--quiet", "-q"];
        assert!(!build().get_args().any(|arg| quiet.iter().any(|word| arg == *word)));
        let config = std::fs::read_to_string(root().join(".cargo/config.toml")).expect("there");
        assert!(config.contains("xtask = ") && !quiet.iter().any(|word| config.contains(word)));
    }

    #[test]
    fn the_program_is_found_among_what_was_built() {
        let told = |target: &str, test: bool, path: &str| {
            format!(
                "{{\"target\":{{\"name\":\"{target}\"}},\"profile\":{{\"test\":{test}}},\"executable\":{path}}}\n"
            )
        };
        let all = [
            told("huygens", false, "null"),
            told("manual", true, "\"/made/manual\""),
            "no JSON\n".into(),
            told("huygens", true, "\"/made/unit\""),
            told("huygens", false, "\"/made/huygens\""),
        ];
        assert_eq!(program(&all.concat()), Some("/made/huygens".into()));
        assert_eq!(program(&all[..4].concat()), None);
    }

    #[test]
    fn the_warning_tells_why_and_how_the_others_fared() {
        let passed = warning("no Vulkan driver manifest", true);
        assert!(passed.contains("THE GPU TESTS WERE NOT RUN: no Vulkan driver manifest."));
        assert!(passed.contains("All other tests passed"));
        assert!(!warning("no Vulkan driver manifest", false).contains("passed"));
    }
}
