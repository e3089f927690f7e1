//! The flags by which a run does a share of a survey's shots: those of a task, or those that an
//! earlier run has not done.

use crate::cli::{
    failure::Failure,
    ranks,
    terminal::progress::{self, tell},
};
use huygens::{
    io::folder::{self, FolderError, FolderPath},
    run::survey::{Identity, Place, Task, other_than_tasks},
};
use std::path::PathBuf;

/// Flags for resuming a run, and for dividing it into tasks.
#[derive(clap::Args, Clone)]
pub struct ShareArguments {
    /// Resume an interrupted survey: the result equals that of an uninterrupted run, byte for byte.
    #[arg(long)]
    pub resume: bool,
    /// Do the share of a survey that is task I of N, in a folder that all tasks share: 3/16, or in a Slurm array
    /// $SLURM_ARRAY_TASK_ID. An interrupted task resumes, and a finished one is skipped; huygens merge merges
    /// the results of huygens shot, and huygens rtm --merge those of a migration.
    #[arg(long, value_name = "I/N", conflicts_with = "resume")]
    pub task: Option<Task>,
}

impl ShareArguments {
    /// How to resume an interrupted run.
    pub fn again(&self) -> &'static str {
        match self.task {
            Some(_) if ranks::all().is_some() => "start as many ranks again to go on",
            Some(_) => "run the task again to go on",
            None => "go on with --resume",
        }
    }

    /// The output folder, and true if its content is resumed; none if nothing is left to do. With
    /// several ranks each takes a task of a survey.
    pub fn place(
        &mut self,
        (survey, is_survey): (&Identity, bool),
        out: PathBuf,
        (existing, force): (folder::Earlier, bool),
    ) -> Result<Option<(FolderPath, bool)>, Failure> {
        if let Some(ranks) = ranks::all() {
            ranks.check(survey.value(), &out)?;
            if is_survey {
                let stays = existing == folder::Earlier::Stays;
                if stays && ranks.is_first() && other_than_tasks(&out).is_some() {
                    let path = out.display().to_string();
                    return Err(FolderError::NotEmpty { path }.into());
                }
                self.task = Some(ranks.task(&out));
            }
        }
        if !is_survey {
            return Ok(Some(((&out).into(), false)));
        }
        let checking = progress::doing("checking what is done");
        let place = survey.place(&out, self.task, (self.resume, force))?;
        drop(checking);
        match place {
            Place::Folder { folder, resume } => return Ok(Some((folder, resume))),
            Place::SurveyIsDone => {
                tell(format_args!("the run in {} is done already", out.display()));
            }
            Place::TaskIsDone(Task { this, all }) => {
                tell(format_args!("task {this} of {all} is done already"));
            }
            Place::NoShots => tell("the survey has fewer shots than tasks, and none for this one"),
        }
        Ok(None)
    }
}
