//! What a file says in two ways, or not at all, and what was made of it.

use super::field::Place;

/// Something that was read in one of several ways.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Warning {
    /// The binary header and a trace header differ in the number of samples.
    #[error(
        "{field} say {binary} samples a trace, and {own_field} of trace {} say {own}; the file's length is that of \
         {taken} samples a trace, which are read",
        .trace + 1
    )]
    Samples {
        /// Where the binary header has it.
        field: Place,
        /// The binary header's.
        binary: u64,
        /// Where the trace header has it.
        own_field: Place,
        /// The trace header's.
        own: u64,
        /// Index of the trace, from 0.
        trace: u64,
        /// What was taken.
        taken: u64,
    },
    /// The binary header and a trace header differ in the interval.
    #[error(
        "{field} say an interval of {binary}, and {own_field} of trace {} say {own}; {taken} is taken",
        .trace + 1
    )]
    Interval {
        /// Where the binary header has it.
        field: Place,
        /// The binary header's.
        binary: f64,
        /// Where the trace header has it.
        own_field: Place,
        /// The trace header's.
        own: f64,
        /// Index of the trace, from 0.
        trace: u64,
        /// What was taken.
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
    /// A revision that does not exist, or not in this form.
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
        /// What was taken.
        taken: u8,
    },
    /// Extended textual headers in a file of revision 0.
    #[error(
        "{field} say {said} in a file of revision 0, which has none; the file's length is that of {taken}"
    )]
    ExtendedTexts {
        /// The field.
        field: Place,
        /// What it says.
        said: i64,
        /// What was taken.
        taken: u64,
    },
    /// Additional trace headers are not read.
    #[error(
        "{field} say {count}: they are skipped, and positions are those of the standard trace header"
    )]
    ExtraHeaders {
        /// The field.
        field: Place,
        /// How many a trace has.
        count: u64,
    },
    /// A file of Seismic Unix that reads as well in either byte order.
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
        /// What it says.
        value: i64,
    },
}
