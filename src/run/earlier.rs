//! What earlier runs have left in a folder.

use super::{Identity, SurveyError, Taken, Task, TaskOutput, tasks};
use crate::{
    engine::Description,
    io::{
        dir::Dir,
        folder::{JOURNAL, OutputFolder, RUN, SUMS, UNFINISHED},
        journal::{self, JournalError},
    },
};
use serde_json::Value;
use std::{io::ErrorKind, path::Path};

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
    /// What an earlier run of the same has left in a folder: nothing if it was killed before it wrote a journal. Warns of what
    /// is damaged, and of another engine.
    ///
    /// # Errors
    ///
    /// A journal that cannot be read, or of something else.
    pub fn taken(&self, folder: &OutputFolder, engine: &Description) -> Result<Taken, SurveyError> {
        let at = folder.staged();
        // A kill may leave an empty one.
        let is_begun = at.file(JOURNAL).and_then(|journal| journal.metadata());
        if !is_begun.is_ok_and(|journal| journal.len() > 0) {
            return Ok(Taken::default());
        }
        let before = journal::read(at)?;
        self.check(at, &before.heading)?;
        compare_engines(&before.heading["engine"], engine);
        warn_of_damaged(JOURNAL, &before.damaged);
        let (done, damaged) = journal::whole(at, before.done);
        let (parts, is_list_damaged) = match journal::read(&at.below(SUMS)) {
            Ok(parts) => {
                self.check(&at.below(SUMS), &parts.heading)?;
                warn_of_damaged(&format!("{SUMS}/{JOURNAL}"), &parts.damaged);
                (parts.done, !parts.damaged.is_empty())
            }
            Err(error) => {
                // A survey of shots has no parts.
                let is_missing = matches!(&error, JournalError::Io(of) if of.source.kind() == ErrorKind::NotFound);
                if !is_missing {
                    tracing::warn!("{error}");
                }
                (Vec::new(), true)
            }
        };
        Ok(Taken { done, damaged, parts, is_list_damaged })
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
            [ref first, ..] => {
                let (count, first) = (damaged.len(), first.shot);
                Err(SurveyError::DamagedSurvey { folder: path(), count, first })
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

fn warn_of_damaged(journal: &str, lines: &[usize]) {
    for line in lines {
        tracing::warn!("line {line} of {journal} is damaged; what it lists is done again");
    }
}

/// Warns if an earlier run had another engine.
fn compare_engines(before: &Value, engine: &Description) {
    if serde_json::to_value(engine).is_ok_and(|now| now != *before) {
        tracing::warn!(
            "the earlier run used {}: new results may differ from its results by rounding",
            before["device"]
        );
    }
}
