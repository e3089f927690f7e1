//! Outputs when the power fails, the disk is full or read-only, a run is killed or races another, and
//! what a job can reach.

mod disk;
mod kills;
mod power;
mod races;
mod reach;
mod strace;

use crate::survey::SURVEY;
use std::{collections::BTreeMap, fs, path::Path};

/// A survey of some shots that takes a moment.
fn brief(shots: usize) -> String {
    SURVEY
        .replace("duration = 0.4", "duration = 0.02")
        .replace("x = 120.0 }, count = 12", &format!("x = {}.0 }}, count = {shots}", 1200 / shots))
}

/// A migration of it.
fn migration(shots: usize) -> String {
    brief(shots) + "[rtm]\nsmooth = 80.0\n"
}

/// The files below a folder that are the same in every run of a job: a record has its times.
fn same(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        match entry.path().is_dir() {
            true => files
                .extend(same(&entry.path()).into_iter().map(|(k, v)| (format!("{name}/{k}"), v))),
            false if ["run.json", "focus.json"].contains(&&*name) => (),
            false => drop(files.insert(name, fs::read(entry.path()).expect("a file"))),
        }
    }
    files
}
