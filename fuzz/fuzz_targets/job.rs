//! Job files, and where their mistakes are.
#![no_main]
#![allow(dead_code, unused_imports)]

mod cli;

use cli::job::JobFile;
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;

fuzz_target!(|text: &str| {
    if let Ok(file) = JobFile::parse("a job", text, PathBuf::new()) {
        for key in ["model.velocity", "source[0].wavelet", "receivers.line", "shot[3].source[1]"] {
            let _ = file.mistake(key, "is wrong");
        }
    }
});
