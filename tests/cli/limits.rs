//! A full disk and a small memory: an error that says what helps, and nothing left behind. Both are
//! limits of a shell here.
#![cfg(target_os = "linux")]

use crate::{
    run::{SMALL, exits, folder, names, said, says, with_job},
    survey::SURVEY,
};
use std::{
    fs::File,
    io::Write,
    path::Path,
    process::{Command, Output},
};

/// `huygens ARGUMENTS` under what a shell does before.
pub fn under(limit: &str, folder: &Path, arguments: &[&str]) -> Output {
    let script = format!("{limit} && exec \"$0\" \"$@\"");
    Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_huygens")])
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env_remove("RUST_LOG")
        .output()
        .expect("there is a sh")
}

/// Files of at most 1 KiB; what would be longer is an error, not the end of the process.
const FULL: &str = "ulimit -f 2";

#[test]
fn a_full_disk_is_a_run_that_failed_and_leaves_nothing() {
    let folder = with_job(SMALL);
    let at = folder.path();
    for arguments in [
        &["shot", "job.toml", "--backend", "cpu", "--out", "a/b"] as &[&str],
        &["zero-offset", "job.toml", "--backend", "cpu", "--out", "a/b"],
        &["check", "job.toml", "--backend", "cpu", "--out", "a/b"],
        &["model", "build", "layers", "--out", "a/b/m.npy"],
        &["model", "build", "layers", "--out", "a/b/m.sgy"],
        &["model", "build", "layers", "--out", "a/b/m.rsf", "--data-beside"],
        &["model", "plot", "builtin:layers", "--out", "a/b/m.png"],
        &["job", "schema", "a/b/schema.json"],
        &["man", "--out", "a/b"],
    ] {
        let output = under(FULL, at, arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", said(&output));
        says(&said(&output), &["cannot write", "a/b", "File too large", "another"]);
        assert_eq!(names(at), ["job.toml"], "{arguments:?} leaves nothing");
    }
}

#[test]
fn a_disk_that_fills_up_keeps_the_shots_that_are_done() {
    let folder = with_job(SURVEY);
    let at = folder.path();
    let shot = ["shot", "job.toml", "--backend", "cpu", "--no-pictures"];
    // Half of what the traces take: 128 KiB.
    let output = under("ulimit -f 256", at, &shot);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let parts =
        ["gathers.sgy", "File too large", "of 12 shots are done", "resume it with --resume"];
    says(&said(&output), &parts);
    for more in [&["--resume"] as &[&str], &["--out", "whole"]] {
        let output = under(":", at, &[&shot, more].concat());
        assert!(output.status.success(), "{more:?}: {}", said(&output));
    }
    let [resumed, whole] =
        ["out", "whole"].map(|out| std::fs::read(at.join(out).join("gathers.sgy")).expect("it"));
    assert!(resumed == whole);
}

/// A sparse file with these first bytes and this length: the disk stores only what is written.
fn sparse(path: &Path, start: &[u8], length: u64) -> bool {
    let mut file = File::create(path).expect("a place");
    file.write_all(start).expect("written");
    let long = file.set_len(length).is_ok();
    if !long {
        println!("NOT RUN: this disk holds no file of {length} bytes");
    }
    long
}

/// Room for the program, its threads and an array of 384 MiB.
const ROOM: &str = "ulimit -v 900000";

/// As far as the system's linker has room to start the program at all, it says what it lacks.
#[test]
fn a_limit_of_addresses_leaves_room_or_is_named() {
    let folder = with_job(SMALL);
    let at = folder.path();
    let run = ["shot", "job.toml", "--backend", "cpu", "--no-pictures", "--force"];
    let mut ran = false;
    for kilobytes in [60_000, 80_000, 100_000, 120_000, 140_000, 180_000, 240_000, 400_000] {
        let output = under(&format!("export RAYON_NUM_THREADS=2; ulimit -v {kilobytes}"), at, &run);
        match output.status.code() {
            Some(0) => ran = true,
            Some(2) => says(&said(&output), &["limit of addresses (ulimit -v) leaves", "raise"]),
            code => panic!("{kilobytes} KB: {code:?}, {}", said(&output)),
        }
        assert!(output.status.success() || !ran, "{kilobytes} KB do not do, and fewer did");
    }
    assert!(ran);
}

/// The header of an array of f32.
fn npy(nx: u64, nz: u64) -> Vec<u8> {
    let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({nx}, {nz}), }}");
    let text = format!("{text:117}\n");
    [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat()
}

