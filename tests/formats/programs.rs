//! Our files read by the programs of Seismic Unix and Madagascar, where they are installed.

use crate::peers::{SAMPLES, TRACES, gather, value};
use huygens::io::{
    rsf,
    segy::{ByteOrder, Format, Reader, ReaderOptions, read_gathers, write_gather},
};
use ndarray::Array2;
use std::{io::Cursor, path::Path, process::Command};

/// Writes a gather into a folder, and gives what a command line there prints; `None`, and a word,
/// if its program is not installed.
fn printed(program: &str, line: &str, folder: &Path) -> Option<Vec<u8>> {
    let found = Command::new("sh").args(["-c", &format!("command -v {program}")]).output();
    if !found.is_ok_and(|found| found.status.success()) {
        println!("NOT RUN: {program} is not installed");
        return None;
    }
    let traces = Array2::from_shape_fn((TRACES, SAMPLES), |(r, t)| value(r, t));
    let file = write_gather(Vec::new(), traces.view(), gather(Format::Ibm, ByteOrder::Big));
    std::fs::write(folder.join("ours.sgy"), file.expect("written")).expect("kept");
    let ran = Command::new("sh").args(["-c", line]).current_dir(folder).output().expect("it runs");
    assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
    Some(ran.stdout)
}

#[test]
fn segyread_reads_what_we_write_and_we_what_it_writes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let line = "segyread tape=ours.sgy verbose=0 conv=1";
    let Some(traces) = printed("segyread", line, folder.path()) else { return };
    let mut reader =
        Reader::new(Cursor::new(traces), ReaderOptions::su()).expect("traces of Seismic Unix");
    let gathers = read_gathers(&mut reader, None).expect("a gather");
    let ours = gather(Format::Ibm, ByteOrder::Big);
    assert_eq!((gathers[0].source, gathers[0].interval), (ours.shots[0].source, ours.interval));
    assert_eq!(gathers[0].receivers, ours.shots[0].receivers[..]);
    assert!(gathers[0].traces.indexed_iter().all(|((r, t), own)| *own == value(r, t)));
}

#[test]
fn surange_finds_our_headers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let line = "segyread tape=ours.sgy verbose=0 | surange";
    let Some(ranges) = printed("surange", line, folder.path()) else { return };
    let ranges = String::from_utf8_lossy(&ranges).into_owned();
    let of = |key: &str| {
        let line = ranges.lines().find(|line| line.split_whitespace().next() == Some(key));
        line.unwrap_or_else(|| panic!("no {key} in {ranges}")).to_owned()
    };
    assert!(ranges.contains(&format!("{TRACES} traces")), "{ranges}");
    assert!(of("ns").contains(&SAMPLES.to_string()) && of("dt").contains("2000"), "{ranges}");
}

#[test]
fn sfsegyread_reads_what_we_write_and_we_what_it_writes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let line = "sfsegyread tape=ours.sgy tfile=headers.rsf hfile=text bfile=binary > theirs.rsf --out=stdout";
    if printed("sfsegyread", line, folder.path()).is_none() {
        return;
    }
    let theirs = rsf::read(&folder.path().join("theirs.rsf")).expect("an RSF file");
    assert_eq!(theirs.values.shape(), [TRACES, SAMPLES]);
    let all = theirs.values.iter().enumerate();
    assert!(all.clone().all(|(k, own)| *own == value(k / SAMPLES, k % SAMPLES)));
}
