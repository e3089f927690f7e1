//! NumPy archives, the only array or one of a name.
#![no_main]

use huygens::io::npz;
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    for name in [None, Some("vp")] {
        let _ = npz::parse::<f64>("a.npz", Cursor::new(bytes), name);
    }
});