#[test]
fn an_array_is_in_memory_once() {
    let folder = folder();
    let at = folder.path();
    let (nx, nz) = (8192, 12_288);
    if !sparse(&at.join("m.npy"), &npy(nx, nz), 128 + 4 * nx * nz) {
        return;
    }
    let output = under(ROOM, at, &["model", "info", "m.npy"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("[8192, 12288]"));
}

#[test]
fn jobs_larger_than_the_memory_are_refused() {
    let folder = folder();
    let at = folder.path();
    let (nx, nz) = (16_384, 16_384);
    let size = 4 * nx * nz;
    let raw = ["--axes", "xz", "--nodes", "z=16384,x=16384"];
    let text = format!("n1={nz} n2={nx} in=data@\n");
    // A trace of all samples in a file of revision 2, which counts them in four bytes.
    let mut segy = vec![0; 3600 + 240];
    segy[3224..3226].copy_from_slice(&5i16.to_be_bytes());
    segy[3268..3272].copy_from_slice(&((nx * nz) as u32).to_be_bytes());
    segy[3500] = 2;
    let there = [
        sparse(&at.join("m.npy"), &npy(nx, nz), 128 + size),
        sparse(&at.join("m.bin"), b"", size),
        sparse(&at.join("m.rsf"), text.as_bytes(), text.len() as u64),
        sparse(&at.join("data@"), b"", size),
        sparse(&at.join("m.sgy"), &segy, 3840 + size),
    ];
    if there.contains(&false) {
        return;
    }
    for (file, flags) in
        [("m.npy", &[] as &[&str]), ("m.bin", &raw), ("m.rsf", &[]), ("m.sgy", &[])]
    {
        let output = under(ROOM, at, &[&["model", "info", file], flags].concat());
        assert_eq!(output.status.code(), Some(2), "{file}: {}", said(&output));
        says(&said(&output), &[file, "larger than the memory", "ulimit -v", "smaller file"]);
        assert!(!said(&output).contains("permissions"), "{}", said(&output));
    }
    let capped = ["model", "info", "m.npy", "--max-memory", "0.5"];
    says(&said(&exits(2, at, &capped)), &["larger than the memory", "a limit of this run"]);
    // More than any machine has, and more than a model may have.
    let terabytes = ["--axes", "xz", "--nodes", "z=1000000,x=1000000"];
    if !sparse(&at.join("m.bin"), b"", 4 * 1_000_000 * 1_000_000) {
        return;
    }
    let output =
        under("ulimit -v 4000000", at, &[&["model", "info", "m.bin"], &terabytes[..]].concat());
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    says(&said(&output), &["1000000 x 1000000 nodes", "3725.3 GiB", "at most 68719476736 nodes"]);
}

#[test]
fn a_simulation_that_a_limit_does_not_hold_is_refused_wherever_it_is_passed() {
    let folder = folder();
    let at = folder.path();
    let job = r#"
[model]
velocity = "builtin:layers"
nodes = { z = 200, x = 200, y = 200 }
spacing = 10.0
[time]
duration = 0.003
step = 0.001
[[source]]
at = { x = 100.0, y = 100.0, z = 100.0 }
wavelet = { kind = "ricker", peak_hz = 15.0, delay = 0.001 }
[receivers]
line = { from = { x = 0.0, y = 0.0, z = 20.0 }, to = { x = 500.0, y = 0.0, z = 20.0 }, count = 5 }
"#;
    std::fs::write(at.join("job.toml"), job).expect("written");
    let mut refused = 0;
    // Passed by the model, by that with its layers, and by the arrays of the engine.
    for kib in (120_000..=600_000).step_by(60_000) {
        let shot = ["shot", "job.toml", "--backend", "cpu", "--out", "out", "--force"];
        let output = under(&format!("ulimit -v {kib}"), at, &shot);
        let said = said(&output);
        match output.status.code() {
            Some(0) => (),
            Some(2) => {
                refused += 1;
                assert!(said.contains("ulimit -v") || said.contains("memory"), "{kib}: {said}");
            }
            code => panic!("{kib}: {code:?}: {said}"),
        }
    }
    assert!(refused > 2, "{refused}");
}
