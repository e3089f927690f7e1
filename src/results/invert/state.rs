//! The state of an inversion in its folder.

use crate::{
    io::{
        digest::{sealed, unsealed},
        folder::{FolderError, INVERSION, OutputFolder},
    },
    job::{Inputs, Inversion, Inverted, JobFile},
    remedy::{Refusal, Remedy, remedies},
    results::survey::Identity,
};
use std::io::{self, ErrorKind};

/// Reasons why the state of an inversion is not read or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum StateError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("{INVERSION} of the run in the folder is not read: {0}")]
    Unreadable(io::Error),
    #[error("the run in the folder is of another job; {}", remedies(self))]
    AnotherJob,
    #[error("{INVERSION} of the run in the folder is damaged; {}", remedies(self))]
    Damaged,
    #[error(transparent)]
    Unwritten(postcard::Error),
}

impl Refusal for StateError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            StateError::Folder(error) => error.remedies(),
            StateError::AnotherJob => vec![
                "give the job and the observed traces that it was given".into(),
                Remedy::BeginOver,
            ],
            StateError::Damaged => vec![Remedy::BeginOver],
            StateError::Unreadable(_) | StateError::Unwritten(_) => Vec::new(),
        }
    }
}

/// The state of an inversion in its folder, from which it can go on.
pub struct State<'a> {
    folder: &'a OutputFolder,
    /// Everything that determines its files.
    identity: String,
}

impl<'a> State<'a> {
    /// The state of the inversion of a job.
    pub fn of(folder: &'a OutputFolder, file: &JobFile, inputs: &Inputs) -> Self {
        let identity = Identity::new("invert", file, inputs, 32).value().to_string();
        State { folder, identity }
    }

    /// What a run in the folder has done of the same inversion.
    pub fn read(
        &self,
        inversion: &Inversion,
        inputs: &Inputs,
    ) -> Result<Option<Inverted>, StateError> {
        let bytes = match std::fs::read(self.folder.at(INVERSION)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StateError::Unreadable(error)),
        };
        let kept = unsealed(&bytes).and_then(|kept| postcard::from_bytes(kept).ok());
        let (own, inverted): (String, Option<Inverted>) = kept.ok_or(StateError::Damaged)?;
        if own != self.identity {
            return Err(StateError::AnotherJob);
        }
        match &inverted {
            Some(done) if !inversion.may_have_done(done, inputs) => Err(StateError::Damaged),
            _ => Ok(inverted),
        }
    }

    /// Replaces it by what has been done; `None` before the first iteration.
    pub fn write(&self, done: Option<&Inverted>) -> Result<(), StateError> {
        let bytes =
            postcard::to_allocvec(&(&self.identity, done)).map_err(StateError::Unwritten)?;
        // The models that it stands for have no sums.
        self.folder.sync()?;
        Ok(self.folder.replace(INVERSION, &sealed(&bytes))?)
    }
}
