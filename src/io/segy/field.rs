//! The numbers of SEG-Y headers: positions and names. Positions are those of the standard: from 1,
//! in the file for the binary header and in the trace header for traces.

use std::fmt;

/// Bytes of the binary header.
pub const BINARY: usize = 400;
/// Bytes of a trace header.
pub const TRACE: usize = 240;
/// Bytes of the textual header, and of each extended one.
pub const TEXT: usize = 3200;

/// Storage of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Two bytes, signed.
    I16,
    /// Two bytes, unsigned.
    U16,
    /// Four bytes, signed.
    I32,
    /// Four bytes, unsigned.
    U32,
    /// Eight bytes; unsigned in the standard, but no count reaches 2^63.
    I64,
    /// An IEEE float.
    F32,
    /// An IEEE double.
    F64,
}

impl Kind {
    /// Its size, bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Kind::I16 | Kind::U16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::I64 | Kind::F64 => 8,
        }
    }
}

/// A number in a header of `N` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<const N: usize> {
    name: &'static str,
    first: usize,
    kind: Kind,
}

impl<const N: usize> Field<N> {
    /// A number that starts at byte `first` of the standard.
    ///
    /// # Panics
    ///
    /// If it does not lie in the header: at compile time, in a constant.
    pub const fn new(name: &'static str, first: usize, kind: Kind) -> Self {
        assert!(first >= 1 && (first - 1) % TEXT + kind.bytes() <= N, "it lies in the header");
        Field { name, first, kind }
    }

    /// The same number at another byte, with the width that the standard gives a number there, four bytes from 219 on; `None`
    /// outside the header.
    pub(super) fn elsewhere(self, first: u16) -> Option<Self> {
        let first = usize::from(first);
        let kind = match first {
            29..=36 | 69..=72 | 89..=180 | 201..=204 | 209..=218 => Kind::I16,
            _ => Kind::I32,
        };
        let inside = first >= 1 && first - 1 + kind.bytes() <= N;
        inside.then_some(Field { first, kind, ..self })
    }

    /// True if both have a byte in common.
    pub(super) fn overlaps(self, other: Self) -> bool {
        let end = |of: Self| of.first + of.kind.bytes();
        self.first < end(other) && other.first < end(self)
    }

    /// Its storage.
    pub const fn kind(self) -> Kind {
        self.kind
    }

    /// Its offset in its header, from 0.
    pub(super) const fn offset(self) -> usize {
        (self.first - 1) % TEXT
    }

    /// The field without its header's size, for a message.
    pub const fn place(self) -> Place {
        let (first, bytes) = (self.first as u16, self.kind.bytes() as u8);
        Place { name: self.name, first, bytes, of_trace: N == TRACE }
    }
}

/// A field as messages name it: `bytes 3221-3222 (samples a trace)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    name: &'static str,
    first: u16,
    bytes: u8,
    of_trace: bool,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = if self.of_trace { " of the trace header" } else { "" };
        let last = self.first + u16::from(self.bytes) - 1;
        write!(f, "bytes {}-{last}{of} ({})", self.first, self.name)
    }
}

/// Numbers of the binary header.
pub mod binary {
    use super::{BINARY, Field, Kind};

