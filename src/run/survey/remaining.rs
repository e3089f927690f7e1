//! The shots that a run still has to model, and the journal of those that it has.

use super::{Identity, SurveyError, earlier::compare_engines};
use crate::{
    engine::Description,
    io::{
        folder::{FolderError, JOURNAL, OutputFolder},
        journal::{self, Done, Journal, Piece},
    },
};
use serde_json::Value;
use std::{
    collections::HashSet,
    ops::Range,
    sync::{Mutex, PoisonError},
};

/// The remaining shots of a run. Shots are counted from 0.
pub struct Remaining {
    /// All shots of the run: those of the survey, or of a task.
    pub all: Range<usize>,
    /// Those not done yet, ascending.
    pub left: Vec<usize>,
    /// With its heading; `None` for a single shot.
    journal: Option<(Value, Journal)>,
    done: Mutex<Vec<Done>>,
}

impl Remaining {
    /// A single shot, which is no survey.
    pub fn single() -> Self {
        Remaining { all: 0..1, left: vec![0], journal: None, done: Mutex::default() }
    }

    /// Of the shots `all` of a survey; with `resume`, without those that an earlier run has done,
    /// whose files are intact. `headers` is the beginning of the files that all shots share.
    ///
    /// # Errors
    ///
    /// An earlier run of another survey, or a folder that cannot be written to.
    pub fn begin(
        survey: &Identity,
        (all, resume): (Range<usize>, bool),
        folder: &OutputFolder,
        engine: &Description,
        headers: &[Piece],
    ) -> Result<Self, SurveyError> {
        let mut done = match resume {
            true => done_before(survey, folder, engine)?,
            false => Vec::new(),
        };
        done.retain(|done| done.shot > 0 && all.contains(&(done.shot - 1)));
        let known: HashSet<usize> = done.iter().map(|done| done.shot).collect();
        let left = all.clone().filter(|shot| !known.contains(&(shot + 1))).collect();
        let heading = survey.heading(engine, headers);
        let journal = Journal::begin(folder, &heading, &done)?;
        Ok(Remaining { all, left, journal: Some((heading, journal)), done: Mutex::new(done) })
    }

    /// Records a shot as done.
    pub fn add(&self, shot: usize, pieces: Vec<Piece>) -> Result<(), FolderError> {
        if let Some((_, journal)) = &self.journal {
            let done = Done { shot: shot + 1, count: 1, pieces };
            journal.add(&done)?;
            self.done.lock().unwrap_or_else(PoisonError::into_inner).push(done);
        }
        Ok(())
    }

    /// Number of shots done.
    pub fn done(&self) -> usize {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Rewrites the journal in the order of the shots, independent of the order of modelling.
    pub fn close(&self, folder: &OutputFolder) -> Result<(), FolderError> {
        let Some((heading, _)) = &self.journal else { return Ok(()) };
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        folder.replace(JOURNAL, &journal::text(heading, &*done))
    }
}

/// The shots in the journal of an earlier run whose files are intact. Damaged ones are reported.
fn done_before(
    survey: &Identity,
    folder: &OutputFolder,
    engine: &Description,
) -> Result<Vec<Done>, SurveyError> {
    let Some(before) = survey.begun(folder)? else { return Ok(Vec::new()) };
    compare_engines("shots", &before.heading["engine"], engine);
    let (whole, damaged) = journal::whole(folder.staged(), before.done);
    for shot in damaged {
        tracing::warn!("what shot {shot} left is damaged; it is modelled again");
    }
    Ok(whole)
}
