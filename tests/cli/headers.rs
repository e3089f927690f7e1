//! Contradictory headers of a recording cause a warning, and invalid ones an error, in every
//! command that reads one.

use crate::run::{SMALL, done, exits, said, says, with_job};
use std::path::Path;

/// Offset of the traces in a SEG-Y file.
const TRACES: usize = 3600;
/// Bytes of a trace's header, and of a trace of 201 samples.
const TRACE: (usize, usize) = (240, 240 + 4 * 201);

/// A file of 80 traces with bytes of every trace's header replaced, counted from 1 as the standard
/// does.
fn patched(file: &Path, first: usize, with: &[u8]) -> Vec<u8> {
    let mut bytes = std::fs::read(file).expect("there");
    for trace in bytes[TRACES..].chunks_exact_mut(TRACE.1) {
        trace[..TRACE.0][first - 1..first - 1 + with.len()].copy_from_slice(with);
    }
    bytes
}

/// The small job, what it records in out/ and a section in section/.
fn recorded() -> tempfile::TempDir {
    let folder = with_job(SMALL);
    for (command, out) in [("shot", "out"), ("zero-offset", "section")] {
        let arguments = [command, "job.toml", "--backend", "cpu", "--out", out];
        done(folder.path(), &arguments);
    }
    folder
}

#[test]
fn two_intervals_are_reported() {
    let folder = recorded();
    let at = folder.path();
    for (whole, command, flag) in [
        ("out/gather.sgy", "locate", "--gather"),
        ("section/section.sgy", "zero-offset", "--migrate"),
    ] {
        let arguments = [command, "job.toml", "--backend", "cpu", "--out", "back", "--force", flag];
        let output = done(at, &[&arguments[..], &[whole]].concat());
        assert!(!said(&output).contains("4000"), "{}", said(&output));
        let bytes = patched(&at.join(whole), 117, &4000u16.to_be_bytes());
        std::fs::write(at.join("two.sgy"), bytes).expect("written");
        let output = done(at, &[&arguments[..], &["two.sgy"]].concat());
        let told = [
            "two.sgy: bytes 3217-3218",
            "an interval of 2000",
            "bytes 117-118",
            "say 4000",
            "2000 us are taken",
        ];
        says(&said(&output), &told);
    }
}

#[test]
fn receivers_that_all_stand_at_one_place_are_refused() {
    let folder = recorded();
    let at = folder.path();
    let nowhere = patched(&at.join("out/gather.sgy"), 81, &[0; 8]);
    std::fs::write(at.join("nowhere.sgy"), nowhere).expect("written");
    // Seismic Unix has the same traces, without what comes before them.
    let su = std::fs::read(at.join("nowhere.sgy")).expect("there")[TRACES..].to_vec();
    std::fs::write(at.join("nowhere.su"), su).expect("written");
    for file in ["nowhere.sgy", "nowhere.su"] {
        let arguments = ["locate", "job.toml", "--backend", "cpu", "--gather", file];
        let output = exits(2, at, &arguments);
        let told = [
            file,
            "all of its 80 traces are at x = 0 m, z = 0 m",
            "gather.positions",
            "correct the headers",
        ];
        says(&said(&output), &told);
        assert!(!at.join("located").exists(), "nothing is left behind");
    }
}
