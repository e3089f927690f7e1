//! Where a run of a survey's shots writes, and whether anything is left for it to do.

use super::{Identity, SurveyError, Task, earlier::TaskState};
use crate::io::dir::FolderPath;
use std::path::Path;

/// The folder of a run, or why there is nothing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
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
    /// Those of [`Identity::is_done`] and [`Identity::of_task`].
    pub fn place(
        &self,
        out: &Path,
        task: Option<Task>,
        (resume, force): (bool, bool),
    ) -> Result<Place, SurveyError> {
        let Some(task) = task else {
            return Ok(match resume && self.is_done(out)? {
                true => Place::SurveyIsDone,
                false => Place::Folder { folder: out.into(), resume },
            });
        };
        let state = if force { TaskState::New } else { self.of_task(out, task)? };
        if self.range(Some(task)).is_empty() {
            return Ok(Place::NoShots);
        }
        Ok(match state {
            TaskState::Finished => Place::TaskIsDone(task),
            state => {
                Place::Folder { folder: task.path(out), resume: state == TaskState::Unfinished }
            }
        })
    }
}
