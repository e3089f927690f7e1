//! Where a run writes, what earlier runs have left there, and whether anything is left for it to do.

use super::{EarlierWork, Identity, SurveyError, Task, TaskOutput, checkpoint::share, tasks};
use crate::{
    engine::Description,
    io::{
        dir::{Dir, FolderPath},
        folder::{JOURNAL, OutputFolder, RUN, SUMS, UNFINISHED},
        journal::{self, JournalError},
    },
};
use serde_json::Value;
use std::{io::ErrorKind, path::Path};

/// The folder of a run, or why there is nothing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Shots are left to be done.
    Folder {
        /// The folder to write to.
        folder: FolderPath,
        /// True if its content is resumed.
        resume: bool,
    },
    /// The whole survey is done.
    SurveyIsDone,
    /// This task is done.
    TaskIsDone(Task),
    /// The survey has fewer shots than tasks, and none for this one.
    NoShots,
}

impl Place {
    /// Why nothing is left to be done.
    pub(super) fn reason(&self, out: &Path) -> String {
        match self {
            Place::TaskIsDone(Task { this, all }) => {
                format!("task {this} of {all} is done already")
            }
            Place::NoShots => "the survey has fewer shots than tasks, and none for this one".into(),
            _ => format!("the run in {} is done already", out.display()),
        }
    }
}

impl Identity {
    /// The place of a run of the whole survey, or of a task, in the folder `out`. With `resume` an
    /// earlier run of the whole goes on; one of a task does, unless it is begun again by `force`.
    ///
    /// # Errors
    ///
    /// Results of another survey, or damaged ones.
    pub(crate) fn place(
        &self,
        out: &Path,
        task: Option<Task>,
        resume: bool,
        force: bool,
    ) -> Result<Place, SurveyError> {
        let Some(task) = task else {
            return Ok(match resume && self.is_done(out)? {
                true => Place::SurveyIsDone,
                false => Place::Folder { folder: out.into(), resume },
            });
        };
        let place = match force {
            true => Place::Folder { folder: task.path(out), resume: false },
            false => self.place_of_task(out, task)?,
        };
        Ok(if share(self.shots, Some(task)).is_empty() { Place::NoShots } else { place })
    }

    /// What an earlier run of the same has left in a folder: nothing if it was killed before it wrote a journal. Warns of what
    /// is damaged, and of another engine.
    ///
    /// # Errors
    ///
    /// A journal that cannot be read, or of something else.
    pub(super) fn earlier_work(
        &self,
        folder: &OutputFolder,
        engine: &Description,
    ) -> Result<EarlierWork, SurveyError> {
        let at = folder.staged();
        // A kill may leave an empty one.
        let is_begun = at.file(JOURNAL).and_then(|journal| journal.metadata());
        if !is_begun.is_ok_and(|journal| journal.len() > 0) {
            return Ok(EarlierWork::default());
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
        Ok(EarlierWork { done, damaged, parts, is_list_damaged })
    }

    /// True if a folder holds the complete survey.
    ///
    /// # Errors
    ///
    /// Another survey, or files that are missing or damaged.
    fn is_done(&self, out: &Path) -> Result<bool, SurveyError> {
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

    /// The place of a task in the folder that all tasks share.
    ///
    /// # Errors
    ///
    /// Tasks in that folder of another survey, or of another number; a finished one that is damaged.
    fn place_of_task(&self, out: &Path, task: Task) -> Result<Place, SurveyError> {
        let path = task.path(out);
        OutputFolder::recover(path.clone())?;
        let Ok(out) = Dir::open(out) else {
            return Ok(Place::Folder { folder: path, resume: false });
        };
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
        if own.has(RUN) {
            TaskOutput::check(task, own)?;
            return Ok(Place::TaskIsDone(task));
        }
        Ok(Place::Folder { folder: path, resume: own.has(UNFINISHED) })
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
