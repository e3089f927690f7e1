//! Paths that are not files: a pipe would wait for its writer, a device never ends.
#![cfg(unix)]

use crate::run::{SMALL, done, folder, names, said, says};
use std::{
    path::Path,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

/// The longest time for a command that has nothing to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// `huygens ARGUMENTS`, which must come to its end.
#[track_caller]
fn ends(folder: &Path, arguments: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_huygens"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let started = Instant::now();
    while child.try_wait().expect("it is ours").is_none() {
        if started.elapsed() > PATIENCE {
            child.kill().expect("it is ours");
            panic!("{arguments:?} waits for what never comes");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().expect("it has ended")
}

#[track_caller]
fn refused(folder: &Path, arguments: &[&str], parts: &[&str]) {
    let before = names(folder);
    let output = ends(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    says(&said(&output), parts);
    assert_eq!(names(folder), before, "nothing is left behind");
}

/// A named pipe that nobody writes to.
fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().expect("every Unix has mkfifo");
    assert!(made.success());
}

/// The small job with a key.
fn job(folder: &Path, keys: &str) {
    std::fs::write(folder.join("job.toml"), format!("{SMALL}\n{keys}")).expect("written");
}

#[test]
fn pipes_sockets_and_folders_are_no_models() {
    let folder = folder();
    let at = folder.path();
    for ending in ["npy", "npz", "rsf", "bin", "sgy", "su"] {
        let flags: &[&str] =
            if ending == "bin" { &["--nodes", "z=5,x=7", "--axes", "xz"] } else { &[] };
        let file = format!("m.{ending}");
        let path = at.join(&file);
        let info = [&["model", "info", &file], flags].concat();
        pipe(&path);
        refused(at, &info, &[&file, "it is a pipe, no plain file; copy what comes out of it"]);
        std::fs::remove_file(&path).expect("removed");
        let socket = std::os::unix::net::UnixListener::bind(&path).expect("a socket");
        refused(at, &info, &[&file, "it is a socket, no plain file; copy what"]);
        drop(socket);
        std::fs::remove_file(&path).expect("removed");
        std::fs::create_dir(&path).expect("a folder");
        refused(at, &info, &[&file, "it is a folder, no plain file; name a file in it"]);
        std::fs::remove_dir(&path).expect("removed");
        std::os::unix::fs::symlink("nowhere", &path).expect("a link");
        refused(at, &info, &[&file, "No such file", "check the path"]);
        std::fs::remove_file(&path).expect("removed");
        std::fs::write(&path, "").expect("an empty file");
        refused(at, &info, &[&file]);
        std::fs::remove_file(&path).expect("removed");
    }
    pipe(&at.join("data"));
    std::fs::write(at.join("m.rsf"), "n1=3 n2=5 in=data\n").expect("written");
    refused(at, &["model", "info", "m.rsf"], &["in=\"data\"", "it is a pipe, no plain file; copy"]);
}

#[test]
fn a_pipe_is_no_gather() {
    let folder = folder();
    let at = folder.path();
    for ending in ["npy", "sgy", "su"] {
        let file = format!("g.{ending}");
        pipe(&at.join(&file));
        job(at, "");
        let cpu = ["job.toml", "--backend", "cpu"];
        let locate = [&["locate"], &cpu[..], &["--gather", &file]].concat();
        refused(at, &locate, &[&file, "it is a pipe, no plain file; copy"]);
        let migrate = [&["zero-offset"], &cpu[..], &["--migrate", &file]].concat();
        refused(at, &migrate, &[&file, "it is a pipe, no plain file; copy"]);
    }
    for file in ["w.npy", "w.txt"] {
        pipe(&at.join(file));
        let wavelet = format!("kind = \"file\", path = \"{file}\", interval = 0.002");
        let job = SMALL.replace("kind = \"ricker\", peak_hz = 10.0", &wavelet);
        std::fs::write(at.join("job.toml"), job).expect("written");
        refused(at, &["check", "job.toml"], &[file, "it is a pipe, no plain file; copy"]);
    }
}

#[test]
fn a_record_that_is_no_file_is_of_no_earlier_run() {
    let folder = folder();
    let at = folder.path();
    job(at, "");
    let out = at.join("out");
    std::fs::create_dir(&out).expect("a folder");
    let shot = ["shot", "job.toml", "--backend", "cpu", "--force"];
    pipe(&out.join("run.json"));
    let output = ends(at, &shot);
    assert!(output.status.success(), "{}", said(&output));
    assert!(out.join("run.json").is_file(), "the record is in its place");
    std::fs::remove_file(out.join("run.json")).expect("removed");
    std::os::unix::fs::symlink("/dev/zero", out.join("run.json")).expect("a link");
    let output = ends(at, &shot);
    assert!(output.status.success(), "{}", said(&output));
    assert!(out.join("run.json").symlink_metadata().is_ok_and(|entry| entry.is_file()));

    // Nor are kernels remembered in a pipe.
    let cache = at.join("cache/huygens");
    std::fs::create_dir_all(&cache).expect("a folder");
    let kernels = cache.join("kernels.json");
    // A shot that took long enough to tell the speed of the CPU was remembered.
    if kernels.exists() {
        std::fs::remove_file(&kernels).expect("removed");
    }
    pipe(&kernels);
    let output = ends(at, &["check", "job.toml", "--backend", "cpu"]);
    assert!(output.status.success(), "{}", said(&output));
    says(&said(&output), &["kernels.json is ignored: it is a pipe"]);
}

#[test]
fn an_obstacle_to_a_result_is_named() {
    let folder = folder();
    let at = folder.path();
    job(at, "");
    for name in ["link", "link.npy", "link.png"] {
        std::os::unix::fs::symlink("none/where", at.join(name)).expect("a link");
    }
    refused(
        at,
        &["shot", "job.toml", "--backend", "cpu", "--out", "link"],
        &["cannot write to link", "--out"],
    );
    refused(
        at,
        &["model", "build", "layers", "--out", "link.npy"],
        &["link.npy is there already", "--force"],
    );
    let plot = ["model", "plot", "builtin:layers", "--out", "link.png"];
    refused(at, &plot, &["link.png is there already", "--force"]);
    done(at, &[&plot[..], &["--force"]].concat());
    assert!(at.join("link.png").symlink_metadata().is_ok_and(|entry| entry.is_file()));
    let long = format!("{}.npy", "m".repeat(300));
    refused(
        at,
        &["model", "build", "layers", "--out", &long],
        &["cannot write", "give a shorter name"],
    );
    refused(
        at,
        &["model", "build", "layers", "--out", "job.toml/m.npy"],
        &["cannot write", "File exists"],
    );
}
