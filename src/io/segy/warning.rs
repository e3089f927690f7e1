//! Contradictory or missing fields of a file, and their resolution.

use super::field::Place;
use crate::remedy::Remedy;

/// An ambiguous field.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Warning {
    #[error(
        "{field} say {binary} samples a trace, and {own_field} of trace {} say {own}; the file's length is that of \
         {taken} samples a trace, which are read",
        .trace + 1
    )]
    Samples { field: Place, binary: u64, own_field: Place, own: u64, trace: u64, taken: u64 },
    #[error(
        "{field} say an interval of {binary}, and {own_field} of trace {} say {own}; {taken} is taken; if that is wrong, {}",
        .trace + 1, Remedy::Interval
    )]
    Interval { field: Place, binary: f64, own_field: Place, own: f64, trace: u64, taken: f64 },
    #[error(
        "{field} say 0, and so does the first trace's header: the file does not say how far samples are apart"
    )]
    NoInterval { field: Place },
    #[error(
        "{field} hold {major} and {minor}, which is no revision; it is read as revision {taken}"
    )]
    Revision { field: Place, major: u8, minor: u8, taken: u8 },
    #[error(
        "{field} say {said} in a file of revision 0, which has none; the file's length is that of {taken}"
    )]
    ExtendedTexts { field: Place, said: i64, taken: u64 },
    #[error(
        "{field} say {count}: they are skipped, and positions are those of the standard trace header"
    )]
    ExtraHeaders { field: Place, count: u64 },
    #[error(
        "{field} say {wide} additional trace headers by revision 2.0 and {narrow} by revision 2.1; the file's length fits \
         {}, and {taken} are read", if *.both {"both"} else {"neither"}
    )]
    HeaderCount { field: Place, wide: i64, narrow: i64, both: bool, taken: u64 },
    #[error(
        "{field} and all others of the first trace's header are as small in either byte order; little-endian is taken"
    )]
    ByteOrder { field: Place },
    #[error("{field} say {value}, which is neither 1 (metres) nor 2 (feet){}", taken(*value))]
    Unit { field: Place, value: i64 },
    #[error(
        "{field} of trace {} say {value}, which is no kind of coordinate (1 to 4): they are taken for lengths",
        .trace + 1
    )]
    CoordinateUnits { field: Place, value: i64, trace: u64 },
    #[error(
        "{field} of trace {} say {said}, and its positions are {apart:.1} apart; if those are wrong, {}",
        .trace + 1, Remedy::Origin
    )]
    Offset { field: Place, said: f64, apart: f64, trace: u64 },
    #[error(
        "{field} of trace {} say {value}, which is not taken; if traces start at another time, {}",
        .trace + 1, Remedy::Start
    )]
    Times { field: Place, value: i64, trace: u64 },
    #[error("{field} say {said}; {given} are taken, as given")]
    Overruled { field: Place, said: String, given: String },
    #[error(
        "{field} say {record} for {sources} sources{}: the traces of each source are a gather",
        more(*others)
    )]
    Sources { field: Place, record: i64, sources: usize, others: usize },
    #[error("{field} of trace {} say {code}: it is {}, and is read as it is; {}", .trace + 1, match *.code {
        2 => "dead", 3 => "a dummy", _ => "auxiliary, of no receiver" }, Remedy::KillDead)]
    Dead { field: Place, code: i64, trace: u64 },
    #[error(
        "{field} of trace {} say {code}: it is a component of motion, and is read as pressure",
        .trace + 1
    )]
    Motion { field: Place, code: i64, trace: u64 },
}

fn more(records: usize) -> String {
    match records {
        0 => String::new(),
        count => format!(", and {count} other numbers for several"),
    }
}

/// Whether metres are taken: for a code that says nothing, but not for one that is missing.
fn taken(code: i64) -> String {
    match code {
        0 => String::new(),
        _ => format!(": metres are taken; if that is wrong, {}", Remedy::LengthUnit),
    }
}
