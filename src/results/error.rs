//! Why results are not there.

use crate::{io::folder::FolderError, job::JobError, render::RenderError};
use std::{fmt::Display, io};

/// Why results are not there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultsError {
    /// The job asks for what cannot be.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The folder does not take them.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The size of pictures has no room for what they show.
    #[error("{0}")]
    Size(String),
    /// They cannot be drawn, or have no place in a format.
    #[error("{0}")]
    Failed(String),
    /// The disk does not take the frames of a movie, which wait there until all are known.
    #[error("the frames of the movie, which wait in {folder}, cannot be kept: {source}")]
    Frames {
        /// Where they wait.
        folder: String,
        /// What the system said.
        source: io::Error,
    },
    /// No more were wanted.
    #[error("stopped while writing, as asked")]
    Stopped,
}

impl ResultsError {
    /// What cannot be drawn or written.
    pub(super) fn failed(error: impl Display) -> Self {
        ResultsError::Failed(error.to_string())
    }
}

impl From<RenderError> for ResultsError {
    fn from(error: RenderError) -> Self {
        Self::failed(error)
    }
}
