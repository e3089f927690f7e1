//! Closed or full standard output and error: the files of a run are in place all the same.

use crate::run::{SMALL, folder, names, said, says, with_job};
use std::{
    fs::File,
    path::Path,
    process::{Command, Output, Stdio},
};

/// A job that is warned of.
fn warned() -> String {
    SMALL.replace("peak_hz = 10.0", "peak_hz = 12.0")
}

/// `huygens ARGUMENTS` with these streams.
fn into(folder: &Path, arguments: &[&str], stdout: Stdio, stderr: Stdio) -> Output {
    let child = Command::new(env!("CARGO_BIN_EXE_huygens"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env_remove("RUST_LOG")
        .stdout(stdout)
        .stderr(stderr)
        .spawn();
    child.and_then(std::process::Child::wait_with_output).expect("the binary runs")
}

/// A pipe whose reader is gone, as that of `| head -1` is.
fn unread() -> Stdio {
    std::io::pipe().expect("a pipe").1.into()
}

/// A full device.
fn full() -> Option<Stdio> {
    let full = File::options().write(true).open("/dev/full").ok();
    if full.is_none() {
        println!("NOT RUN on a full disk: there is no /dev/full");
    }
    full.map(Stdio::from)
}

/// A job that is warned of, in a folder of its own.
fn job() -> tempfile::TempDir {
    with_job(warned())
}

const SHOT: [&str; 4] = ["shot", "job.toml", "--backend", "cpu"];

#[test]
fn warnings_that_nobody_reads_end_nothing() {
    let job = job();
    let warns =
        into(job.path(), &[&SHOT[..], &["--out", "a"]].concat(), Stdio::null(), Stdio::piped());
    says(&said(&warns), &["WARN"]);
    for (stderr, out) in [(Some(unread()), "b"), (full(), "c")] {
        let Some(stderr) = stderr else { continue };
        let output =
            into(job.path(), &[&SHOT[..], &["--out", out]].concat(), Stdio::piped(), stderr);
        assert_eq!(output.status.code(), Some(0), "{out}");
        assert_eq!(names(&job.path().join(out)), names(&job.path().join("a")));
    }
}

#[test]
fn mistakes_that_nobody_reads_are_mistakes() {
    let folder = folder();
    for arguments in [&["shot", "none.toml"] as &[&str], &["abacus"]] {
        for stderr in [Some(unread()), full()].into_iter().flatten() {
            let output = into(folder.path(), arguments, Stdio::piped(), stderr);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        }
    }
}

#[test]
fn results_are_in_their_place_before_they_are_printed() {
    let job = job();
    let arguments = [&SHOT[..], &["--json", "--out"]].concat();
    let quiet = into(job.path(), &[&arguments[..], &["a"]].concat(), unread(), Stdio::piped());
    assert_eq!(quiet.status.code(), Some(0), "who closes a pipe has read enough: {}", said(&quiet));
    assert!(job.path().join("a/run.json").is_file());
    let Some(full) = full() else { return };
    let output = into(job.path(), &[&arguments[..], &["b"]].concat(), full, Stdio::piped());
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    says(&said(&output), &["cannot write to standard output"]);
    assert_eq!(names(&job.path().join("b")), names(&job.path().join("a")));
}

#[test]
fn help_that_is_not_written_is_a_failure() {
    let folder = folder();
    for arguments in [&["--help"] as &[&str], &["--version"], &["shot", "--help"]] {
        let output = into(folder.path(), arguments, unread(), Stdio::piped());
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", said(&output));
        let Some(full) = full() else { return };
        let output = into(folder.path(), arguments, full, Stdio::piped());
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        says(&said(&output), &["cannot write to standard output"]);
    }
}

/// Mesa's layer complains on the standard error of the program that loads it.
#[test]
fn a_missing_display_causes_no_complaint() {
    let folder = folder();
    for missing in [None, Some("relative")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_huygens"));
        command.arg("devices").current_dir(folder.path());
        command.env_remove("WAYLAND_DISPLAY").env_remove("XDG_RUNTIME_DIR");
        command.envs(missing.map(|folder| ("XDG_RUNTIME_DIR", folder)));
        let output = command.output().expect("the binary runs");
        assert!(output.status.success(), "{}", said(&output));
        assert!(!said(&output).contains("XDG_RUNTIME_DIR"), "{}", said(&output));
    }
}

#[test]
fn results_that_were_not_printed_are_said_to_be_whole() {
    let job = job();
    let Some(stdout) = full() else { return };
    let words = [&SHOT[..], &["--out", "a", "--json"]].concat();
    let output = into(job.path(), &words, stdout, Stdio::piped());
    assert_eq!(output.status.code(), Some(1));
    says(&said(&output), &["cannot write to standard output", "the results are whole, in a"]);
    assert!(job.path().join("a/run.json").exists());
}
