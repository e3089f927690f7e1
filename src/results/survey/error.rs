//! Errors of surveys in their folders.

use super::task::Task;
use crate::{
    io::{
        access::Unreadable,
        folder::{FolderError, RUN},
        journal::JournalError,
    },
    remedy::{Refusal, Remedy, remedies},
};
use std::path::PathBuf;

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
    #[error("{folder} is of another survey: {difference}; {}", remedies(self))]
    AnotherSurvey { folder: PathBuf, difference: String },
    #[error("the survey in {folder} is done, but {file} is missing; {}", remedies(self))]
    MissingFile { folder: PathBuf, file: String },
    #[error(
        "the survey in {folder} is done, but what {count} of its shots left is damaged, shot {first} first; {}",
        remedies(self)
    )]
    DamagedSurvey { folder: PathBuf, count: usize, first: usize },
    #[error("{folder} is a task of {all}, and this one is of {own}; {}", remedies(self))]
    OtherTasks { folder: PathBuf, all: usize, own: usize },
    #[error("{folder} holds no tasks of a survey; {}", remedies(self))]
    NoTasks { folder: PathBuf },
    #[error("tasks that are not done, of {all} in {folder}: {}; {}", listed(.left), remedies(self))]
    TasksNotDone { folder: PathBuf, all: usize, left: Vec<usize> },
    #[error(
        "{folder} is of another survey than task 1: {key} is {first} there and {own} here; {}",
        remedies(self)
    )]
    UnlikeTasks { folder: PathBuf, key: String, first: String, own: String },
    #[error("{folder}/{RUN} is damaged: {source}; {}", remedies(self))]
    DamagedRecord { folder: PathBuf, source: serde_json::Error },
    #[error(
        "the journals of the tasks in {folder} hold {found} of {all} shots; {}",
        remedies(self)
    )]
    MissingShots { folder: PathBuf, found: usize, all: u64 },
    #[error("what shot {shot} left in {folder} is damaged; {}", remedies(self))]
    DamagedShot { folder: PathBuf, shot: usize, task: Task },
    #[error("{folder} holds shares of a migration; {}", remedies(self))]
    OfMigration { folder: PathBuf },
    #[error("the tasks in {folder} are of another job: {difference}; {}", remedies(self))]
    AnotherJob { folder: PathBuf, difference: String },
    #[error("{folder} holds more than tasks; {}", remedies(self))]
    MoreThanTasks { folder: PathBuf },
}

impl Refusal for SurveyError {
    fn remedies(&self) -> Vec<Remedy> {
        use SurveyError as E;
        let forced = |what| vec![Remedy::Forced { what }];
        match self {
            E::Folder(error) => error.remedies(),
            E::Journal(error) => error.remedies(),
            E::Unreadable(error) => error.remedies(),
            E::AnotherSurvey { .. } => vec![Remedy::BeginAgain, Remedy::AnotherFolder],
            E::MissingFile { .. } | E::DamagedSurvey { .. } => vec![Remedy::BeginAgain],
            E::OtherTasks { all, .. } => {
                vec![Remedy::TaskOf { all: *all }, Remedy::AnotherFolder]
            }
            E::NoTasks { .. } => vec![Remedy::FolderOfTasks],
            E::TasksNotDone { all, .. } => vec![Remedy::EachTask { all: *all }],
            E::UnlikeTasks { .. } => vec!["model that task again".into()],
            E::DamagedRecord { .. } => forced("model that task again"),
            E::MissingShots { .. } => forced("run the tasks again"),
            E::DamagedShot { task: Task { this, all }, .. } => {
                vec![Remedy::TaskAgain { this: *this, all: *all }]
            }
            E::OfMigration { folder } => {
                vec![Remedy::Stack { folder: folder.display().to_string() }]
            }
            E::AnotherJob { .. } => vec!["give the job that they were given".into()],
            E::MoreThanTasks { .. } => vec![
                "move that elsewhere".into(),
                Remedy::Forced { what: "replace what has the names of the survey's files" },
            ],
        }
    }
}

fn listed(tasks: &[usize]) -> String {
    tasks.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
