//! NumPy arrays.
#![no_main]

use huygens::io::npy;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(array) = npy::parse::<f64>("a.npy", bytes) {
        assert!(4 * array.len() < bytes.len());
    }
});
