//! What is done with a file of traces, whatever its headers: read as traces, as a model, as gathers, and for what it
//! holds, and copied.

use huygens::io::segy::{
    CopySpec, LengthUnit, Reader, SegyError, contents, copy, copy_su, read_gathers, read_model,
};
use std::io::{Cursor, sink};

/// Reads bytes in each way, opened anew.
pub fn read<'b>(
    bytes: &'b [u8],
    open: fn(Cursor<&'b [u8]>) -> Result<Reader<Cursor<&'b [u8]>>, SegyError>,
) {
    let open = || open(Cursor::new(bytes));
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
    let spec = || CopySpec { unit, ..CopySpec::default() };
    let _ = open().map(|mut reader| copy(&mut reader, sink(), spec()).map(|_| ()));
    let _ = open().map(|mut reader| copy_su(&mut reader, sink(), spec()).map(|_| ()));
}
