//! Seismic Unix: as traces, as a model, as gathers, and what it holds.
#![no_main]

use huygens::io::segy::{LengthUnit, Reader, contents, read_gathers, read_model};
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    let open = || Reader::su(Cursor::new(bytes));
    let Ok(mut reader) = open() else { return };
    let layout = *reader.layout();
    assert!(layout.traces.saturating_mul(layout.stride()) <= bytes.len() as u64);
    while let Ok(Some(trace)) = reader.next_trace() {
        assert_eq!(trace.samples.len(), layout.samples);
    }
    let unit = Some(LengthUnit::Metre);
    let _ = open().map(|mut reader| read_model(&mut reader, unit).map(|_| ()));
    let _ = open().map(|mut reader| read_gathers(&mut reader, unit).map(|_| ()));
    let _ = open().map(|mut reader| contents(&mut reader).map(|_| ()));
});
