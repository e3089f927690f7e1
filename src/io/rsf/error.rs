//! Errors in RSF files.

use crate::{
    access::{self, Unreadable},
    remedy::{Refusal, Remedy, remedies},
};
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
        remedies(self)
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
        "{fields} of 4-byte values in {path} take {need} bytes, but {have} are in the data; {}",
        remedies(self)
    )]
    Size { path: String, fields: String, need: u64, have: u64 },
}

impl Refusal for RsfError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            RsfError::Io(error) => error.remedies(),
            RsfError::Data { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                vec![
                    "bring the data there".into(),
                    "set in= to where they are, relative to the header's folder".into(),
                ]
            }
            RsfError::Data { source, .. } => vec![access::remedy(source).into()],
            RsfError::Long { .. } => Vec::new(),
            RsfError::Missing { remedy, .. } => vec![(*remedy).into()],
            RsfError::Field { remedy, .. } => vec![remedy.clone().into()],
            RsfError::Size { .. } => {
                vec!["set n1, n2, ... to what the data have".into(), "bring them whole".into()]
            }
        }
    }
}
