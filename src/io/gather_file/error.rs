//! Reasons why a file gave no gathers.

use crate::{
    conditioning::ConditioningError,
    gather_arrays::GatherArraysError,
    segy::{
        SegyError, listed,
        remedy::{RECORDS, START, kill},
    },
    whole::WholeError,
};

/// Reasons why a file gave no gathers. Messages name no path: the caller knows it.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum GatherFileError {
    #[error(transparent)]
    Segy(#[from] SegyError),
    #[error(transparent)]
    Arrays(#[from] GatherArraysError),
    #[error(
        "it has no record {wanted}; its records are {}; {RECORDS}",
        listed(.known.iter().copied())
    )]
    NoRecord { wanted: i64, known: Vec<i64> },
    #[error("it has no trace {number} to leave out: its traces are numbered 1 to {traces}")]
    NoTrace { number: u64, traces: usize },
    #[error(
        "samples of trace{} {} are not finite; {}",
        if .numbers.len() == 1 { "" } else { "s" },
        listed(.numbers.iter().map(|number| *number as i64)),
        kill(.numbers)
    )]
    NotFinite { numbers: Vec<u64> },
    #[error("all of its {traces} traces are left out, and none stays")]
    Killed { traces: usize },
    #[error(
        "its traces start at {start} s, longer before or after the shot than {most} s, which is 100 times as long as \
         they are; {START}"
    )]
    Start { start: f64, most: f64 },
    #[error(transparent)]
    Shift(#[from] ConditioningError),
    #[error(transparent)]
    Whole(#[from] WholeError),
    #[error(
        "{path} is of no format in which gathers are written; name it .sgy, .su, .npy, .npz or .h5"
    )]
    Format { path: String },
    #[error("there are no records to write")]
    Empty,
    #[error("a .npy holds one record, and there are {count}; {RECORDS}, or write a .npz")]
    OneRecord { count: usize },
    #[error(
        "record {record} has {own} samples from the shot on, and the first record has {samples}; traces of a file \
         are alike; {RECORDS}, or {START}"
    )]
    Unlike { record: i64, own: usize, samples: usize },
    #[error(
        "the samples of record {record} are {own} s apart, and those of the first {interval} s; traces of a file are \
         alike; {RECORDS}"
    )]
    Intervals { record: i64, own: f64, interval: f64 },
}
