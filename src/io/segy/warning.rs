//! Contradictory or missing fields of a file, and their resolution.

use super::{
    Coded, LengthUnit,
    alike::{Alike, for_others, length, listed},
    ensembles::ENSEMBLE,
    field::Place,
    remedy::{
        self, COORDINATE_SCALAR, INTERVAL, KILL_DEAD, LENGTH_UNIT, ORIGIN, POSITIONS, RECORDS,
        SEGY_FIELDS, START,
    },
    trace,
};
use crate::{message::any_of, rounded::rounded};

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
        "{field} say an interval of {binary} us, and {own_field} of trace {} say {own} us{}; {taken} us are taken; if that \
         is wrong, {}",
        .traces.first + 1, .traces.and_others(), INTERVAL
    )]
    Interval { field: Place, binary: f64, own_field: Place, own: f64, traces: Alike, taken: f64 },
    #[error("{field} say 0{}: the file does not say how far samples are apart", so_does(*.field))]
    NoInterval { field: Place },
    #[error("{field} say {} us, which are taken; if they are ms, {}", rounded(*.taken), INTERVAL)]
    Milliseconds { field: Place, taken: f64 },
    #[error(
        "{field} say {value}, {}: samples are read as they are; if that is wrong, reverse their sign first",
        polarity(*.value)
    )]
    Polarity { field: Place, value: i64 },
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
        "{field} of trace {} say {}, and its positions are {} apart{}; if those are wrong, {}",
        .traces.first + 1, length(*.said, *.unit), length(*.apart, *.unit), .traces.and_others(),
        any_of(&[COORDINATE_SCALAR, POSITIONS])
    )]
    Offset { field: Place, said: f64, apart: f64, unit: Option<LengthUnit>, traces: Alike },
    #[error(
        "{field} of trace {} say {value}{}: it is not applied; if it is to count, {remedy}",
        .traces.first + 1, also(.traces)
    )]
    Unapplied { field: Place, value: i64, traces: Alike, remedy: &'static str },
    #[error(
        "{field} of trace {} say {value}{}: samples were shifted by it, and are read as they are",
        .traces.first + 1, also(.traces)
    )]
    Shifted { field: Place, value: i64, traces: Alike },
    #[error(
        "{field} of trace {} say {total}, and {} and {} add up to {sum}{}: samples are read as they are; if that is wrong, \
         apply the rest to them first",
        .traces.first + 1, .parts[0], .parts[1], .traces.and_others()
    )]
    Statics { field: Place, total: i64, parts: [Place; 2], sum: i64, traces: Alike },
    #[error(
        "{field} of trace {} are {} off the middle between source and receiver{}: they are not used; if source and receiver \
         are wrong, {}",
        .traces.first + 1, length(*.off, *.unit), .traces.and_others(), any_of(&[COORDINATE_SCALAR, POSITIONS])
    )]
    Ensemble { field: Place, off: f64, unit: Option<LengthUnit>, traces: Alike },
    #[error(
        "the sources of record {record} ({field}) lie up to {} from its first{}: they are taken as one, there; if they are \
         several, correct the headers",
        length(*.farthest, *.unit), for_others(*.others as u64, ", and so do those of another record", ", and so do those of {} other records")
    )]
    Jitter { field: Place, record: i64, farthest: f64, others: usize, unit: Option<LengthUnit> },
    #[error(
        "record {copy} ({field}) has the places and the samples of record {record}{}: it is read again; if that is wrong, {}",
        for_others(*.others as u64, ", as another has those of an earlier one", ", as {} others have those of an earlier one"), RECORDS
    )]
    Copied { field: Place, record: i64, copy: i64, others: usize },
    #[error(
        "no two places of receivers have one source: the traces of each are a shot here; a search for unknown sources takes \
         those of a number in {} for one recording",
        trace::RECORD.place()
    )]
    EachAlone,
    #[error(
        "its traces have no positions of sources and receivers: in a section {} are taken",
        ENSEMBLE.place()
    )]
    AtEnsembles,
    #[error(
        "a .su names no unit of its lengths: they are taken for metres; if that is wrong, {}",
        LENGTH_UNIT
    )]
    SuUnit,
    #[error(
        "bytes 181-196 of the trace headers are empty: the traces are {ny} lines of {nx} by {} and {}; if that is wrong, {}",
        .fields[0], .fields[1], SEGY_FIELDS
    )]
    Older { fields: [Place; 2], nx: usize, ny: usize },
    #[error(
        "bytes 181-196 of the trace headers are empty, and the traces are out of order along their line: they are sorted by {field}; if \
         that is wrong, {}",
        SEGY_FIELDS
    )]
    Sorted { field: Place },
    #[error(
        "{field} say {value}: the first sample is taken to be {depth:.1} m deeper than the datum; if that is wrong, {}",
        ORIGIN
    )]
    Top { field: Place, value: f64, depth: f64 },
    #[error("{field} say {said}; {given} are taken, as given")]
    Overruled { field: Place, said: String, given: String },
    #[error(
        "{field} say {record} for {sources} sources{}: the traces of each source are a gather",
        for_others(*others as u64, ", and 1 other numbers for several", ", and {} other numbers for several")
    )]
    Sources { field: Place, record: i64, sources: usize, others: usize },
    #[error(
        "{} where another of the same record does{}, and all are read; {}",
        traces(.indices, "lie"), by(*.field), kill(.indices)
    )]
    OnePlace { field: Option<Place>, indices: Vec<u64> },
    #[error(
        "record {record} is there {times} times{}: {} where another of the same record does{}, and all are read; {}",
        for_others(*.others as u64, ", and another more than once", ", and {} others more than once"), traces(.indices, "lie"), by(*.field), kill(.indices)
    )]
    Repeated { field: Option<Place>, record: i64, times: usize, others: usize, indices: Vec<u64> },
    #[error(
        "{} at x = 0, y = 0{}, far from the other {placed} of the same record: if there is no position, {}",
        traces(.indices, "lie"), by(*.field), any_of(&[kill(.indices).as_str(), POSITIONS])
    )]
    Nowhere { field: Option<Place>, indices: Vec<u64>, placed: usize },
    #[error(
        "the source of record {record} has a depth, and lies at x = 0, y = 0{}, far from its receivers{}; if there is no \
         position, correct the headers",
        by(*.field), for_others(*.others as u64, ", as is that of another record", ", as are those of {} other records")
    )]
    DepthAlone { field: Option<Place>, record: i64, others: usize },
    #[error(
        "{}; {}", coded(field, codes, traces, .what.words(.traces.others > 0, false)),
        if .what.is_dead() { KILL_DEAD.to_owned() } else { or_kill(.traces) }
    )]
    Code { field: Place, what: Coded, codes: Vec<i64>, traces: Alike },
    #[error(
        "{field} of trace {} say {value}, which is not one of the scalars of the standard (1, 10, 100, 1000 and 10000, and \
         minus these){}: it is used; if that is wrong, {remedy}",
        .traces.first + 1, .traces.and_others()
    )]
    Scalar { field: Place, value: i64, traces: Alike, remedy: &'static str },
    #[error(
        "{field} say 1: {traces} {} not correlated with the sweep, and {} read so; if the source was a vibrator, correlate \
         them first",
        .traces.choose("is", "are"), .traces.choose("is", "are")
    )]
    Uncorrelated { field: Place, traces: Alike },
    #[error(
        "{field} of trace {} say {first} s, and {own} say {delay} ms{}: the delay is taken; if that is wrong, {}",
        .traces.first + 1, .traces.and_others(), START
    )]
    First { field: Place, first: f64, own: Place, delay: i64, traces: Alike },
    #[error(
        "{field} of {traces} say 0, and {surface} do not: all receivers lie at 0, and sources at their elevation; if that is \
         wrong, {}",
        any_of(&[POSITIONS, "correct the headers"])
    )]
    NoElevation { field: Place, traces: Alike, surface: Place },
    #[error(
        "{field} of {traces} say 0, far from the others of the same record ({} to {}): if there is no elevation, {}",
        length(.range.0, *.unit), length(.range.1, *.unit), any_of(&[.traces.kill().as_str(), POSITIONS])
    )]
    ZeroElevation { field: Place, traces: Alike, range: (f64, f64), unit: Option<LengthUnit> },
    #[error(
        "{field} of {traces} say 0, and the receivers are at elevations of {} to {}: the source is taken to be below them; \
         if that is wrong, correct the headers",
        length(.range.0, *.unit), length(.range.1, *.unit)
    )]
    NoSurface { field: Place, traces: Alike, range: (f64, f64), unit: Option<LengthUnit> },
}

