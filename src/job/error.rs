//! Errors of a job.

use super::Mistake;
use crate::remedy::Message;

/// An error of a job.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// A mistake in the job.
    #[error(transparent)]
    Mistake(#[from] Box<Mistake>),
    /// A mistake outside the text: a file that cannot be read, or an argument given instead of the
    /// job.
    #[error("{}", .0.text)]
    Other(Message),
}

impl JobError {
    /// A mistake outside the text.
    pub(crate) fn other(message: impl Into<Message>) -> Self {
        let Message { text, remedy } = message.into();
        JobError::Other(Message { text: Mistake::shortened(&text), remedy })
    }
}

impl From<JobError> for Message {
    fn from(error: JobError) -> Self {
        match error {
            JobError::Mistake(mistake) => {
                Message { text: mistake.to_string(), remedy: mistake.remedy().to_owned() }
            }
            JobError::Other(message) => message,
        }
    }
}

impl From<Mistake> for JobError {
    fn from(mistake: Mistake) -> Self {
        JobError::Mistake(Box::new(mistake))
    }
}
