//! What is done with a file of traces, whatever its headers: read as traces, as a model, as gathers, and for what it
//! holds.

use huygens::io::segy::{LengthUnit, Reader, SegyError, contents, read_gathers, read_model};
use std::io::Cursor;

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
}