    macro_rules! fields {
        ($($(#[$doc:meta])* $name:ident = $first:literal, $kind:ident, $text:literal;)*) => {
            $($(#[$doc])* pub const $name: Field<BINARY> = Field::new($text, $first, Kind::$kind);)*
        };
    }

    fields! {
        /// A number of the job.
        JOB = 3201, I32, "job number";
        /// A number of the line.
        LINE = 3205, I32, "line number";
        /// Data traces per ensemble.
        ENSEMBLE_TRACES = 3213, I16, "traces an ensemble";
        /// Sample interval, microseconds for samples in time.
        INTERVAL = 3217, U16, "sample interval";
        /// Samples per trace.
        SAMPLES = 3221, U16, "samples a trace";
        /// Code of the samples' format.
        FORMAT = 3225, I16, "sample format";
        /// The expected number of traces per ensemble.
        FOLD = 3227, I16, "ensemble fold";
        /// Trace sorting code.
        SORTING = 3229, I16, "trace sorting";
        /// Start of a vibrator's sweep, Hz.
        SWEEP_START = 3233, I16, "sweep frequency at the start";
        /// End of a vibrator's sweep, Hz.
        SWEEP_END = 3235, I16, "sweep frequency at the end";
        /// Milliseconds.
        SWEEP_LENGTH = 3237, I16, "sweep length";
        /// 1 if traces are not correlated with the sweep, 2 if they are.
        CORRELATED = 3249, I16, "correlated traces";
        /// 1 for metres, 2 for feet.
        MEASUREMENT = 3255, I16, "measurement system";
        /// 1 if an increase in pressure gives a negative number, 2 if it gives a positive one.
        POLARITY = 3257, I16, "impulse polarity";
        /// Revision 2: samples per trace; if not 0, it replaces those of 3221.
        EXTENDED_SAMPLES = 3269, U32, "extended samples a trace";
        /// Revision 2: sample interval; if not 0, it replaces that of 3217.
        EXTENDED_INTERVAL = 3273, F64, "extended sample interval";
        /// Revision 2: 16909060 in the file's byte order.
        ENDIAN = 3297, I32, "byte order constant";
        /// Revision, a byte for its major and one for its minor number.
        REVISION = 3501, U16, "revision";
        /// 1 if all traces have as many samples.
        FIXED = 3503, I16, "fixed length flag";
        /// Extended textual headers; -1 if a stanza ends them.
        EXTENDED_TEXTS = 3505, I16, "extended textual headers";
        /// Revision 2.0: additional headers of 240 bytes per trace.
        EXTRA_HEADERS = 3507, I32, "additional trace headers";
        /// Revision 2.1: the same in two bytes; the survey type is in the next two.
        EXTRA_HEADERS_2_1 = 3507, I16, "additional trace headers";
        /// Revision 2: traces in the file.
        TRACES = 3513, I64, "traces in the file";
        /// Revision 2: where the first trace starts, from 0.
        FIRST_TRACE = 3521, I64, "offset of the first trace";
        /// Revision 2: stanzas of 3200 bytes after the last trace; -1 if they are not counted.
        TRAILERS = 3529, I32, "data trailer stanzas";
    }
}

/// Numbers of a trace header.
pub mod trace {
    use super::{Field, Kind, TRACE};

    macro_rules! fields {
        ($($(#[$doc:meta])* $name:ident = $first:literal, $kind:ident, $text:literal;)*) => {
            $($(#[$doc])* pub const $name: Field<TRACE> = Field::new($text, $first, Kind::$kind);)*
        };
    }

    fields! {
        /// Number of the trace in its line, from 1.
        IN_LINE = 1, I32, "trace number in the line";
        /// Number of the trace in the file, from 1.
        IN_FILE = 5, I32, "trace number in the file";
        /// Number of the shot.
        RECORD = 9, I32, "field record";
        /// Number of the trace in its shot, from 1.
        IN_RECORD = 13, I32, "trace number in the field record";
        /// Number of the source's point.
        SOURCE_POINT = 17, I32, "energy source point";
        /// Number of the ensemble, such as a CDP.
        ENSEMBLE = 21, I32, "ensemble number";
        /// Number of the trace in its ensemble, from 1.
        IN_ENSEMBLE = 25, I32, "trace number in the ensemble";
        /// Trace identification code: 1 for seismic data.
        IDENTIFICATION = 29, I16, "trace identification";
        /// Distance from source to receiver.
        OFFSET = 37, I32, "offset";
        /// Height of the receiver.
        RECEIVER_ELEVATION = 41, I32, "receiver elevation";
        /// Height of the surface at the source.
        SURFACE_ELEVATION = 45, I32, "surface elevation at the source";
        /// Depth of the source below the surface.
        SOURCE_DEPTH = 49, I32, "source depth";
        /// Height of the datum below the receiver.
        DATUM_ELEVATION = 53, I32, "datum elevation at the receivers";
        /// Height of the datum at the source.
        SOURCE_DATUM = 57, I32, "datum elevation at the source";
        /// Factor of heights and depths, or divisor if negative.
        ELEVATION_SCALAR = 69, I16, "elevation scalar";
        /// Factor of coordinates, or divisor if negative.
        COORDINATE_SCALAR = 71, I16, "coordinate scalar";
        /// X of the source.
        SOURCE_X = 73, I32, "source x";
        /// Y of the source.
        SOURCE_Y = 77, I32, "source y";
        /// X of the receiver.
        RECEIVER_X = 81, I32, "receiver x";
        /// Y of the receiver.
        RECEIVER_Y = 85, I32, "receiver y";
        /// 1 for lengths, others for angles.
        COORDINATE_UNITS = 89, I16, "coordinate units";
        /// Milliseconds to be added at the source, or that were.
        SOURCE_STATIC = 99, I16, "source static correction";
        /// Milliseconds to be added at the receiver, or that were.
        RECEIVER_STATIC = 101, I16, "receiver static correction";
        /// Milliseconds by which the samples were shifted.
        TOTAL_STATIC = 103, I16, "total static applied";
        /// Milliseconds.
        LAG_A = 105, I16, "lag time A";
        /// Milliseconds.
        LAG_B = 107, I16, "lag time B";
        /// Milliseconds from the shot to the first sample.
        DELAY = 109, I16, "delay recording time";
        /// Samples of this trace.
        SAMPLES = 115, U16, "samples";
        /// Sample interval of this trace.
        INTERVAL = 117, U16, "sample interval";
        /// 1 if the trace is not correlated with the sweep, 2 if it is.
        CORRELATED = 125, I16, "correlated";
        /// Start of a vibrator's sweep, Hz.
        SWEEP_START = 127, I16, "sweep frequency at the start";
        /// End of a vibrator's sweep, Hz.
        SWEEP_END = 129, I16, "sweep frequency at the end";
        /// Milliseconds.
        SWEEP_LENGTH = 131, I16, "sweep length";
        /// N, where samples count in 2^-N of their unit.
        WEIGHT = 169, I16, "trace weighting factor";
        /// X of the ensemble.
        CDP_X = 181, I32, "ensemble x";
        /// Y of the ensemble.
        CDP_Y = 185, I32, "ensemble y";
        /// Inline number.
        INLINE = 189, I32, "inline number";
        /// Crossline number.
        CROSSLINE = 193, I32, "crossline number";
        /// Code of the samples' unit: 0 for unknown, 1 for pascals.
        VALUE_UNIT = 203, I16, "trace value unit";
        /// Factor of times in the header, or divisor if negative.
        TIME_SCALAR = 215, I16, "time scalar";
    }
}

/// Fields of Seismic Unix, in the place of the ensemble's position and the line numbers.
pub mod su {
    use super::{Field, Kind, TRACE};

    /// Between samples that are not in time, such as depth.
    pub const D1: Field<TRACE> = Field::new("d1, between samples", 181, Kind::F32);
    /// The first sample.
    pub const F1: Field<TRACE> = Field::new("f1, first sample", 185, Kind::F32);
    /// Between traces.
    pub const D2: Field<TRACE> = Field::new("d2, between traces", 189, Kind::F32);
    /// The first trace.
    pub const F2: Field<TRACE> = Field::new("f2, first trace", 193, Kind::F32);
}
