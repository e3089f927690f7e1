//! Errors in RSF files.

use crate::access::{self, Unreadable};
use std::io;

/// Reasons why an RSF file was not read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum RsfError {
    #[error(transparent)]
    Io(#[from] Unreadable),
    /// The data that a header at `path` names by `given`, which is at `data`.
    #[error(
        "in=\"{given}\" in {path} names data that cannot be read at {data}: {source}; {}",
        bring(.source)
    )]
    Data { path: String, given: String, data: String, source: io::Error },
    #[error(
        "the text of {path} is longer than {limit} bytes; an RSF header is shorter: check that this is one"
    )]
    Long { path: String, limit: usize },
    #[error("{path} has no {field}; {remedy}")]
    Missing { path: String, field: String, remedy: &'static str },
    #[error("{field}={value} in {path}; {remedy}")]
    Field { path: String, field: String, value: String, remedy: String },
    #[error(
        "{fields} of 4-byte values in {path} take {need} bytes, but {have} are in the data; set n1, n2, ... to what the \
         data have, or bring them whole"
    )]
    Size { path: String, fields: String, need: u64, have: u64 },
}

fn bring(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "bring the data there, or set in= to where they are, relative to the header's folder"
        }
        _ => access::remedy(error),
    }
}
