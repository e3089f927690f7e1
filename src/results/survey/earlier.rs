//! What earlier runs of a survey have left in its folder.

use super::{Identity, SurveyError, Task, TaskOutput, tasks};
use crate::{
    engine::Description,
    io::{
        folder::{INVERSION, JOURNAL, OutputFolder, RUN, UNFINISHED},
        journal::{self, Done},
    },
};
use serde_json::{Value, json};
use std::path::Path;

/// What earlier runs of a task have left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// Nothing.
    New,
    /// Something to go on with.
    Unfinished,
    /// All of it.
    Finished,
}

impl Identity {
    /// The journal of an earlier run: its heading, and the finished shots. `None` if that was
    /// killed before it wrote one.
    ///
    /// # Errors
    ///
    /// A journal that cannot be read, or of another survey.
    pub fn begun(&self, folder: &OutputFolder) -> Result<Option<(Value, Vec<Done>)>, SurveyError> {
        let at = folder.at("");
        if at.join(INVERSION).exists() {
            self.check(&at, &json!({ "survey": { "command": "invert" } }))?;
        }
        if !at.join(JOURNAL).metadata().is_ok_and(|journal| journal.len() > 0) {
            return Ok(None);
        }
        let (heading, done) = journal::read(&at)?;
        self.check(&at, &heading)?;
        Ok(Some((heading, done)))
    }

    /// True if a folder holds the complete survey.
    ///
    /// # Errors
    ///
    /// Another survey, or files that are missing or damaged.
    pub fn is_done(&self, folder: &Path) -> Result<bool, SurveyError> {
        OutputFolder::recover(folder)?;
        if folder.join(UNFINISHED).exists() || !folder.join(RUN).exists() {
            return Ok(false);
        }
        let Ok((heading, done)) = journal::read(folder) else { return Ok(false) };
        self.check(folder, &heading)?;
        if let Some(file) = OutputFolder::missing(folder, RUN).into_iter().next() {
            return Err(SurveyError::MissingFile { folder: folder.to_owned(), file });
        }
        let (_, damaged) = journal::whole(folder, done);
        match damaged[..] {
            [] => Ok(true),
            [first, ..] => {
                let (folder, count) = (folder.to_owned(), damaged.len());
                Err(SurveyError::DamagedSurvey { folder, count, first })
            }
        }
    }

    /// The state of a task in the folder that all tasks share.
    ///
    /// # Errors
    ///
    /// Tasks in that folder of another survey, or of another number; a finished one that is damaged.
    pub fn of_task(&self, out: &Path, task: Task) -> Result<TaskState, SurveyError> {
        let own = out.join(task.folder());
        OutputFolder::recover(&own)?;
        for (other, path) in tasks(out) {
            if other.all != task.all {
                let (all, own) = (other.all, task.all);
                return Err(SurveyError::OtherTasks { folder: path, all, own });
            }
            for folder in [path.clone(), path.join(UNFINISHED)] {
                if let Ok((heading, _)) = journal::read(&folder) {
                    self.check(&folder, &heading)?;
                }
            }
        }
        Ok(match (own.join(RUN).exists(), own.join(UNFINISHED).exists()) {
            (true, _) => {
                TaskOutput::check(task, own)?;
                TaskState::Finished
            }
            (false, true) => TaskState::Unfinished,
            (false, false) => TaskState::New,
        })
    }
}

/// Warns if what an earlier run has done was done by another engine.
pub fn compare_engines(what: &str, before: &Value, engine: &Description) {
    if serde_json::to_value(engine).is_ok_and(|now| now != *before) {
        tracing::warn!(
            "the {what} before were run by another engine, {}: those to come may differ from what it would \
             give by rounding",
            before["device"]
        );
    }
}
