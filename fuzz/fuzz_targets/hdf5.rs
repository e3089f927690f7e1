//! HDF5 files, the only array or one of a name.
#![no_main]

use huygens::io::hdf5;
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    for name in [None, Some("vp")] {
        if let Ok(read) = hdf5::parse("a.h5", Cursor::new(bytes.to_vec()), name) {
            assert!(4 * read.values.len() <= 1032 * bytes.len() + (1 << 16));
        }
    }
});
