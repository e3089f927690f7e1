//! The numbers of SEG-Y headers: positions and names. Positions are those of the standard: from 1,
//! in the file for the binary header and in the trace header for traces.
//!
//! To add a header field: a line here. Messages name a field by its bytes.

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
    pub(crate) const fn bytes(self) -> usize {
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
    pub(crate) const fn kind(self) -> Kind {
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

/// Constants by their first byte, storage and name, with a note where the name is not all.
macro_rules! fields {
    ($size:ident; $($name:ident = $first:literal, $kind:ident, $text:literal $(, $note:literal)?;)*) => {
        use super::{$size, Field, Kind};
        $(
            #[doc = concat!("The ", $text, "." $(, " ", $note)?)]
            pub const $name: Field<$size> = Field::new($text, $first, Kind::$kind);
        )*
    };
}

/// Numbers of the binary header.
pub mod binary {
    fields! { BINARY;
        JOB = 3201, I32, "job number";
        LINE = 3205, I32, "line number";
        ENSEMBLE_TRACES = 3213, I16, "traces an ensemble";
        INTERVAL = 3217, U16, "sample interval", "Microseconds for samples in time.";
        SAMPLES = 3221, U16, "samples a trace";
        FORMAT = 3225, I16, "sample format";
        FOLD = 3227, I16, "ensemble fold";
        SORTING = 3229, I16, "trace sorting";
        SWEEP_START = 3233, I16, "sweep frequency at the start", "Hz.";
        SWEEP_END = 3235, I16, "sweep frequency at the end", "Hz.";
        SWEEP_LENGTH = 3237, I16, "sweep length", "Milliseconds.";
        CORRELATED = 3249, I16, "correlated traces", "1 if they are not correlated with the sweep, 2 if they are.";
        MEASUREMENT = 3255, I16, "measurement system", "1 for metres, 2 for feet.";
        POLARITY = 3257, I16, "impulse polarity", "1 if an increase in pressure gives a negative number, 2 if a positive one.";
        EXTENDED_SAMPLES = 3269, U32, "extended samples a trace", "Revision 2: if not 0, it replaces 3221.";
        EXTENDED_INTERVAL = 3273, F64, "extended sample interval", "Revision 2: if not 0, it replaces 3217.";
        ENDIAN = 3297, I32, "byte order constant", "Revision 2: 16909060 in the file's byte order.";
        REVISION = 3501, U16, "revision", "A byte for its major and one for its minor number.";
        FIXED = 3503, I16, "fixed length flag", "1 if all traces have as many samples.";
        EXTENDED_TEXTS = 3505, I16, "extended textual headers", "-1 if a stanza ends them.";
        EXTRA_HEADERS = 3507, I32, "additional trace headers", "Revision 2.0: of 240 bytes per trace.";
        EXTRA_HEADERS_2_1 = 3507, I16, "additional trace headers", "Revision 2.1: the survey type is in the next two bytes.";
        TRACES = 3513, I64, "traces in the file", "Revision 2.";
        FIRST_TRACE = 3521, I64, "offset of the first trace", "Revision 2: from 0.";
        TRAILERS = 3529, I32, "data trailer stanzas", "Revision 2: of 3200 bytes; -1 if they are not counted.";
    }
}

/// Numbers of a trace header.
pub mod trace {
    fields! { TRACE;
        IN_LINE = 1, I32, "trace number in the line";
        IN_FILE = 5, I32, "trace number in the file";
        RECORD = 9, I32, "field record";
        IN_RECORD = 13, I32, "trace number in the field record";
        SOURCE_POINT = 17, I32, "energy source point";
        ENSEMBLE = 21, I32, "ensemble number";
        IN_ENSEMBLE = 25, I32, "trace number in the ensemble";
        IDENTIFICATION = 29, I16, "trace identification", "1 for seismic data.";
        OFFSET = 37, I32, "offset";
        RECEIVER_ELEVATION = 41, I32, "receiver elevation";
        SURFACE_ELEVATION = 45, I32, "surface elevation at the source";
        SOURCE_DEPTH = 49, I32, "source depth", "Below the surface.";
        DATUM_ELEVATION = 53, I32, "datum elevation at the receivers";
        SOURCE_DATUM = 57, I32, "datum elevation at the source";
        ELEVATION_SCALAR = 69, I16, "elevation scalar", "A factor, or a divisor if negative.";
        COORDINATE_SCALAR = 71, I16, "coordinate scalar", "A factor, or a divisor if negative.";
        SOURCE_X = 73, I32, "source x";
        SOURCE_Y = 77, I32, "source y";
        RECEIVER_X = 81, I32, "receiver x";
        RECEIVER_Y = 85, I32, "receiver y";
        COORDINATE_UNITS = 89, I16, "coordinate units", "1 for lengths, others for angles.";
        SOURCE_STATIC = 99, I16, "source static correction", "Milliseconds.";
        RECEIVER_STATIC = 101, I16, "receiver static correction", "Milliseconds.";
        TOTAL_STATIC = 103, I16, "total static applied", "Milliseconds by which the samples were shifted.";
        LAG_A = 105, I16, "lag time A", "Milliseconds.";
        LAG_B = 107, I16, "lag time B", "Milliseconds.";
        DELAY = 109, I16, "delay recording time", "Milliseconds from the shot to the first sample.";
        SAMPLES = 115, U16, "samples";
        INTERVAL = 117, U16, "sample interval";
        CORRELATED = 125, I16, "correlated", "1 if it is not correlated with the sweep, 2 if it is.";
        SWEEP_START = 127, I16, "sweep frequency at the start", "Hz.";
        SWEEP_END = 129, I16, "sweep frequency at the end", "Hz.";
        SWEEP_LENGTH = 131, I16, "sweep length", "Milliseconds.";
        YEAR = 157, I16, "year";
        DAY = 159, I16, "day of the year";
        HOUR = 161, I16, "hour";
        MINUTE = 163, I16, "minute";
        SECOND = 165, I16, "second";
        TIME_BASIS = 167, I16, "time basis", "1 for local time, 2 for GMT, 3 for another, 4 for UTC, 5 for GPS.";
        WEIGHT = 169, I16, "trace weighting factor", "N, where samples count in 2^-N of their unit.";
        CDP_X = 181, I32, "ensemble x";
        CDP_Y = 185, I32, "ensemble y";
        INLINE = 189, I32, "inline number";
        CROSSLINE = 193, I32, "crossline number";
        VALUE_UNIT = 203, I16, "trace value unit", "0 for unknown, 1 for pascals.";
        TIME_SCALAR = 215, I16, "time scalar", "A factor, or a divisor if negative.";
    }
}

/// Fields of Seismic Unix, in the place of the ensemble's position and the line numbers.
#[allow(unreachable_pub, reason = "the macro makes public constants")]
pub(crate) mod su {
    fields! { TRACE;
        D1 = 181, F32, "d1, between samples", "Samples that are not in time, such as depth.";
        F1 = 185, F32, "f1, first sample";
        D2 = 189, F32, "d2, between traces";
    }
}
