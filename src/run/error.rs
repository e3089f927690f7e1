//! Errors of runs.

use super::task::Task;
use crate::{
    engine::{EngineError, select::SelectError, tune::EnginesError},
    host::NoMemory,
    io::{access::Unreadable, folder::FolderError, journal::JournalError},
    job::JobError,
    plan::PlanError,
    remedy::{Message, Refusal, Remedy, remedies},
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
    #[error("{}", .0.text)]
    Input(Message),
    #[error("{}", .0.text)]
    Failed(Message),
    #[error("{error}\n{note}")]
    Noted { error: Box<RunError>, note: String },
}

impl RunError {
    /// Of wrong input outside a job file.
    pub fn input(error: impl Into<Message>) -> Self {
        RunError::Input(error.into())
    }

    /// Of a run that gave nothing.
    pub fn failed(error: impl Into<Message>) -> Self {
        RunError::Failed(error.into())
    }

    /// With a note below the message.
    pub fn with_note(self, note: String) -> Self {
        RunError::Noted { error: Box::new(self), note }
    }

    /// Of a run of some shots of a survey, with the number of the shot there.
    pub fn with_shots(mut self, shots: &[usize]) -> Self {
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
    #[error("{folder} is of another run: {difference}; {}", remedies(self))]
    AnotherSurvey { folder: PathBuf, difference: String },
    #[error("the run in {folder} is done, but {file} is missing; {}", remedies(self))]
    MissingFile { folder: PathBuf, file: String },
    #[error(
        "the run in {folder} is done, but what {count} of its shots left is damaged, shot {first} first; {}",
        remedies(self)
    )]
    DamagedSurvey { folder: PathBuf, count: usize, first: usize },
    #[error(
        "the run in {folder} is done, but line {line} of its journal is damaged; {}",
        remedies(self)
    )]
    DamagedJournal { folder: PathBuf, line: usize },
    #[error("{file} of the run in the folder is damaged; {}", remedies(self))]
    Damaged { file: String },
    #[error("{folder} is a task of {all}, and this one is of {own}; {}", remedies(self))]
    OtherTasks { folder: PathBuf, all: usize, own: usize },
    #[error("{folder} holds no tasks of a survey; {}", remedies(self))]
    NoTasks { folder: PathBuf },
    #[error("{folder} is of {all} tasks, and {}; {}", listed(.left), remedies(self))]
    TasksNotDone { folder: PathBuf, all: usize, left: Vec<usize> },
    #[error(
        "{folder} is of another survey than task 1: {key} is {first} there and {own} here; {}",
        remedies(self)
    )]
    UnlikeTasks { folder: PathBuf, key: String, first: String, own: String },
    #[error("{folder} is done, but its {file} {how}; {}", remedies(self))]
    DamagedTask { folder: PathBuf, file: &'static str, how: String, task: Task },
    #[error(
        "the journal of {folder} lists {}, and that task is of shots {} to {}; {}",
        counted(*.found), share.start + 1, share.end, remedies(self)
    )]
    OtherShots { folder: PathBuf, found: (usize, usize), share: Range<usize>, task: Task },
    #[error("what shot {shot} left in {folder} is damaged; {}", remedies(self))]
    DamagedShot { folder: PathBuf, shot: usize, task: Task },
    #[error("{folder} holds shares of huygens {command}; {}", remedies(self))]
    OfAnotherCommand { folder: PathBuf, command: String },
    #[error("the tasks in {folder} are of another job: {difference}; {}", remedies(self))]
    AnotherJob { folder: PathBuf, difference: String },
    #[error("{folder} holds {other} beside tasks; {}", remedies(self))]
    MoreThanTasks { folder: PathBuf, other: String },
}

impl Refusal for SurveyError {
    fn remedies(&self) -> Vec<Remedy> {
        use SurveyError as E;
        match self {
            E::Folder(error) => error.remedies(),
            E::Journal(error) => error.remedies(),
            E::Unreadable(error) => error.remedies(),
            E::AnotherSurvey { .. } => vec![Remedy::BeginOver, Remedy::AnotherFolder],
            // Of runs that resume alone.
            E::Damaged { .. }
            | E::MissingFile { .. }
            | E::DamagedSurvey { .. }
            | E::DamagedJournal { .. } => {
                vec![Remedy::BeginOver]
            }
            E::OtherTasks { all, .. } => {
                vec![Remedy::TaskOf { all: *all }, Remedy::AnotherFolder]
            }
            E::NoTasks { .. } => vec![Remedy::FolderOfTasks],
            E::TasksNotDone { all, .. } => vec![Remedy::EachTask { all: *all }],
            E::UnlikeTasks { .. } => vec!["model that task again".into()],
            E::DamagedTask { task: Task { this, all }, .. }
            | E::OtherShots { task: Task { this, all }, .. }
            | E::DamagedShot { task: Task { this, all }, .. } => {
                vec![Remedy::TaskAgain { this: *this, all: *all }]
            }
            E::OfAnotherCommand { folder, command } => {
                let (command, folder) = (command.clone(), folder.display().to_string());
                vec![Remedy::Merge { command, folder }]
            }
            E::AnotherJob { .. } => vec!["give the job that they were given".into()],
            E::MoreThanTasks { .. } => vec![
                "move that elsewhere".into(),
                Remedy::Forced { what: "replace what has the names of the survey's files" },
            ],
        }
    }
}

/// How many shots, from the first on.
fn counted((count, first): (usize, usize)) -> String {
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
