//! Why a job is not taken.

use super::Mistake;
use crate::remedy::Message;

/// Why a job is not taken.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// What is wrong stands in the job.
    #[error(transparent)]
    Mistake(#[from] Box<Mistake>),
    /// What is wrong stands in no text: a file that cannot be read, or what was said instead of the job.
    #[error("{}", .0.text)]
    Other(Message),
}

impl JobError {
    /// What is wrong in no text.
    pub(super) fn other(message: impl Into<Message>) -> Self {
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
