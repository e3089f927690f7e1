//! Reasons why a run gets no output folder.

use super::access::{LinkError, remedy};
use crate::remedy::{Refusal, Remedy, remedies};
use std::{io, path::Path};

/// Reasons why there is no output.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum FolderError {
    #[error("{path} is not empty; {}", remedies(self))]
    NotEmpty { path: String },
    #[error("another run writes to {path}; {}", remedies(self))]
    Taken { path: String },
    /// It holds what a run that did not come to its end can go on from.
    #[error("{path} holds an unfinished run; {}", remedies(self))]
    Unfinished { path: String },
    #[error("{path} holds no unfinished run, so there is nothing to resume; {}", remedies(self))]
    NothingToResume { path: String },
    /// A file that has the name of one of this run's.
    #[error("{path} is there, and no run of huygens wrote it; {}", remedies(self))]
    InTheWay { path: String },
    /// A result of an earlier run, or what has the name of a new one.
    #[error("{path} is read by this run, which would replace it; {}", remedies(self))]
    Read { path: String },
    /// Something that has the name of what is to be removed.
    #[error(
        "{path} has no journal.jsonl, run.json or inversion.bin, so no run goes on there, and none removes it; {}",
        remedies(self)
    )]
    NotOurs { path: String },
    /// In the folder; links on the way to it are the user's.
    #[error("{path} is a link, and what a run writes there would go elsewhere; {}", remedies(self))]
    Link { path: String },
    #[error("{path} was moved or removed while this run wrote to it; {}", remedies(self))]
    Gone { path: String },
    #[error("cannot write to {path}: {source}; {}", remedies(self))]
    Io { path: String, source: io::Error },
    /// A file of a run that goes on in the same folder.
    #[error("cannot write to {path}: {source}; {}", remedies(self))]
    Unwritten { path: String, source: io::Error },
}

impl Refusal for FolderError {
    fn remedies(&self) -> Vec<Remedy> {
        let another = Remedy::AnotherFolder;
        match self {
            FolderError::NotEmpty { .. } => vec![another, Remedy::Overwrite],
            FolderError::Taken { .. } => vec!["wait until it ends".into(), another],
            FolderError::Unfinished { .. } => vec![Remedy::Resume, Remedy::BeginAgain, another],
            FolderError::NothingToResume { .. } => vec![Remedy::NoResume],
            FolderError::InTheWay { .. } => vec!["move it elsewhere".into(), Remedy::Overwrite],
            FolderError::Read { .. } => vec![another],
            FolderError::NotOurs { .. } => vec!["remove it yourself".into(), another],
            FolderError::Link { .. } => {
                vec!["put a copy of what it points to in its place, or remove it".into(), another]
            }
            FolderError::Gone { .. } => vec!["move it back".into(), "run it again".into()],
            FolderError::Io { source, .. } => vec![remedy(source).into(), another],
            FolderError::Unwritten { source, .. } => vec![remedy(source).into()],
        }
    }
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
