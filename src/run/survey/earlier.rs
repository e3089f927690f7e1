//! What earlier runs of a survey have left in its folder.

use super::{Identity, SurveyError, Task, TaskOutput, tasks};
use crate::{
    engine::Description,
    io::{
        dir::Dir,
        folder::{INVERSION, JOURNAL, OutputFolder, RUN, UNFINISHED},
        journal::{self, Contents, JournalError},
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
    /// The journal of an earlier run. `None` if that was killed before it wrote one.
    ///
    /// # Errors
    ///
    /// A journal that cannot be read, or of another survey.
    pub fn begun(&self, folder: &OutputFolder) -> Result<Option<Contents>, SurveyError> {
        let at = folder.staged();
        if at.has(INVERSION) {
            self.check(at, &json!({ "survey": { "command": "invert" } }))?;
        }
        // A kill may leave an empty one.
        let is_begun = at.file(JOURNAL).and_then(|journal| journal.metadata());
        if !is_begun.is_ok_and(|journal| journal.len() > 0) {
            return Ok(None);
        }
        let journal = journal::read(at)?;
        self.check(at, &journal.heading)?;
        for line in &journal.damaged {
            tracing::warn!("line {line} of {JOURNAL} is damaged; its shots are done again");
        }
        Ok(Some(journal))
    }

    /// True if a folder holds the complete survey.
    ///
    /// # Errors
    ///
    /// Another survey, or files that are missing or damaged.
    pub fn is_done(&self, out: &Path) -> Result<bool, SurveyError> {
        OutputFolder::recover(out)?;
        let Ok(folder) = Dir::open(out) else { return Ok(false) };
        if folder.has(UNFINISHED) || !folder.has(RUN) {
            return Ok(false);
        }
        let journal = match journal::read(&folder) {
            Err(JournalError::Io(_)) => return Ok(false),
            journal => journal?,
        };
        self.check(&folder, &journal.heading)?;
        let path = || out.to_owned();
        if let Some(file) = OutputFolder::missing(&folder, RUN).into_iter().next() {
            return Err(SurveyError::MissingFile { folder: path(), file });
        }
        if let Some(line) = journal.damaged.first() {
            return Err(SurveyError::DamagedJournal { folder: path(), line: *line });
        }
        let (_, damaged) = journal::whole(&folder, journal.done);
        match damaged[..] {
            [] => Ok(true),
            [first, ..] => {
                Err(SurveyError::DamagedSurvey { folder: path(), count: damaged.len(), first })
            }
        }
    }

    /// The state of a task in the folder that all tasks share.
    ///
    /// # Errors
    ///
    /// Tasks in that folder of another survey, or of another number; a finished one that is damaged.
    pub fn of_task(&self, out: &Path, task: Task) -> Result<TaskState, SurveyError> {
        OutputFolder::recover(task.path(out))?;
        let Ok(out) = Dir::open(out) else { return Ok(TaskState::New) };
        for other in tasks(&out.path()) {
            let folder = out.below(other.folder());
            if other.all != task.all {
                let (folder, all, own) = (folder.path(), other.all, task.all);
                return Err(SurveyError::OtherTasks { folder, all, own });
            }
            for folder in [folder.clone(), folder.below(UNFINISHED)] {
                if let Ok(journal) = journal::read(&folder) {
                    self.check(&folder, &journal.heading)?;
                }
            }
        }
        let own = out.below(task.folder());
        Ok(match (own.has(RUN), own.has(UNFINISHED)) {
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
