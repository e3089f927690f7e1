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

/// Why tests/mpi does not run with the others.
pub fn not_run() -> String {
    let why = missing().map_or_else(String::new, |missing| format!(": there is no {missing}"));
    format!("NOT RUN: jobs over the ranks of MPI{why}; --mpi runs them")
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

/// True for a library that bindgen loads: libclang.so, libclang.so.1, libclang-14.so, not
/// libclang-cpp.so.
fn is_libclang(name: &str) -> bool {
    let Some((stem, _)) = name.split_once(".so") else { return false };
    let version = stem.strip_prefix("libclang").map(|rest| rest.trim_start_matches('-'));
    version.is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

fn has_libclang() -> bool {
    let is_it = |folder: &str| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            is_libclang(&name)
        })
    };
    let llvm = fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let llvm = llvm.map(|entry| entry.path().join("lib")).filter(|path| path.is_dir());
    env::var_os("LIBCLANG_PATH").is_some()
        || ["/usr/lib64", "/usr/lib", "/usr/local/lib"].into_iter().any(is_it)
        || llvm.into_iter().any(|folder| folder.to_str().is_some_and(is_it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_of_cpp_is_no_libclang() {
        for name in ["libclang.so", "libclang.so.1", "libclang-14.so", "libclang-14.so.14.0.6"] {
            assert!(is_libclang(name), "{name}");
        }
        for name in ["libclang-cpp.so", "libclang-cpp.so.14", "libclang.a", "libclang_rt.asan.so"] {
            assert!(!is_libclang(name), "{name}");
        }
    }
}
