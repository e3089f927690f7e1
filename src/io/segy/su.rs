//! Seismic Unix: traces with the header of SEG-Y, in f32 and the byte order of some machine,
//! without file headers.
//!
//! *Cohen and Stockwell, CWP/SU: Seismic Un*x, Center for Wave Phenomena, Colorado School of Mines;
//! its `segy.h`.*

use super::{
    ByteOrder, Field, Layout, Overrides, SegyError, TRACE, TraceHeader, Warning,
    layout::in_milliseconds,
    reader::{Start, read_at},
    sample::Format,
    trace,
};
use std::io::{Read, Seek, SeekFrom};

/// Trace identification of depth traces: today's, and the old one.
pub(super) const DEPTH: [i64; 2] = [130, 30];

/// Numbers that are small in most files, by which the byte order is detected.
const SMALL: [Field<TRACE>; 14] = [
    trace::IN_LINE,
    trace::IN_FILE,
    trace::RECORD,
    trace::IN_RECORD,
    trace::SOURCE_POINT,
    trace::ENSEMBLE,
    trace::IN_ENSEMBLE,
    trace::IDENTIFICATION,
    trace::OFFSET,
    trace::RECEIVER_ELEVATION,
    trace::SOURCE_DEPTH,
    trace::SOURCE_X,
    trace::RECEIVER_X,
    trace::INTERVAL,
];

/// Bits used by the numbers of a header.
fn bits(header: &TraceHeader) -> u32 {
    SMALL.iter().map(|field| 64 - header.get(*field).unsigned_abs().leading_zeros()).sum()
}

fn trace_bytes(samples: u64) -> u64 {
    TRACE as u64 + 4 * samples
}

/// Reads the first trace's header of a file of Seismic Unix. Its byte order is that in which
/// the file is a whole number of traces; if both are, the one in which the header's numbers are
/// smaller.
pub(super) fn start<R: Read + Seek>(
    source: &mut R,
    overrides: Overrides,
) -> Result<Start, SegyError> {
    if let Some(code) = overrides.format {
        let wanted = "samples of Seismic Unix are IEEE floats: leave it out";
        return Err(SegyError::Given { what: "format", value: code.into(), wanted });
    }
    let length = source.seek(SeekFrom::End(0)).map_err(SegyError::Read)?;
    if length <= TRACE as u64 {
        return Err(SegyError::SuShort { length });
    }
    let mut bytes = [0; TRACE];
    read_at(source, 0, &mut bytes)?;
    let in_order = |order| TraceHeader::from_bytes(bytes, order);
    let (little, big) = (in_order(ByteOrder::Little), in_order(ByteOrder::Big));
    let samples = |header: &TraceHeader| header.get(trace::SAMPLES) as u64;
    let fits = |header: &TraceHeader| {
        let samples = samples(header);
        samples > 0 && length.is_multiple_of(trace_bytes(samples))
    };
    let mut warnings = Vec::new();
    let header = match (fits(&little), fits(&big)) {
        (true, false) => little,
        (false, true) => big,
        (true, true) => {
            if bits(&little) == bits(&big) {
                warnings.push(Warning::ByteOrder { field: trace::SAMPLES.place() });
            }
            if bits(&little) <= bits(&big) { little } else { big }
        }
        (false, false) => {
            let (field, big, little) = (trace::SAMPLES.place(), samples(&big), samples(&little));
            return Err(SegyError::SuLength { length, field, big, little });
        }
    };
    let samples = samples(&header);
    let (interval, field) = (header.float(trace::INTERVAL), trace::INTERVAL.place());
    match interval {
        0.0 => warnings.push(Warning::NoInterval { field }),
        interval => warnings.extend(in_milliseconds(field, interval)),
    }
    let layout = Layout {
        // Seismic Unix uses none of the later revisions' fields.
        revision: 0,
        format: Format::F32,
        samples: samples as usize,
        traces: length / trace_bytes(samples),
        interval: Some(interval).filter(|interval| *interval != 0.0),
        unit: None,
        extended_texts: 0,
        start: 0,
        header_bytes: TRACE as u64,
    };
    Ok(Start { texts: Vec::new(), order: header.order(), binary: None, layout, warnings })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segy::{Reader, ReaderOptions};
    use std::io::Cursor;

    fn su(bytes: Vec<u8>) -> Result<Reader<Cursor<Vec<u8>>>, SegyError> {
        Reader::new(Cursor::new(bytes), ReaderOptions::su())
    }

    /// Two traces of `samples` samples, all else 0 except the trace numbers.
    fn file(order: ByteOrder, samples: usize, numbered: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in 1..3 {
            let mut header = TraceHeader::new(order);
            header.set(trace::SAMPLES, samples as i64).expect("fits");
            // As many bits in either order.
            header.set(trace::INTERVAL, 0x0101).expect("fits");
            if numbered {
                header.set(trace::IN_LINE, number).expect("fits");
            }
            bytes.extend_from_slice(header.bytes());
            for _ in 0..samples {
                Format::F32.encode(order, 1.5, &mut bytes).expect("a float");
            }
        }
        bytes
    }

    #[test]
    fn the_byte_order_gives_whole_traces_and_small_numbers() {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            // 257 does not change with its bytes swapped.
            for samples in [5, 256, 257, 65535] {
                let mut reader = su(file(order, samples, true)).expect("whole");
                assert_eq!((reader.order(), reader.warnings()), (order, [].as_slice()));
                assert_eq!((reader.layout().samples, reader.layout().traces), (samples, 2));
                assert!(reader.is_su());
                let trace = reader.trace(1).expect("there");
                assert!(trace.samples.iter().all(|sample| *sample == 1.5));
            }
            let doubtful = su(file(order, 257, false)).expect("whole");
            assert!(matches!(doubtful.warnings(), [Warning::ByteOrder { .. }]));
        }
    }

    #[test]
    fn a_trace_of_another_length_is_refused() {
        let mut bytes = file(ByteOrder::Little, 7, true);
        bytes[240 + 28 + 114] = 6;
        let mut reader = su(bytes).expect("whole by its length");
        assert!(reader.next_trace().is_ok());
        let said = reader.next_trace().expect_err("6 samples").to_string();
        assert!(said.contains("bytes 115-116") && said.contains("trace 2 say 6"), "{said}");
    }
}
