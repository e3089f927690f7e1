//! The journal of a survey, and the pieces of files that it lists.
#![no_main]

use huygens::io::{dir::Dir, journal};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use tempfile::TempDir;

/// The folder that it lies in.
static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a place for temporary files");
    std::fs::write(folder.path().join("gathers.sgy"), [7; 1000]).expect("written");
    folder
});

fuzz_target!(|bytes: &[u8]| {
    std::fs::write(FOLDER.path().join("journal.jsonl"), bytes).expect("written");
    let folder = Dir::open(FOLDER.path()).expect("it is there");
    if let Ok(journal::Contents { done, .. }) = journal::read(&folder) {
        for done in &done {
            assert!(done.shot > 0 && done.count > 0 && done.shot.checked_add(done.count).is_some());
        }
        journal::whole(&folder, done);
    }
});
