//! The Python package: its wheel, and its tests in a Python of their own.

use crate::{
    peers,
    run::{Outcome, cargo, root, run},
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// What builds the wheel, and what its tests import, with versions, so that a test fails only for
/// our changes.
const BUILD: [&str; 1] = ["maturin==1.16.0"];
const TESTS: [&str; 4] = ["numpy>=2,<3", "pytest==9.2.0", "scipy>=1.14,<2", "xarray>=2024"];

/// Where the wheel has the command: maturin installs what lies in this folder beside Python.
const SCRIPTS: &str = "python/huygens.data/scripts";

/// Builds the wheel as it ships, into `target/wheels`.
pub fn wheel() -> Outcome {
    let python = python()?;
    let wheel = build(&python, "release")?;
    println!("{}", wheel.display());
    Ok(())
}

/// Builds a wheel, installs it into a fresh virtual environment, and runs its tests there; where the
/// peers are installed, those with torch too.
pub fn test() -> Outcome {
    tested(&obtained()?)
}

/// [`test`] where there is a Python to do it with.
pub fn tested_if_there() -> Outcome {
    match obtained() {
        Ok(pythons) => tested(&pythons),
        Err(why) => {
            println!("NOT RUN: the Python package is not tested: {why}");
            Ok(())
        }
    }
}

/// The Python that builds, and a fresh one for the tests.
fn obtained() -> Result<[PathBuf; 2], String> {
    let fresh = folder("python-tests");
    if fresh.exists() {
        let cannot = |error| format!("cannot remove {}: {error}", fresh.display());
        fs::remove_dir_all(&fresh).map_err(cannot)?;
    }
    let venv = made(&fresh)?;
    run(peers::pip(&venv).args(TESTS))?;
    Ok([python()?, venv])
}

fn tested([python, venv]: &[PathBuf; 2]) -> Outcome {
    let wheel = build(python, "dev")?;
    run(peers::pip(venv).arg(&wheel))?;
    tests(venv, &["-rs"])?;
    match peers::installed() {
        Some(peers) => {
            run(peers::pip(&peers).args(["--force-reinstall", "--no-deps"]).arg(&wheel))?;
            tests(&peers, &["-k", "torch"])
        }
        None => {
            println!(
                "NOT RUN: the tests of huygens.torch need torch, which `cargo xtask test --peers` installs"
            );
            Ok(())
        }
    }
}

fn tests(python: &Path, more: &[&str]) -> Outcome {
    let mut pytest = Command::new(python);
    pytest.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"]).args(more);
    // The command stands beside Python.
    let beside = python.parent().expect("a folder of programs").to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([beside].into_iter().chain(env::split_paths(&path)))
        .map_err(|error| format!("PATH: {error}"))?;
    // Not from within the package's own folder, which has no extension module.
    run(pytest
        .arg(root().join("python/tests"))
        .env("PATH", path)
        .current_dir(root().join("target")))
}

/// Builds the command and the extension module, and packs both.
fn build(python: &Path, profile: &str) -> Result<PathBuf, String> {
    // In one call, so that what they share is built once, and with the same features.
    let packages = ["--package", "huygens", "--package", "huygens-python"];
    run(cargo(&["build", "--profile", profile]).args(packages))?;
    let scripts = root().join(SCRIPTS);
    fs::create_dir_all(&scripts).map_err(|error| format!("{}: {error}", scripts.display()))?;
    let name = format!("huygens{}", env::consts::EXE_SUFFIX);
    let made = folder(if profile == "dev" { "debug" } else { profile }).join(&name);
    fs::copy(&made, scripts.join(&name)).map_err(|error| format!("{}: {error}", made.display()))?;
    // The wheel that ships is not replaced by one for tests.
    let wheels = folder(if profile == "dev" { "wheels-dev" } else { "wheels" });
    let mut maturin = Command::new(python);
    maturin.args(["-m", "maturin", "build", "--quiet", "--strip", "--profile", profile, "--out"]);
    run(maturin.arg(&wheels).arg("--manifest-path").arg(root().join("python/Cargo.toml")))?;
    let found = fs::read_dir(&wheels).map_err(|error| format!("{}: {error}", wheels.display()))?;
    let wheel = found.filter_map(Result::ok).map(|entry| entry.path());
    let wheel = wheel.filter(|path| path.extension().is_some_and(|ending| ending == "whl"));
    let newest = |path: &PathBuf| fs::metadata(path).and_then(|of| of.modified()).ok();
    wheel.max_by_key(newest).ok_or_else(|| format!("no wheel in {}", wheels.display()))
}

/// The Python that builds, installed on first use.
fn python() -> Result<PathBuf, String> {
    let python = made(&folder("python"))?;
    run(peers::pip(&python).args(BUILD))?;
    Ok(python)
}

/// A virtual environment.
fn made(folder: &Path) -> Result<PathBuf, String> {
    let python = peers::place(folder);
    if !python.exists() {
        let system = if cfg!(windows) { "python" } else { "python3" };
        run(Command::new(system).args(["-m", "venv"]).arg(folder))?;
    }
    Ok(python)
}

fn folder(name: &str) -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    root().join(target).join(name)
}
