//! RSF, header and data in one file. The reader takes a path: the data may be elsewhere.
#![no_main]

use huygens::io::model_file::{ModelFile, ReadOptions};
use libfuzzer_sys::fuzz_target;
use std::{path::PathBuf, sync::LazyLock};

/// The file that is written over and over.
static FILE: LazyLock<PathBuf> = LazyLock::new(|| {
    let name = format!("huygens-fuzz-{}.rsf", std::process::id());
    std::env::temp_dir().join(name)
});

fuzz_target!(|bytes: &[u8]| {
    std::fs::write(&*FILE, bytes).expect("a place for temporary files");
    if let Ok(file) = ModelFile::open(&FILE, ReadOptions::default()) {
        let _ = file.order(None).map(|order| file.spacing(&order).map(|_| ()));
    }
});