impl Warning {
    /// True for traces that their codes call dead, dummies or of no receiver.
    pub(crate) fn is_of_dead(&self) -> bool {
        matches!(self, Warning::Code { what, .. } if what.is_dead())
    }

    /// Its text where the positions of a file alone are read.
    pub(crate) fn of_positions(&self) -> String {
        match self {
            Warning::Code { field, what, codes, traces } if what.is_dead() => {
                let words = what.words(traces.others > 0, true);
                format!("{}; {}", coded(field, codes, traces, words), KILL_DEAD)
            }
            _ => self.to_string(),
        }
    }

    /// Counts the trace of another warning, if that says the same; false if it does not.
    pub(super) fn takes(&mut self, other: &Warning) -> bool {
        use Warning::*;
        let (traces, of) = match (self, other) {
            // Said once of a file.
            (Samples { .. }, Samples { .. }) | (CoordinateUnits { .. }, CoordinateUnits { .. }) => {
                return true;
            }
            (Overruled { field, .. }, Overruled { field: also, .. }) => return field == also,
            (Code { what, codes, traces, .. }, Code { what: also, codes: new, traces: of, .. })
                if what == also =>
            {
                codes.extend(new);
                codes.sort_unstable();
                codes.dedup();
                (traces, of)
            }
            (Scalar { field, traces, .. }, Scalar { field: also, traces: of, .. })
            | (Unapplied { field, traces, .. }, Unapplied { field: also, traces: of, .. })
            | (Shifted { field, traces, .. }, Shifted { field: also, traces: of, .. })
            | (Uncorrelated { field, traces }, Uncorrelated { field: also, traces: of })
                if field == also =>
            {
                (traces, of)
            }
            (Interval { traces, .. }, Interval { traces: of, .. })
            | (Offset { traces, .. }, Offset { traces: of, .. })
            | (Statics { traces, .. }, Statics { traces: of, .. })
            | (First { traces, .. }, First { traces: of, .. }) => (traces, of),
            _ => return false,
        };
        // The layout has told of the first trace.
        if traces.first != of.first {
            traces.add(of.first);
        }
        true
    }

