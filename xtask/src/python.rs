//! The Python package: its wheel, and its tests in a Python of their own.

use crate::{
    mpi, peers,
    run::{Outcome, built, cargo, root, run, shown},
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// What builds the wheel, and what its tests import, with versions, so that a test fails only for
/// our changes.
const BUILD: [&str; 3] = ["maturin==1.16.0", "wheel>=0.45,<1", "auditwheel>=6,<7"];
/// What builds for other systems.
const CROSS: [&str; 2] = ["cargo-zigbuild==0.24.1", "ziglang==0.17.1"];
const TESTS: [&str; 7] = [
    "numpy>=2,<3",
    "pytest==9.2.0",
    "scipy>=1.14,<2",
    "xarray>=2024",
    "matplotlib>=3.8,<4",
    "mypy>=1.13,<2",
    "obspy>=1.5,<2",
];

/// Builds the wheel as it ships, into `target/wheels`.
pub fn wheel() -> Outcome {
    let python = python()?;
    // In one call, so that what they share is built once, and with the same features.
    let packages = ["--package", "huygens", "--package", "huygens-python"];
    run(cargo(&["build", "--profile", "dist"]).args(packages))?;
    println!("{}", audited(&python, &packed(&python, "dist")?)?.display());
    Ok(())
}

/// Builds a wheel, installs it into a fresh virtual environment, and runs its tests there; where the
/// peers are installed, those with torch too.
pub fn test() -> Outcome {
    tested(&obtained()?)
}

/// Does what docs/python.md says, runs the examples, and leaves the pictures of both in a folder.
pub fn page(pages: &Path) -> Outcome {
    let [python, venv] = obtained()?;
    run(peers::pip(&venv).arg(tested_wheel(&python)?))?;
    run(pytest(&venv, &["-k", "page or examples"])?.env("HUYGENS_MANUAL", pages))
}

/// [`test()`] where there is a Python to do it with.
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
    let fresh = built("python-tests");
    if fresh.exists() {
        let cannot = |error| format!("cannot remove {}: {error}", fresh.display());
        fs::remove_dir_all(&fresh).map_err(cannot)?;
    }
    let venv = made(&fresh)?;
    run(peers::pip(&venv).args(TESTS))?;
    Ok([python()?, venv])
}

fn tested([python, venv]: &[PathBuf; 2]) -> Outcome {
    let wheel = tested_wheel(python)?;
    run(peers::pip(venv).arg(&wheel))?;
    run(&mut pytest(venv, &["-rs"])?)?;
    match peers::installed() {
        Some(peers) => {
            run(peers::pip(&peers).args(["--force-reinstall", "--no-deps"]).arg(&wheel))?;
            run(&mut pytest(&peers, &["-k", "torch or jax"])?)
        }
        None => {
            println!(
                "NOT RUN: the tests of huygens.torch and huygens.jax need torch and jax, which `cargo xtask test --peers` installs"
            );
            Ok(())
        }
    }
}

fn pytest(python: &Path, more: &[&str]) -> Result<Command, String> {
    let mut pytest = Command::new(python);
    pytest.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"]).args(more);
    // The command stands beside Python.
    let beside = python.parent().expect("a folder of programs").to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([beside].into_iter().chain(env::split_paths(&path)))
        .map_err(|error| format!("PATH: {error}"))?;
    // Not from within the package's own folder, which has no extension module.
    pytest.arg(root().join("python/tests")).env("PATH", path).current_dir(root().join("target"));
    Ok(pytest)
}

/// The wheel of the command and the module that the tests of the workspace are built with: nothing
/// is compiled a second time.
fn tested_wheel(python: &Path) -> Result<PathBuf, String> {
    run(cargo(&["build", "--lib", "--bins", "--tests"]).args(mpi::all()))?;
    packed(python, "debug")
}

/// The wheel of the command and the module of a profile.
fn packed(python: &Path, profile: &str) -> Result<PathBuf, String> {
    let of = if profile == "dist" { "" } else { "-dev" };
    let (prefix, suffix) = (env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let wheel = Wheel {
        python,
        program: &built(profile).join(format!("huygens{}", env::consts::EXE_SUFFIX)),
        module: &built(profile).join(format!("{prefix}_huygens{suffix}")),
        extension: if cfg!(windows) { "_huygens.pyd" } else { "_huygens.abi3.so" },
        platform: None,
        licences: None,
    };
    wheel.pack(&built(&format!("wheel{of}")), &built(&format!("wheels{of}")))
}

/// The parts of a wheel.
pub struct Wheel<'w> {
    /// The Python that packs it.
    pub python: &'w Path,
    /// The command.
    pub program: &'w Path,
    /// The module.
    pub module: &'w Path,
    /// The name of the module's file in the package.
    pub extension: &'w str,
    /// The tag of its system, if it is not this one.
    pub platform: Option<&'w str>,
    /// The licences of all crates in it.
    pub licences: Option<&'w str>,
}

