//! Seismic Unix.
#![no_main]

mod traces;

use huygens::io::segy::{Reader, ReaderOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| traces::read(bytes, |source| Reader::new(source, ReaderOptions::su())));