    /// True if it means nothing to a file that is read as a model.
    pub fn is_of_gathers(&self) -> bool {
        match self {
            Warning::Code { what, .. } => !what.is_dead(),
            Warning::NoInterval { field } => *field == trace::INTERVAL.place(),
            Warning::Unapplied { field, .. } => {
                [trace::DATUM_ELEVATION, trace::SOURCE_DATUM].iter().any(|of| of.place() == *field)
            }
            Warning::Scalar { .. }
            | Warning::Milliseconds { .. }
            | Warning::Polarity { .. }
            | Warning::Ensemble { .. }
            | Warning::Jitter { .. }
            | Warning::Copied { .. }
            | Warning::EachAlone
            | Warning::AtEnsembles
            | Warning::Uncorrelated { .. }
            | Warning::First { .. }
            | Warning::NoElevation { .. }
            | Warning::ZeroElevation { .. }
            | Warning::NoSurface { .. } => true,
            _ => false,
        }
    }
}

/// In a file of two headers, of which both say nothing.
fn so_does(field: Place) -> &'static str {
    match field == trace::INTERVAL.place() {
        true => "",
        false => ", and so does the first trace's header",
    }
}

fn polarity(value: i64) -> &'static str {
    match value {
        2 => "so an increase in pressure gives a positive number",
        _ => "which is no polarity (1 or 2)",
    }
}

/// What traces of some codes are.
fn coded(field: &Place, codes: &[i64], traces: &Alike, words: String) -> String {
    format!("{field} of {traces} say {}: {words}", listed(codes.iter().copied()))
}

fn or_kill(traces: &Alike) -> String {
    format!("if that is wrong, {}", traces.kill())
}

/// How many other traces have a number other than 0 there.
fn also(traces: &Alike) -> String {
    let several = ", and {} other traces have a number";
    for_others(traces.others, ", and one other trace has a number", several)
}

/// Whether metres are taken: for a code that says nothing, but not for one that is missing.
fn taken(code: i64) -> String {
    match code {
        0 => String::new(),
        _ => format!(": metres are taken; if that is wrong, {}", LENGTH_UNIT),
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

fn kill(indices: &[u64]) -> String {
    remedy::kill(&indices.iter().map(|index| index + 1).collect::<Vec<_>>())
}

/// The field of headers; arrays have none.
fn by(field: Option<Place>) -> String {
    field.map_or_else(String::new, |field| format!(" ({field})"))
}
