//! Errors of runs.

use super::task::Task;
use crate::{
    engine::{EngineError, select::SelectError, tune::EnginesError},
    host::NoMemory,
    io::{access::Unreadable, folder::FolderError, journal::JournalError},
    job::JobError,
    plan::PlanError,
    results::ResultsError,
};
use std::{ops::Range, path::PathBuf};

/// Reasons why a run ends early.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum RunError {
    #[error(transparent)]
    Job(#[from] JobError),
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Memory(#[from] NoMemory),
    #[error(transparent)]
    Select(#[from] SelectError),
    #[error(transparent)]
    Engines(#[from] EnginesError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Results(#[from] ResultsError),
    #[error(transparent)]
    Survey(#[from] SurveyError),
    #[error("{0}")]
    Input(String),
    #[error("{0}")]
    Failed(String),
    #[error("{error}\n{note}")]
    Noted { error: Box<RunError>, note: String },
}

impl RunError {
    /// Of wrong input outside a job file.
    pub(crate) fn input(error: impl ToString) -> Self {
        RunError::Input(error.to_string())
    }

    /// Of a run that gave nothing.
    pub(crate) fn failed(error: impl ToString) -> Self {
        RunError::Failed(error.to_string())
    }

    /// With a note below the message.
    pub(crate) fn with_note(self, note: String) -> Self {
        RunError::Noted { error: Box::new(self), note }
    }

    /// Of a run of some shots of a survey, with the number of the shot there.
    pub(crate) fn with_shots(mut self, shots: &[usize]) -> Self {
        if let RunError::Engine(EngineError::BlowUp { shot, .. }) = &mut self {
            *shot = shots[*shot];
        }
        self
    }
}

impl From<FolderError> for RunError {
    fn from(error: FolderError) -> Self {
        RunError::Survey(error.into())
    }
}

/// Reasons why a survey cannot go on, or its tasks not be merged.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum SurveyError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    #[error(
        "{folder} holds another run: {difference}; begin again with --force and without --resume, or choose another \
         folder with --out"
    )]
    AnotherSurvey { folder: PathBuf, difference: String },
    #[error(
        "the run in {folder} is done, but {file} is missing; begin again with --force and without --resume"
    )]
    MissingFile { folder: PathBuf, file: String },
    #[error(
        "the run in {folder} is done, but the files of {count} of its shots are damaged, shot {first} first; begin again \
         with --force and without --resume"
    )]
    DamagedSurvey { folder: PathBuf, count: usize, first: usize },
    #[error(
        "the run in {folder} is done, but line {line} of its journal is damaged; begin again with --force and \
         without --resume"
    )]
    DamagedJournal { folder: PathBuf, line: usize },
    #[error(
        "{file} of the run in the folder is damaged; begin again with --force and without --resume"
    )]
    Damaged { file: String },
    #[error(
        "{folder} is a task of {all}, and this one is of {own}; give --task I/{all}, or choose another folder with --out"
    )]
    OtherTasks { folder: PathBuf, all: usize, own: usize },
    #[error(
        "{folder} holds no tasks of a survey; name the folder that the tasks were given as --out"
    )]
    NoTasks { folder: PathBuf },
    #[error(
        "{folder} is of {all} tasks, and {}; run each again with --task I/{all}, which resumes it",
        listed(.left)
    )]
    TasksNotDone { folder: PathBuf, all: usize, left: Vec<usize> },
    #[error(
        "{folder} is of another survey than task 1: {key} is {first} there and {own} here; model that task again"
    )]
    UnlikeTasks { folder: PathBuf, key: String, first: String, own: String },
    #[error("{folder} is done, but its {file} {how}; {}", again(.task))]
    DamagedTask { folder: PathBuf, file: &'static str, how: String, task: Task },
    #[error(
        "the journal of {folder} lists {}, and that task is of shots {} to {}; {}",
        counted(*.count, *.first), share.start + 1, share.end, again(.task)
    )]
    OtherShots { folder: PathBuf, count: usize, first: usize, share: Range<usize>, task: Task },
    #[error("the files of shot {shot} in {folder} are damaged; {}", again(.task))]
    DamagedShot { folder: PathBuf, shot: usize, task: Task },
    #[error(
        "{folder} holds shares of huygens {command}; merge them with huygens {command} JOB --merge --out {folder}"
    )]
    OfAnotherCommand { folder: PathBuf, command: String },
    #[error("{folder} holds tasks of another job: {difference}; give --merge the job of the tasks")]
    AnotherJob { folder: PathBuf, difference: String },
    #[error(
        "{folder} holds {other} beside tasks; move that elsewhere, or replace what has the names of the survey's files with --force"
    )]
    MoreThanTasks { folder: PathBuf, other: String },
}

/// How many shots, from the first on.
fn counted(count: usize, first: usize) -> String {
    match count {
        0 => "no shots".into(),
        1 => format!("shot {first}"),
        _ => format!("{count} shots from {first} on"),
    }
}

fn listed(tasks: &[usize]) -> String {
    let numbers = tasks.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match tasks.len() {
        1 => format!("task {numbers} is not done"),
        _ => format!("tasks {numbers} are not done"),
    }
}

/// A task that does its work again.
fn again(Task { this, all }: &Task) -> String {
    format!("do it again with --task {this}/{all} --force")
}
