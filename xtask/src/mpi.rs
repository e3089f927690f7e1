//! Jobs over the ranks of MPI, on this machine.

use crate::{
    run::{Outcome, cargo, run},
    test::REQUIRE,
};
use std::{env, fs, process::Command, sync::LazyLock};

const PROGRAMS: [&str; 2] = ["mpicc", "mpirun"];
const PACKAGES: [&str; 3] = ["openmpi-bin", "libopenmpi-dev", "libclang-dev"];

/// Makes sure that MPI is here: with `install` Debian's Open MPI and libclang are installed where
/// they are missing.
pub fn obtain(install: bool) -> Outcome {
    let Some(missing) = missing() else { return Ok(()) };
    if !install {
        let packages = PACKAGES.join(" ");
        return Err(format!("MPI was not tried: there is no {missing}; install {packages}"));
    }
    let mut apt = Command::new("apt-get");
    apt.args(["install", "--yes", "--no-install-recommends"]).args(PACKAGES);
    run(apt.env("DEBIAN_FRONTEND", "noninteractive"))
}

/// The crates and features of all builds for tests, so that cargo builds once: with faults, and with
/// ranks if MPI is installed. Of one crate alone, others' would have other features.
pub fn all() -> [&'static str; 3] {
    static IS_HERE: LazyLock<bool> = LazyLock::new(|| missing().is_none());
    let features = if *IS_HERE { "huygens/faults,huygens/mpi" } else { "huygens/faults" };
    ["--workspace", "--features", features]
}

/// Runs tests/mpi.
pub fn test() -> Outcome {
    // Each test starts as many processes as this machine has cores, or more.
    let tests = ["--test", "mpi", "--", "--test-threads=1"];
    run(cargo(&["test"]).args(all()).args(tests).env(REQUIRE, "1"))
}

/// The first thing that is not here: a program, or the library that reads MPI's headers.
fn missing() -> Option<&'static str> {
    let found = |program: &&str| {
        let looked = Command::new("sh").args(["-c", &format!("command -v {program}")]).output();
        looked.is_ok_and(|output| output.status.success())
    };
    let program = PROGRAMS.into_iter().find(|program| !found(program));
    program.or_else(|| (!has_libclang()).then_some("libclang"))
}

fn has_libclang() -> bool {
    let is_it = |folder: &str| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            name.starts_with("libclang") && name.contains(".so")
        })
    };
    let llvm = fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let llvm = llvm.map(|entry| entry.path().join("lib")).filter(|path| path.is_dir());
    env::var_os("LIBCLANG_PATH").is_some()
        || ["/usr/lib64", "/usr/lib", "/usr/local/lib"].into_iter().any(is_it)
        || llvm.into_iter().any(|folder| folder.to_str().is_some_and(is_it))
}
