//! Starting ranks.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};
use tempfile::TempDir;

/// A job that runs in a moment.
pub const SMALL: &str = r#"
[model]
velocity = "builtin:layers"
nodes = { z = 60, x = 80 }
spacing = 20.0

[time]
duration = 0.4
step = 0.002

[[source]]
at = { x = 810.0, z = 205.0 }
wavelet = { kind = "ricker", peak_hz = 10.0 }

[receivers]
line = { from = { x = 3.0, z = 20.0 }, to = { x = 1570.0, z = 20.0 }, count = 80 }

[output]
snapshots = [0.1, 0.2]
"#;

/// The job for a volume.
pub fn volume() -> String {
    SMALL
        .replace("nodes = { z = 60, x = 80 }", "nodes = { z = 24, x = 20, y = 26 }")
        .replace("x = 810.0, z = 205.0", "x = 210.0, y = 255.0, z = 205.0")
        .replace("x = 3.0, z = 20.0", "x = 200.0, y = 3.0, z = 20.0")
        .replace("x = 1570.0, z = 20.0", "x = 200.0, y = 490.0, z = 20.0")
}

/// Twelve shots.
pub const SURVEY: &str = include_str!("../slurm/survey.toml");

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_huygens");

/// A folder with a job.
pub fn folder(job: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("job.toml"), job).expect("written");
    folder
}

/// One process.
pub fn huygens(folder: &Path, arguments: &[&str]) -> Output {
    begun(folder, PROGRAM).args(arguments).output().expect("the program runs")
}

/// Runs `count` ranks of a command line.
pub fn ranks(folder: &Path, count: usize, arguments: &[&str]) -> Output {
    let count = count.to_string();
    mpirun(folder, &[&["-n", &count, PROGRAM], arguments].concat())
        .output()
        .expect("mpirun is here")
}

/// Runs two ranks with a command line each.
pub fn two(folder: &Path, first: &[&str], second: &[&str]) -> Output {
    let one = ["-n", "1", PROGRAM];
    let words = [&one[..], first, &[":"], &one, second].concat();
    mpirun(folder, &words).output().expect("mpirun is here")
}

/// mpirun, as root and with more ranks than cores where it has to.
pub fn mpirun(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = begun(folder, "mpirun");
    command.args(arguments);
    for set in [
        "OMPI_ALLOW_RUN_AS_ROOT",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
        "OMPI_MCA_rmaps_base_oversubscribe",
        "OMPI_MCA_mpi_yield_when_idle",
    ] {
        command.env(set, "1");
    }
    // Containers do not let processes read each other's memory.
    command.env("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
    command.env("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
    command.env("RAYON_NUM_THREADS", "1");
    command
}

fn begun(folder: &Path, program: &str) -> Command {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let mut command = Command::new(program);
    command.current_dir(folder).env("NO_COLOR", "1").env("XDG_CACHE_HOME", cache);
    command.env_remove("RUST_LOG");
    command
}

/// The messages, on one line.
pub fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let words = text.split_whitespace().filter(|word| !matches!(*word, "│" | "×" | "╰─▶"));
    words.collect::<Vec<_>>().join(" ")
}

#[track_caller]
pub fn works(output: &Output) {
    assert!(output.status.success(), "{}", said(output));
}

/// Checks for a failure that is reported once.
#[track_caller]
pub fn fails(output: &Output, code: i32, part: &str) {
    let said = said(output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert_eq!(said.matches(part).count(), 1, "\"{part}\": {said}");
}

/// Whether there is a GPU; a test without one says that it is not run.
pub fn has_gpu() -> bool {
    let folder = folder("");
    let devices = huygens(folder.path(), &["devices", "--json"]);
    // Only GPUs have a number.
    let has = String::from_utf8_lossy(&devices.stdout).contains("\"index\": 0");
    if !has {
        assert!(std::env::var_os("HUYGENS_REQUIRE_GPU").is_none(), "there is no adapter");
        println!("NOT RUN: ranks with a GPU each: there is no adapter");
    }
    has
}
