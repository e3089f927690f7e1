//! The systems that programs are built for, by the linker of zig, which comes from PyPI.

use crate::run::{built, cargo, run};
use std::{
    env::{self, consts},
    path::{Path, PathBuf},
    process::Command,
};

/// A system.
pub struct Target {
    /// Its name in files and in `--only`.
    pub name: &'static str,
    pub triple: &'static str,
    /// The oldest glibc that will do.
    glibc: Option<&'static str>,
    /// Debian's name of its processor.
    pub debian: Option<&'static str>,
    /// The tag of its wheels.
    pub platform: &'static str,
}

/// glibc, not musl: a program that links musl statically cannot open a Vulkan driver.
pub const TARGETS: [Target; 4] = [
    Target {
        name: "linux-x86_64",
        triple: "x86_64-unknown-linux-gnu",
        glibc: Some("2.17"),
        debian: Some("amd64"),
        platform: "manylinux_2_17_x86_64",
    },
    Target {
        name: "linux-aarch64",
        triple: "aarch64-unknown-linux-gnu",
        glibc: Some("2.17"),
        debian: Some("arm64"),
        platform: "manylinux_2_17_aarch64",
    },
    Target {
        name: "windows-x86_64",
        triple: "x86_64-pc-windows-gnu",
        glibc: None,
        debian: None,
        platform: "win_amd64",
    },
    Target {
        name: "macos-aarch64",
        triple: "aarch64-apple-darwin",
        glibc: None,
        debian: None,
        platform: "macosx_11_0_arm64",
    },
];

/// What cargo made for a target.
pub struct Built {
    /// The command.
    pub program: PathBuf,
    /// The Python module.
    pub module: PathBuf,
}

impl Target {
    fn is(&self, system: &str) -> bool {
        self.triple.contains(system)
    }

    /// True if its programs run on this machine.
    pub fn runs_here(&self) -> bool {
        self.name == format!("{}-{}", consts::OS, consts::ARCH)
    }

    /// The file name of its program.
    pub fn program(&self) -> &'static str {
        if self.is("windows") { "huygens.exe" } else { "huygens" }
    }

    /// The file name of its Python module.
    pub fn extension(&self) -> &'static str {
        if self.is("windows") { "_huygens.pyd" } else { "_huygens.abi3.so" }
    }

    /// True if Rust's standard library for it is installed.
    fn has_std(&self) -> bool {
        let told =
            Command::new("rustc").args(["--print=target-libdir", "--target", self.triple]).output();
        let folder = told.map(|told| String::from_utf8_lossy(&told.stdout).trim().to_owned());
        folder.is_ok_and(|folder| Path::new(&folder).is_dir())
    }

    /// Builds the command and the Python module, with link-time optimisation; or says why that is
    /// impossible here.
    pub fn build(&self, python: &Path) -> Result<Result<Built, String>, String> {
        let is_mac = self.is("apple");
        if is_mac && !cfg!(target_os = "macos") {
            return Ok(Err("Apple's frameworks, which are linked, are on a Mac only".into()));
        }
        if !self.has_std()
            && let Err(why) = run(Command::new("rustup").args(["target", "add", self.triple]))
        {
            return Ok(Err(format!(
                "Rust's standard library for {} is not here: {why}",
                self.triple
            )));
        }
        let triple =
            self.glibc.map_or(self.triple.into(), |oldest| format!("{}.{oldest}", self.triple));
        let mut cargo = cargo(&[if is_mac { "build" } else { "zigbuild" }]);
        cargo.args(["--locked", "--profile", "dist", "--target", &triple]);
        // In one call, so that what they share is built once, and with the same features.
        cargo.args(["--package", "huygens", "--package", "huygens-python"]);
        // cargo-zigbuild and zig stand beside this Python.
        let beside = python.parent().unwrap_or(python).to_owned();
        let path = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths([beside].into_iter().chain(env::split_paths(&path)))
            .map_err(|why| format!("PATH: {why}"))?;
        // The module has Python's stable interface, so none is asked for its version.
        run(cargo.env("PATH", path).env("PYO3_NO_PYTHON", "1"))?;
        let folder = built(self.triple).join("dist");
        let module = match (self.is("windows"), is_mac) {
            (true, _) => "_huygens.dll",
            (_, true) => "lib_huygens.dylib",
            _ => "lib_huygens.so",
        };
        Ok(Ok(Built { program: folder.join(self.program()), module: folder.join(module) }))
    }
}