impl Wheel<'_> {
    /// Packs it with maturin's description, from a folder of its content into a folder of wheels.
    /// maturin would compile the module again, with flags of its own.
    pub fn pack(&self, content: &Path, wheels: &Path) -> Result<PathBuf, String> {
        for folder in [content, wheels] {
            // Nothing of an earlier one.
            let _ = fs::remove_dir_all(folder);
            fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        let mut maturin = Command::new(self.python);
        maturin.args(["-m", "maturin", "pep517", "write-dist-info", "--interpreter"]);
        maturin.arg(self.python).arg("--metadata-directory").arg(content);
        run(maturin.current_dir(root().join("python")))?;
        let described = fs::read_dir(content).map_err(|error| error.to_string())?;
        let name = described.filter_map(Result::ok).map(|of| of.file_name()).next();
        let name = name.and_then(|name| name.into_string().ok()).unwrap_or_default();
        let scripts = content.join(name.replace("dist-info", "data/scripts"));
        copy(self.program, &scripts.join(self.program.file_name().unwrap_or_default()))?;
        let package = content.join("huygens");
        let sources = fs::read_dir(root().join("python/huygens")).map_err(|e| e.to_string())?;
        for source in sources.filter_map(Result::ok).map(|of| of.path()).filter(|of| of.is_file()) {
            copy(&source, &package.join(source.file_name().unwrap_or_default()))?;
        }
        copy(self.module, &package.join(self.extension))?;
        if let Some(licences) = self.licences {
            let place = content.join(&name).join("licenses");
            let written = fs::create_dir_all(&place)
                .and_then(|()| fs::write(place.join("LICENSES-THIRD-PARTY.txt"), licences));
            written.map_err(|error| format!("{}: {error}", place.display()))?;
        }
        let mut pack = Command::new(self.python);
        pack.args(["-m", "wheel", "pack"]).arg(content).arg("--dest-dir").arg(wheels);
        run(&mut pack)?;
        match self.platform {
            Some(platform) => tagged(self.python, &newest(wheels)?, platform),
            None => newest(wheels),
        }
    }
}

/// Fails if a wheel links to more than its tag allows.
pub fn check_tag(python: &Path, wheel: &Path, platform: &str) -> Outcome {
    if !platform.starts_with("manylinux") {
        return Ok(());
    }
    let found = least_tag(python, wheel)?;
    match found == platform {
        true => Ok(()),
        false => Err(format!("{} is {found}, not {platform}", wheel.display())),
    }
}

/// The wheel with the tag of the systems that have what it links to; Linuxes differ.
fn audited(python: &Path, wheel: &Path) -> Result<PathBuf, String> {
    if !cfg!(target_os = "linux") {
        return Ok(wheel.into());
    }
    tagged(python, wheel, &least_tag(python, wheel)?)
}

/// The tag of the oldest Linuxes that have what a wheel links to.
fn least_tag(python: &Path, wheel: &Path) -> Result<String, String> {
    let mut audit = Command::new(python);
    audit.args(["-m", "auditwheel", "show"]).arg(wheel);
    let line = shown(&audit);
    let told = audit.output().map_err(|why| format!("`{line}` could not be started: {why}"))?;
    let told = String::from_utf8_lossy(&told.stdout);
    // ... the following platform tag: "manylinux_2_35_x86_64".
    let tag = told.split('"').nth(1);
    tag.map(String::from).ok_or_else(|| format!("`{line}` tells no tag: {told}"))
}

/// The wheel under another tag.
fn tagged(python: &Path, wheel: &Path, tag: &str) -> Result<PathBuf, String> {
    let mut tags = Command::new(python);
    tags.args(["-m", "wheel", "tags", "--remove", "--platform-tag", tag]).arg(wheel);
    run(&mut tags)?;
    newest(wheel.parent().unwrap_or(wheel))
}

fn copy(from: &Path, to: &Path) -> Outcome {
    let place = to.parent().expect("a file in a folder");
    fs::create_dir_all(place).map_err(|error| format!("{}: {error}", place.display()))?;
    fs::copy(from, to).map(|_| ()).map_err(|error| format!("{}: {error}", from.display()))
}

/// The newest wheel of a folder.
fn newest(wheels: &Path) -> Result<PathBuf, String> {
    let found = fs::read_dir(wheels).map_err(|error| format!("{}: {error}", wheels.display()))?;
    let found = found.filter_map(Result::ok).map(|entry| entry.path());
    let found = found.filter(|path| path.extension().is_some_and(|ending| ending == "whl"));
    let newest = |path: &PathBuf| fs::metadata(path).and_then(|of| of.modified()).ok();
    found.max_by_key(newest).ok_or_else(|| format!("no wheel in {}", wheels.display()))
}

/// The Python that builds for other systems too.
pub fn cross_python() -> Result<PathBuf, String> {
    let python = python()?;
    run(peers::pip(&python).args(CROSS))?;
    Ok(python)
}

/// The Python that builds, installed on first use.
fn python() -> Result<PathBuf, String> {
    let python = made(&built("python"))?;
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
