//! Job files, as far as they name no other file.
#![no_main]

use huygens::job::{JobError, JobFile};
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;

/// Nodes of the largest model that is made.
const MOST: f64 = 1e5;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut job = match JobFile::parse("a job", text, PathBuf::new()) {
        Ok(job) => job,
        // Where it is wrong.
        Err(JobError::Mistake(mistake)) => return drop(format!("{:?}", mistake)),
        Err(other) => panic!("it names no file: {other}"),
    };
    let model = &job.job.model;
    let nodes = |n: huygens::grid::PerAxis<usize>| n.z as f64 * n.x as f64 * n.y.unwrap_or(1) as f64;
    let is_built_in = model.velocity.as_ref().is_some_and(|name| name.starts_with("builtin:"));
    if is_built_in && model.nodes.is_some_and(|n| nodes(n) < MOST) && !text.contains("file") {
        job.forced = true;
        let _ = job.inputs();
    }
});
