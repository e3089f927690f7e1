//! Contradictory or missing fields of a file, and their resolution.

use super::{field::Place, numbers::listed};
use crate::remedy::{Remedy, any_of};

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
        "{field} of trace {} say {value}{}: it is not applied; if it is to count, {remedy}",
        .trace + 1, also(*.others)
    )]
    Unapplied { field: Place, value: i64, trace: u64, others: u64, remedy: Remedy },
    #[error(
        "{field} of trace {} say {value}{}: samples were shifted by it, and are read as they are",
        .trace + 1, also(*.others)
    )]
    Shifted { field: Place, value: i64, trace: u64, others: u64 },
    #[error("{field} say {said}; {given} are taken, as given")]
    Overruled { field: Place, said: String, given: String },
    #[error(
        "{field} say {record} for {sources} sources{}: the traces of each source are a gather",
        more(*others)
    )]
    Sources { field: Place, record: i64, sources: usize, others: usize },
    #[error(
        "{} where another of the same record does{}, and all are read; {}",
        traces(.indices, "lie"), by(*.field), kill(.indices)
    )]
    OnePlace { field: Option<Place>, indices: Vec<u64> },
    #[error(
        "record {record} is there {times} times{}: {} where another of the same record does{}, and all are read; {}",
        more_times(*.others), traces(.indices, "lie"), by(*.field), kill(.indices)
    )]
    Repeated { field: Option<Place>, record: i64, times: usize, others: usize, indices: Vec<u64> },
    #[error(
        "{} at x = 0, y = 0{}, far from the other {placed} of the same record: if there is no position, {}",
        traces(.indices, "lie"), by(*.field), any_of(&[kill(.indices), Remedy::Positions])
    )]
    Nowhere { field: Option<Place>, indices: Vec<u64>, placed: usize },
    #[error(
        "the source of record {record} has a depth, and lies at x = 0, y = 0{}, far from its receivers{}; if there is no \
         position, correct the headers",
        by(*.field), more_records(*.others)
    )]
    DepthAlone { field: Option<Place>, record: i64, others: usize },
    #[error("{field} of trace {} say {code}: it is {}, and is read as it is; {}", .trace + 1, match *.code {
        2 => "dead", 3 => "a dummy", _ => "auxiliary, of no receiver" }, Remedy::KillDead)]
    Dead { field: Place, code: i64, trace: u64 },
    #[error(
        "{field} of trace {} say {code}: it is a component of motion, and is read as pressure",
        .trace + 1
    )]
    Motion { field: Place, code: i64, trace: u64 },
}

/// How many other traces have a number other than 0 there.
fn also(others: u64) -> String {
    match others {
        0 => String::new(),
        1 => ", and one other trace has a number".into(),
        count => format!(", and {count} other traces have a number"),
    }
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

/// What traces do, by their numbers in the file, from 1.
fn traces(indices: &[u64], verb: &str) -> String {
    let numbers = listed(indices.iter().map(|index| *index as i64 + 1));
    match indices.len() {
        1 => format!("trace {numbers} {verb}s"),
        _ => format!("traces {numbers} {verb}"),
    }
}

fn kill(indices: &[u64]) -> Remedy {
    Remedy::KillTraces { numbers: indices.iter().map(|index| index + 1).collect() }
}

/// The field of headers; arrays have none.
fn by(field: Option<Place>) -> String {
    field.map_or_else(String::new, |field| format!(" ({field})"))
}

fn more_times(records: usize) -> String {
    match records {
        0 => String::new(),
        1 => ", and another more than once".into(),
        count => format!(", and {count} others more than once"),
    }
}

fn more_records(records: usize) -> String {
    match records {
        0 => String::new(),
        1 => ", as is that of another record".into(),
        count => format!(", as are those of {count} other records"),
    }
}
