//! Errors of writing results.

use crate::{io::folder::FolderError, job::JobError, render::RenderError};
use std::{fmt::Display, io};

/// An error of writing results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultsError {
    /// An invalid request in the job.
    #[error(transparent)]
    Job(#[from] JobError),
    /// An error of the output folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A picture size too small for the content.
    #[error("{0}")]
    Size(String),
    /// Results that cannot be drawn or represented in a format.
    #[error("{0}")]
    Failed(String),
    /// A disk error for the frames of a movie or the snapshots of a shot, which are spooled there until
    /// all are known.
    #[error(
        "the frames of the movie or the snapshots, which wait in {folder}, cannot be kept: {source}"
    )]
    Frames {
        /// The spool folder.
        folder: String,
        /// The system's error.
        source: io::Error,
    },
    /// Stopped on request.
    #[error("stopped while writing, as asked")]
    Stopped,
}

impl ResultsError {
    /// The error of results that cannot be drawn or written.
    pub(crate) fn failed(error: impl Display) -> Self {
        ResultsError::Failed(error.to_string())
    }
}

impl From<RenderError> for ResultsError {
    fn from(error: RenderError) -> Self {
        Self::failed(error)
    }
}
