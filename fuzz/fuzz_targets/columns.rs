//! Columns of numbers, the text of wavelets.
#![no_main]

use huygens::io::columns;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(columns) = columns::parse("w.txt", bytes) {
        assert!(!columns.values.is_empty() && columns.values.iter().all(|v| v.is_finite()));
    }
});
