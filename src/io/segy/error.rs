//! Reasons why a SEG-Y file was not read or written. Messages name the field and its bytes, but no
//! path: the caller knows it.

use super::{
    field::Place,
    grid::Irregular,
    remedy::{INTERVAL, LENGTH_UNIT, SEGY_FIELDS},
    sample::Format,
};
use crate::access::remedy;
use std::io;

/// Reasons why a SEG-Y file was not read or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum SegyError {
    #[error("it cannot be read: {}; {}", .0, remedy(.0))]
    Read(io::Error),
    #[error("it is packed by gzip, and {}; unpack it with gunzip, and give what comes out", .0)]
    Packed(io::Error),
    #[error("it cannot be written: {}; {}", .0, remedy(.0))]
    Write(io::Error),
    #[error(
        "it has {length} bytes, and the headers of a SEG-Y file take 3600; it is cut or no SEG-Y file"
    )]
    Short { length: u64 },
    #[error(
        "{field} say {big}, or {little} with the bytes swapped, and neither is a sample format (1 to 16); it is no \
         SEG-Y file, or its binary header is broken"
    )]
    ByteOrder { field: Place, big: i16, little: i16 },
    #[error("{field} say that pairs of bytes are swapped, which is not read; swap them back first")]
    PairsSwapped { field: Place },
    #[error(
        "{field} say {code}, a sample format that is not read; convert the samples to IEEE floating point (5) first. \
         1 to 3, 5 to 12, 15 and 16 are read"
    )]
    Format { field: Place, code: i64 },
    /// Coordinates that are no lengths.
    #[error(
        "{field} say {value}: the coordinates are {what}; project them to metres or feet first, or if they are \
         lengths, set gather.coordinates = \"lengths\""
    )]
    Angles { field: Place, value: i64, what: &'static str },
    #[error("{field} say {value}; {wanted}")]
    Value { field: Place, value: f64, wanted: &'static str },
    #[error(
        "{field} say that a stanza ((SEG: EndText)) ends the textual headers, and there is none up to the file's end"
    )]
    NoEndText { field: Place },
    #[error("the file ends at byte {length}, and traces start at byte {start}: there is none")]
    NoTraces { start: u64, length: u64 },
    #[error(
        "{data} bytes of traces are {whole} traces of {trace} bytes and {rest} bytes more; {field} say {binary} samples \
         a trace, and {own_field} say {own} in the first trace. The file is cut, or the number of samples is wrong"
    )]
    Length {
        data: u64,
        binary: u64,
        field: Place,
        whole: u64,
        trace: u64,
        rest: u64,
        own: u64,
        own_field: Place,
    },
    #[error(
        "{field} say {binary} samples, and {own_field} say {own}: the file's length fits both. Set the wrong one \
         right, or {flag} to 1 where all traces have as many as the former says"
    )]
    Ambiguous { binary: u64, field: Place, own: u64, own_field: Place, flag: Place },
    #[error(
        "{field} say {said} traces, and the file's length has {found}; it is cut, or the field is wrong"
    )]
    TraceCount { field: Place, said: u64, found: u64 },
    #[error("trace {} was asked for, and the file has {traces}", .trace + 1)]
    NoSuchTrace { trace: u64, traces: u64 },
    #[error("trace {}: {error}", .trace + 1)]
    Trace { trace: u64, error: Box<SegyError> },
    #[error("{field} say {value}, which is neither 1 (metres) nor 2 (feet); {LENGTH_UNIT}")]
    Unit { field: Place, value: i64 },
    #[error("{}; {SEGY_FIELDS}", .0)]
    Irregular(#[from] Irregular),
    #[error(
        "{field} say {own}, and those of trace 1 say {first}: the columns of a model start at one depth; correct the \
         headers, or pad the columns"
    )]
    OtherTop { field: Place, own: f64, first: f64 },
    #[error(
        "it has {length} bytes, and a trace of Seismic Unix takes 244 or more; it is cut or no file of Seismic Unix"
    )]
    SuShort { length: u64 },
    #[error(
        "a file of Seismic Unix does not say whether its lengths are metres or feet; {LENGTH_UNIT}"
    )]
    SuUnit,
    #[error(
        "it has {length} bytes, which are no whole traces of Seismic Unix: {field} of the first trace say {big} samples, or \
         {little} with the bytes swapped. The file is cut, or no file of Seismic Unix"
    )]
    SuLength { length: u64, field: Place, big: u64, little: u64 },
    #[error(
        "{field} of trace {} say {own} samples, and the first trace has {first}; traces of different lengths are not \
         read, or the file is broken",
        .trace + 1
    )]
    OtherLength { trace: u64, field: Place, own: u64, first: u64 },
    #[error("{what} {value} does not fit into a file of Seismic Unix; write SEG-Y")]
    Su { what: &'static str, value: f64 },
    #[error(
        "samples of Seismic Unix are IEEE floats of 4 bytes, and {format:?} was asked for; write SEG-Y"
    )]
    SuFormat { format: Format },
    #[error("{field} say 0, and so does the first trace's header; {INTERVAL}")]
    NoInterval { field: Place },
    #[error("{field} have no room for {value}")]
    TooLarge { field: Place, value: i64 },
    #[error("{what} {value} does not fit into revision 1; write revision 2")]
    Revision1 { what: &'static str, value: f64 },
    #[error("revision 1 has no sample format {} ({format:?}); write revision 2", format.code())]
    FormatOfRevision2 { format: Format },
    #[error(
        "the header of trace {} is in the other byte order than the file; take one from the writer",
        .trace + 1
    )]
    HeaderOrder { trace: u64 },
    #[error("trace {} has {samples} samples, and the file {wanted} a trace", .trace + 1)]
    TraceLength { trace: u64, samples: usize, wanted: usize },
    #[error(
        "sample {} of trace {} is {value}, which the sample format {format:?} does not have",
        .sample + 1,
        .trace + 1
    )]
    Sample { trace: u64, sample: usize, value: f64, format: Format },
    #[error("{what} is {value}; {wanted}")]
    Given { what: &'static str, value: f64, wanted: &'static str },
}

impl SegyError {
    pub(super) fn of_trace(self, trace: u64) -> Self {
        SegyError::Trace { trace, error: Box::new(self) }
    }
}
