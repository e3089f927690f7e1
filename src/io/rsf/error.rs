//! Errors in RSF files.

use crate::io::access::remedy;
use std::io;

/// Reasons why an RSF file was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RsfError {
    /// The file, or the data it names, cannot be opened or read.
    #[error("cannot read {path}: {source}; {}", remedy(.source))]
    Io {
        /// The file.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// The data that a header names cannot be opened or read.
    #[error(
        "in=\"{given}\" in {path} names data that cannot be read at {data}: {source}; {}",
        match .source.kind() {
            io::ErrorKind::NotFound => {
                "bring the data there, or set in= to where they are, relative to the header's folder"
            }
            _ => remedy(.source),
        }
    )]
    Data {
        /// The header.
        path: String,
        /// The value of `in`.
        given: String,
        /// Its path.
        data: String,
        /// The system's error.
        source: io::Error,
    },
    /// A header without an end.
    #[error(
        "the text of {path} is longer than {limit} bytes; an RSF header is shorter: check that this is one"
    )]
    Long {
        /// The file.
        path: String,
        /// The longest header, bytes.
        limit: usize,
    },
    /// A missing field.
    #[error("{path} has no {field}; {remedy}")]
    Missing {
        /// The file.
        path: String,
        /// The field.
        field: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// A field with an invalid value.
    #[error("{field}={value} in {path}; {remedy}")]
    Field {
        /// The file.
        path: String,
        /// The field.
        field: String,
        /// Its value, truncated.
        value: String,
        /// The remedy.
        remedy: String,
    },
    /// Data of another size than the header promises.
    #[error(
        "{fields} of 4-byte values in {path} take {need} bytes, but {have} are in the data; set n1, n2, ... to what the \
         data have, or bring them whole"
    )]
    Size {
        /// The header.
        path: String,
        /// The fields, such as `n1=3, n2=4`.
        fields: String,
        /// Their size, bytes.
        need: u64,
        /// The size of the data, bytes.
        have: u64,
    },
}
