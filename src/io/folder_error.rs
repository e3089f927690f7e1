//! Reasons why a run gets no output folder.

use super::access::{LinkError, remedy};
use std::{io, path::Path};

/// Reasons why there is no output.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum FolderError {
    #[error("{path} is not empty; choose another folder with --out, or overwrite it with --force")]
    NotEmpty { path: String },
    #[error(
        "another run writes to {path}; wait until it ends, or choose another folder with --out"
    )]
    Taken { path: String },
    /// It holds what a run that did not come to its end can go on from.
    #[error(
        "{path} holds an unfinished run; resume it with --resume, begin again with --force, or choose another folder \
         with --out"
    )]
    Unfinished { path: String },
    #[error("{path} holds no unfinished run, so there is nothing to resume; leave --resume out")]
    NothingToResume { path: String },
    /// A file that has the name of one of this run's.
    #[error(
        "{path} is there, and no run of huygens wrote it; move it elsewhere, or overwrite it with --force"
    )]
    InTheWay { path: String },
    /// A result of an earlier run, or what has the name of a new one.
    #[error("{path} is read by this run, which would replace it; choose another folder with --out")]
    Read { path: String },
    /// Something that has the name of what is to be removed.
    #[error(
        "{path} has no journal.jsonl, run.json or inversion.bin, so no run continues it or removes it; \
         remove it yourself, or choose another folder with --out"
    )]
    NotOurs { path: String },
    /// In the folder; links on the way to it are the user's.
    #[error(
        "{path} is a link, and what a run writes there would go elsewhere; put a copy of what it points to in its \
         place, or remove it, or choose another folder with --out"
    )]
    Link { path: String },
    #[error(
        "{path} was moved or removed while this run wrote to it; move it back, or run it again"
    )]
    Gone { path: String },
    #[error("cannot write to {path}: {source}; {}, or choose another folder with --out", remedy(.source))]
    Io { path: String, source: io::Error },
    /// A file of a run that goes on in the same folder.
    #[error("cannot write to {path}: {source}; {}", remedy(.source))]
    Unwritten { path: String, source: io::Error },
}

impl FolderError {
    /// Of a path, what the system says.
    pub(super) fn io(path: impl AsRef<Path>, source: io::Error) -> Self {
        match LinkError::of(&source) {
            Some(LinkError { path, is_hard: false }) => FolderError::Link { path: shown(path) },
            _ => FolderError::Io { path: shown(path.as_ref()), source },
        }
    }

    /// The error of writing a file of a run in progress.
    pub(super) fn unwritten(path: impl AsRef<Path>, source: io::Error) -> Self {
        match FolderError::io(path, source) {
            FolderError::Io { path, source } => FolderError::Unwritten { path, source },
            link => link,
        }
    }
}

pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}
