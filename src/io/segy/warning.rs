//! Contradictory or missing fields of a file, and their resolution.

use super::field::Place;

/// An ambiguous field.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Warning {
    /// The binary header and a trace header differ in the number of samples.
    #[error(
        "{field} say {binary} samples a trace, and {own_field} of trace {} say {own}; the file's length is that of \
         {taken} samples a trace, which are read",
        .trace + 1
    )]
    Samples {
        /// The binary header's field.
        field: Place,
        /// Its value.
        binary: u64,
        /// The trace header's field.
        own_field: Place,
        /// Its value.
        own: u64,
        /// Index of the trace, from 0.
        trace: u64,
        /// The value used.
        taken: u64,
    },
    /// The binary header and a trace header differ in the interval.
    #[error(
        "{field} say an interval of {binary}, and {own_field} of trace {} say {own}; {taken} is taken",
        .trace + 1
    )]
    Interval {
        /// The binary header's field.
        field: Place,
        /// Its value.
        binary: f64,
        /// The trace header's field.
        own_field: Place,
        /// Its value.
        own: f64,
        /// Index of the trace, from 0.
        trace: u64,
        /// The value used.
        taken: f64,
    },
    /// No interval at all.
    #[error(
        "{field} say 0, and so does the first trace's header: the file does not say how far samples are apart"
    )]
    NoInterval {
        /// The field.
        field: Place,
    },
    /// An unknown revision, or one in an unknown form.
    #[error(
        "{field} hold {major} and {minor}, which is no revision; it is read as revision {taken}"
    )]
    Revision {
        /// The field.
        field: Place,
        /// First byte.
        major: u8,
        /// Second byte.
        minor: u8,
        /// The revision used.
        taken: u8,
    },
    /// Extended textual headers in a file of revision 0.
    #[error(
        "{field} say {said} in a file of revision 0, which has none; the file's length is that of {taken}"
    )]
    ExtendedTexts {
        /// The field.
        field: Place,
        /// Its value.
        said: i64,
        /// The value used.
        taken: u64,
    },
    /// Additional trace headers, which are ignored.
    #[error(
        "{field} say {count}: they are skipped, and positions are those of the standard trace header"
    )]
    ExtraHeaders {
        /// The field.
        field: Place,
        /// Their number per trace.
        count: u64,
    },
    /// A file of Seismic Unix that is valid in either byte order.
    #[error(
        "{field} and all others of the first trace's header are as small in either byte order; little-endian is taken"
    )]
    ByteOrder {
        /// The field.
        field: Place,
    },
    /// Neither metres nor feet.
    #[error("{field} say {value}, which is neither 1 (metres) nor 2 (feet)")]
    Unit {
        /// The field.
        field: Place,
        /// Its value.
        value: i64,
    },
}
