//! Errors of a job.

use super::Mistake;

/// An error of a job.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// A mistake in the job.
    #[error(transparent)]
    Mistake(#[from] Box<Mistake>),
    /// A mistake outside the text: a file that cannot be read, or an argument given instead of the
    /// job.
    #[error("{0}")]
    Other(String),
}

impl JobError {
    /// A mistake outside the text.
    pub(crate) fn other(message: impl ToString) -> Self {
        JobError::Other(Mistake::shortened(&message.to_string()))
    }
}

impl From<Mistake> for JobError {
    fn from(mistake: Mistake) -> Self {
        JobError::Mistake(Box::new(mistake))
    }
}
