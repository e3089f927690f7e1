//! Reasons why a SEG-Y file was not read or written. Messages name the field and its bytes, but no
//! path: the caller knows it.

use super::{field::Place, grid::Irregular, sample::Format};
use crate::io::access::remedy;
use std::io;

/// Reasons why a SEG-Y file was not read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SegyError {
    /// The file cannot be read.
    #[error("it cannot be read: {0}; {remedy}", remedy = remedy(.0))]
    Read(io::Error),
    /// The file cannot be written.
    #[error("it cannot be written: {0}; {remedy}", remedy = remedy(.0))]
    Write(io::Error),
    /// The file is shorter than its headers.
    #[error(
        "it has {length} bytes, and the headers of a SEG-Y file take 3600; it is cut or no SEG-Y file"
    )]
    Short {
        /// Bytes of the file.
        length: u64,
    },
    /// The sample format is invalid in either byte order.
    #[error(
        "{field} say {big}, or {little} with the bytes swapped, and neither is a sample format (1 to 16); it is no \
         SEG-Y file, or its binary header is broken"
    )]
    ByteOrder {
        /// The field.
        field: Place,
        /// Its value, most significant byte first.
        big: i16,
        /// Its value, least significant byte first.
        little: i16,
    },
    /// Neither byte order, but pairs of bytes swapped.
    #[error("{field} say that pairs of bytes are swapped, which is not read; swap them back first")]
    PairsSwapped {
        /// The field.
        field: Place,
    },
    /// An unsupported sample format.
    #[error(
        "{field} say {code}, a sample format that is not read; convert the samples to IEEE floating point (5) first. \
         1 to 3, 5 to 12, 15 and 16 are read"
    )]
    Format {
        /// The field.
        field: Place,
        /// Its value.
        code: i64,
    },
    /// An invalid number.
    #[error("{field} say {value}; {wanted}")]
    Value {
        /// The field.
        field: Place,
        /// Its value.
        value: f64,
        /// The requirement.
        wanted: &'static str,
    },
    /// Textual headers without an end.
    #[error(
        "{field} say that a stanza ((SEG: EndText)) ends the textual headers, and there is none up to the file's end"
    )]
    NoEndText {
        /// The field.
        field: Place,
    },
    /// There is no room for a trace.
    #[error("the file ends at byte {length}, and traces start at byte {start}: there is none")]
    NoTraces {
        /// Offset of the first one.
        start: u64,
        /// Bytes of the file.
        length: u64,
    },
    /// The file's length is not a whole number of traces.
    #[error(
        "{data} bytes of traces are {whole} traces of {trace} bytes and {rest} bytes more; {field} say {binary} samples \
         a trace, and {own_field} say {own} in the first trace. The file is cut, or the number of samples is wrong"
    )]
    Length {
        /// Bytes after the headers.
        data: u64,
        /// The binary header's number of samples.
        binary: u64,
        /// Its field.
        field: Place,
        /// Whole traces.
        whole: u64,
        /// Bytes of a trace.
        trace: u64,
        /// Remaining bytes.
        rest: u64,
        /// The first trace header's number of samples.
        own: u64,
        /// Its field.
        own_field: Place,
    },
    /// Two numbers of samples fit the length of the file.
    #[error(
        "{field} say {binary} samples, and {own_field} say {own}: the file's length fits both. Set the wrong one \
         right, or {flag} to 1 where all traces have as many as the former says"
    )]
    Ambiguous {
        /// The binary header's number of samples.
        binary: u64,
        /// Its field.
        field: Place,
        /// The first trace header's number of samples.
        own: u64,
        /// Its field.
        own_field: Place,
        /// The field that would decide.
        flag: Place,
    },
    /// More traces than the file has room for.
    #[error(
        "{field} say {said} traces, and the file's length has {found}; it is cut, or the field is wrong"
    )]
    TraceCount {
        /// The field.
        field: Place,
        /// Its value.
        said: u64,
        /// Traces by the file's length.
        found: u64,
    },
    /// A trace outside the file.
    #[error("trace {} was asked for, and the file has {traces}", .trace + 1)]
    NoSuchTrace {
        /// Its index, from 0.
        trace: u64,
        /// Traces of the file.
        traces: u64,
    },
    /// An error in a trace's header.
    #[error("trace {}: {error}", .trace + 1)]
    Trace {
        /// Its index, from 0.
        trace: u64,
        /// The error.
        error: Box<SegyError>,
    },
    /// The file does not name metres or feet.
    #[error("{field} say {value}, which is neither 1 (metres) nor 2 (feet); say which it is")]
    Unit {
        /// The field.
        field: Place,
        /// Its value.
        value: i64,
    },
    /// Traces that are not a regular grid.
    #[error("{0}")]
    Irregular(#[from] Irregular),
    /// The file is shorter than a trace of Seismic Unix.
    #[error(
        "it has {length} bytes, and a trace of Seismic Unix takes 244 or more; it is cut or no file of Seismic Unix"
    )]
    SuShort {
        /// Bytes of the file.
        length: u64,
    },
    /// Seismic Unix has no field for metres or feet.
    #[error(
        "a file of Seismic Unix does not say whether its lengths are metres or feet; say which it is"
    )]
    SuUnit,
    /// The length of a file of Seismic Unix is not a whole number of traces, in either byte order.
    #[error(
        "it has {length} bytes, which are no whole traces of Seismic Unix: {field} of the first trace say {big} samples, or \
         {little} with the bytes swapped. The file is cut, or no file of Seismic Unix"
    )]
    SuLength {
        /// Bytes of the file.
        length: u64,
        /// The field of the number of samples.
        field: Place,
        /// Most significant byte first.
        big: u64,
        /// Least significant byte first.
        little: u64,
    },
    /// A trace of Seismic Unix with another number of samples than the first.
    #[error(
        "{field} of trace {} say {own} samples, and the first trace has {first}; traces of different lengths are not \
         read, or the file is broken",
        .trace + 1
    )]
    OtherLength {
        /// Its index, from 0.
        trace: u64,
        /// The field.
        field: Place,
        /// Its samples.
        own: u64,
        /// Those of the first.
        first: u64,
    },
    /// A value that Seismic Unix cannot store.
    #[error("{what} {value} does not fit into a file of Seismic Unix; write SEG-Y")]
    Su {
        /// Its name.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A sample format other than that of Seismic Unix.
    #[error(
        "samples of Seismic Unix are IEEE floats of 4 bytes, and {format:?} was asked for; write SEG-Y"
    )]
    SuFormat {
        /// The format.
        format: Format,
    },
    /// No header has a sample interval.
    #[error(
        "{field} say 0, and so does the first trace's header; the sample interval must be given"
    )]
    NoInterval {
        /// The field.
        field: Place,
    },
    /// A number that does not fit its field.
    #[error("{field} have no room for {value}")]
    TooLarge {
        /// The field.
        field: Place,
        /// The number.
        value: i64,
    },
    /// A value that revision 1 cannot store.
    #[error("{what} {value} does not fit into revision 1; write revision 2")]
    Revision1 {
        /// Its name.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A format that revision 1 does not have.
    #[error("revision 1 has no sample format {} ({format:?}); write revision 2", format.code())]
    FormatOfRevision2 {
        /// The format.
        format: Format,
    },
    /// A trace's header in the other byte order.
    #[error(
        "the header of trace {} is in the other byte order than the file; take one from the writer",
        .trace + 1
    )]
    HeaderOrder {
        /// Its index, from 0.
        trace: u64,
    },
    /// A trace with another number of samples than the file.
    #[error("trace {} has {samples} samples, and the file {wanted} a trace", .trace + 1)]
    TraceLength {
        /// Its index, from 0.
        trace: u64,
        /// Its samples.
        samples: usize,
        /// Those of the file.
        wanted: usize,
    },
    /// A sample that the format cannot represent.
    #[error(
        "sample {} of trace {} is {value}, which the sample format {format:?} does not have",
        .sample + 1,
        .trace + 1
    )]
    Sample {
        /// Index of the trace, from 0.
        trace: u64,
        /// Index of the sample, from 0.
        sample: usize,
        /// The sample.
        value: f64,
        /// The format.
        format: Format,
    },
    /// An invalid setting.
    #[error("{what} is {value}; {wanted}")]
    Given {
        /// Its name.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The requirement.
        wanted: &'static str,
    },
}

impl SegyError {
    /// Adds the index of the trace.
    pub(super) fn of_trace(self, trace: u64) -> Self {
        SegyError::Trace { trace, error: Box::new(self) }
    }
}
