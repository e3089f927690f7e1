//! The state of an inversion in its folder.

use super::{Inversion, Inverted};
use crate::{
    engine::Description,
    fault,
    io::{
        digest::{SUM, seal, sha256_of, unsealed},
        folder::{FolderError, INVERSION, JOURNAL, OutputFolder, RUN, is_inside},
        journal,
    },
    job::{Inputs, JobFile},
    remedy::{Refusal, Remedy, remedies},
    run::survey::{Identity, compare_engines},
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    io::{self, ErrorKind},
};

/// Reasons why the state of an inversion is not read or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum StateError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("{INVERSION} of the run in the folder is not read: {source}; {}", remedies(self))]
    Unreadable { source: io::Error },
    #[error("the folder is of another run: {difference}; {}", remedies(self))]
    AnotherRun { difference: String },
    #[error("{file} of the run in the folder is damaged; {}", remedies(self))]
    Damaged { file: String },
    #[error(transparent)]
    Unwritten(postcard::Error),
}

impl Refusal for StateError {
    fn remedies(&self) -> Vec<Remedy> {
        match self {
            StateError::Folder(error) => error.remedies(),
            StateError::AnotherRun { .. } => vec![
                "give the job and the observed traces that it was given".into(),
                Remedy::BeginOver,
            ],
            StateError::Damaged { .. } | StateError::Unreadable { .. } => vec![Remedy::BeginOver],
            StateError::Unwritten(_) => Vec::new(),
        }
    }
}

/// The state of an inversion in its folder, from which it can go on.
pub struct State<'a> {
    folder: &'a OutputFolder,
    /// Everything that determines its files.
    identity: Identity,
    /// The engine, as JSON; empty before it is known.
    engine: String,
    /// The models that have been written, each with its SHA-256.
    models: BTreeMap<String, String>,
}

impl<'a> State<'a> {
    /// The state of the inversion of a job.
    pub fn of(folder: &'a OutputFolder, file: &JobFile, inputs: &Inputs) -> Self {
        let identity = Identity::new("invert", file, inputs);
        State { folder, identity, engine: String::new(), models: BTreeMap::new() }
    }

    /// What a run in the folder has done of the same inversion.
    pub fn read(
        &mut self,
        inversion: &Inversion,
        inputs: &Inputs,
    ) -> Result<Option<Inverted>, StateError> {
        let folder = self.folder.staged();
        let bytes = match folder.bytes(INVERSION) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let journal = journal::read(folder).ok();
                let difference = journal.and_then(|it| self.identity.difference(&it.heading));
                if let Some(difference) = difference {
                    return Err(StateError::AnotherRun { difference });
                }
                return match [JOURNAL, RUN].iter().any(|name| folder.has(name)) {
                    true => Err(StateError::Damaged { file: INVERSION.into() }),
                    false => Ok(None),
                };
            }
            Err(error) => return Err(StateError::Unreadable { source: error }),
        };
        let kept = unsealed(&bytes).and_then(|kept| postcard::from_bytes(kept).ok());
        let damaged = |file: &str| StateError::Damaged { file: file.into() };
        type Kept = (String, String, BTreeMap<String, String>, Option<Inverted>);
        let (own, engine, models, inverted): Kept = kept.ok_or_else(|| damaged(INVERSION))?;
        let own: Value = serde_json::from_str(&own).map_err(|_| damaged(INVERSION))?;
        if let Some(difference) = self.identity.difference(&json!({ "survey": own })) {
            return Err(StateError::AnotherRun { difference });
        }
        if inverted.as_ref().is_some_and(|done| !inversion.may_have_done(done, inputs)) {
            return Err(damaged(INVERSION));
        }
        let is_whole = |(name, sum): &(&String, &String)| {
            is_model(name) && self.sum(name).is_ok_and(|found| found == **sum)
        };
        if let Some((name, _)) = models.iter().find(|model| !is_whole(model)) {
            return Err(damaged(name));
        }
        (self.engine, self.models) = (engine, models);
        Ok(inverted)
    }

    /// The engine from now on; warns if it was another one before.
    pub fn on(&mut self, engine: &Description) {
        if let Ok(before) = serde_json::from_str(&self.engine) {
            compare_engines("iterations", &before, engine);
        }
        self.engine = serde_json::to_string(engine).expect("names");
    }

    /// Replaces it by what has been done, with the file of the new model; `None` before the first
    /// iteration.
    pub fn write(&mut self, done: Option<(&Inverted, String)>) -> Result<(), StateError> {
        let done = match done {
            Some((done, model)) => {
                let sum = self.sum(&model);
                self.models.insert(model, sum.map_err(|source| StateError::Unreadable { source })?);
                Some(done)
            }
            None => None,
        };
        let kept = (self.identity.value().to_string(), &self.engine, &self.models, done);
        // Without a copy of a state that may be large.
        let bytes = postcard::to_extend(&kept, vec![0; SUM]);
        let mut bytes: Vec<u8> = bytes.map_err(StateError::Unwritten)?;
        seal(&mut bytes);
        self.folder.sync()?;
        if done.is_some() {
            self.folder.keep();
        }
        self.folder.replace(INVERSION, &bytes)?;
        fault::hold("state");
        Ok(())
    }

    fn sum(&self, model: &str) -> io::Result<String> {
        self.folder.staged().file(model).and_then(sha256_of)
    }

    /// Whether there are models to look at, and to go on from.
    pub fn has_models(&self) -> bool {
        !self.models.is_empty()
    }
}

/// Whether a file of the folder is the model of an iteration.
pub(crate) fn is_model(name: &str) -> bool {
    is_inside(name) && name.starts_with("models/") && name.ends_with(".npy")
}
