//! Gathers as arrays, in NumPy archives and HDF5 files.
#![no_main]

use huygens::io::gather_arrays::{parse_hdf5, parse_npz};
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    let both = [parse_npz("g.npz", Cursor::new(bytes)), parse_hdf5("g.h5", Cursor::new(bytes.to_vec()))];
    for gather in both.into_iter().flatten().flatten() {
        assert_eq!(gather.receivers.len(), gather.traces.nrows());
        assert!(gather.interval > 0.0 && gather.start.is_finite());
    }
});
