//! The state of a run. The reader takes a path.
#![no_main]

use huygens::engine::State;
use libfuzzer_sys::fuzz_target;
use std::{path::PathBuf, sync::LazyLock};

/// The file that is written over and over.
static FILE: LazyLock<PathBuf> = LazyLock::new(|| {
    let name = format!("huygens-fuzz-{}.npz", std::process::id());
    std::env::temp_dir().join(name)
});

fuzz_target!(|bytes: &[u8]| {
    std::fs::write(&*FILE, bytes).expect("a place for temporary files");
    let _ = State::read(&FILE);
});
