//! Failures as shown to the user: a message, the place in the job, and an exit code.

use crate::{
    cli::terminal::escape,
    engine::{
        EngineError,
        select::SelectError,
        share::{RankFailure, ShareError},
        tune::EnginesError,
    },
    io::{
        folder::FolderError, gather_arrays::GatherArraysError, gather_file::GatherFileError,
        model_file::ModelWriteError, whole::WholeError,
    },
    job::{JobError, Mistake},
    message::{self, Names, with_exponents},
    operations::locate::Doubt,
    plan::PlanError,
    results::ResultsError,
    run::{RunError, SurveyError},
};
use miette::Report;
use serde_json::{Value, json};
use std::{fmt::Display, io::ErrorKind};

/// The failure of a command.
pub(crate) enum Failure {
    /// Invalid input: exit code 2.
    Input(Report),
    /// The run failed: exit code 1.
    Run(Report),
    /// The field blew up: exit code 1.
    BlowUp(EngineError),
    /// Ctrl-C, with the message: exit code 1.
    Stopped(String),
}

/// An error and a note below its message, with the place of the error.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{report}\n{note}")]
#[diagnostic(forward(report))]
struct Noted {
    report: Report,
    note: String,
}

/// The advice after Ctrl-C.
const AGAIN: &str = "run it again";

impl Failure {
    /// Invalid input outside a job file.
    pub(crate) fn input(error: impl Display) -> Self {
        Failure::Input(report(error))
    }

    /// A failed run.
    pub(crate) fn run(error: impl Display) -> Self {
        Failure::Run(report(error))
    }

    /// A write error: an impossible path is invalid input, a full disk a failed run.
    fn of_writing(source: &std::io::Error, error: impl Display) -> Self {
        match source.kind() {
            ErrorKind::NotFound
            | ErrorKind::PermissionDenied
            | ErrorKind::AlreadyExists
            | ErrorKind::IsADirectory
            | ErrorKind::NotADirectory
            | ErrorKind::InvalidFilename
            | ErrorKind::InvalidInput
            | ErrorKind::ReadOnlyFilesystem => Failure::input(error),
            _ => Failure::run(error),
        }
    }

    /// The failure with a note appended.
    pub(crate) fn with_note(self, note: impl Display) -> Self {
        let noted = |report| Report::new(Noted { report, note: note.to_string() });
        match self {
            Failure::Input(report) => Failure::Input(noted(report)),
            Failure::Run(report) => Failure::Run(noted(report)),
            Failure::Stopped(said) => Failure::Run(noted(miette::miette!("{said}"))),
            Failure::BlowUp(error) => Failure::BlowUp(error),
        }
    }

    /// The JSON output in place of a result, with `--json`.
    pub(crate) fn json(&self) -> Value {
        let (mistake, remedy) = match self {
            Failure::Input(report) | Failure::Run(report) => {
                let report = report.downcast_ref::<Noted>().map_or(report, |noted| &noted.report);
                match report.downcast_ref::<Mistake>() {
                    Some(mistake) => (Some(mistake), mistake.remedy().to_owned()),
                    None => (None, message::remedy(&report.to_string()).to_owned()),
                }
            }
            Failure::BlowUp(error) => (None, message::remedy(&error.to_string()).to_owned()),
            Failure::Stopped(_) => (None, AGAIN.into()),
        };
        let place = mistake.and_then(Mistake::place);
        json!({ "error": {
            "message": self.message(),
            "file": mistake.map(Mistake::file),
            "line": place.map(|(line, _)| line),
            "column": place.map(|(_, column)| column),
            "remedy": (!remedy.is_empty()).then_some(remedy),
        } })
    }

    /// The message, without the place.
    pub(crate) fn message(&self) -> String {
        match self {
            Failure::Input(report) | Failure::Run(report) => report.to_string(),
            Failure::BlowUp(error) => error.to_string(),
            Failure::Stopped(said) => format!("{said}; nothing was written, {AGAIN}"),
        }
    }

    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        if matches!(self, Failure::Input(_)) { 2 } else { 1 }
    }

    /// The message and the place, as they are shown, with these names of settings.
    pub(crate) fn shown(self, names: Option<Names>) -> Report {
        let said = self.message();
        match self {
            Failure::Input(report) | Failure::Run(report) => harmless(report, names),
            Failure::BlowUp(_) | Failure::Stopped(_) => miette::miette!("{}", escape::line(said)),
        }
    }
}

fn report(error: impl Display) -> Report {
    Report::msg(with_exponents(&error.to_string()))
}

/// The report without characters that a terminal would obey.
fn harmless(report: Report, names: Option<Names>) -> Report {
    let report = match report.downcast::<Noted>() {
        Ok(Noted { report, note }) => {
            let report = harmless(report, names);
            return Report::new(Noted { report, note: escape::line(note) });
        }
        Err(report) => report,
    };
    match report.downcast::<Mistake>() {
        Ok(mistake) => Report::new(mistake.shown_with(escape::line, escape::excerpt)),
        Err(report) => miette::miette!("{}", escape::line(named(names, report))),
    }
}

/// The text with these names of settings.
pub(crate) fn named(names: Option<Names>, text: impl Display) -> String {
    let text = text.to_string();
    names.map_or_else(|| text.clone(), |names| names.translate(&text))
}

impl From<JobError> for Failure {
    fn from(error: JobError) -> Self {
        match error {
            JobError::Mistake(mistake) => Failure::Input(Report::new(*mistake)),
            JobError::Other(message) => Failure::input(message),
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::TooLarge { .. }
            | EngineError::DoesNotFit(_)
            | EngineError::OutOfMemory { .. }
            | EngineError::Slabs { .. }
            | EngineError::AdjointSlabs { .. }
            | EngineError::SourceWavefieldSize { .. } => Failure::input(error),
            EngineError::Share(ShareError::Rank(RankFailure { input: false, .. })) => {
                Failure::run(error)
            }
            EngineError::Share(_) => Failure::input(error),
            EngineError::BlowUp { .. } => Failure::BlowUp(error),
            EngineError::Stopped { .. } => Failure::Stopped(error.to_string()),
            _ => Failure::run(error),
        }
    }
}

impl From<ResultsError> for Failure {
    fn from(error: ResultsError) -> Self {
        match error {
            ResultsError::Job(error) => error.into(),
            ResultsError::Folder(error) => error.into(),
            ResultsError::Size(_) => Failure::input(error.to_string()),
            ResultsError::Frames { .. } => {
                Failure::run(format_args!("{error}; choose another disk with --out"))
            }
            ResultsError::Stopped => Failure::Stopped(error.to_string()),
            _ => Failure::run(error),
        }
    }
}

impl From<SurveyError> for Failure {
    fn from(error: SurveyError) -> Self {
        match error {
            SurveyError::Folder(error) => error.into(),
            error => Failure::input(error),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Job(error) => error.into(),
            RunError::Plan(error) => error.into(),
            RunError::Memory(error) => Failure::input(error),
            RunError::Select(error) => error.into(),
            RunError::Engines(error) => error.into(),
            RunError::Engine(error) => error.into(),
            RunError::Results(error) => error.into(),
            RunError::Survey(error) => error.into(),
            RunError::Input(message) => Failure::input(message),
            RunError::Failed(message) => Failure::run(message),
            RunError::Noted { error, note } => match Failure::from(*error) {
                Failure::BlowUp(error) => Failure::run(error).with_note(note),
                failure => failure.with_note(note),
            },
        }
    }
}

/// Nothing was found.
impl From<Doubt> for Failure {
    fn from(doubt: Doubt) -> Self {
        Failure::run(doubt)
    }
}

impl From<EnginesError> for Failure {
    fn from(error: EnginesError) -> Self {
        match error {
            EnginesError::Engine(error) => error.into(),
            error => Failure::input(error),
        }
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        Failure::input(error)
    }
}

impl From<SelectError> for Failure {
    fn from(error: SelectError) -> Self {
        match error {
            SelectError::Engine(error) => Failure::run(error),
            _ => Failure::input(error),
        }
    }
}

impl From<WholeError> for Failure {
    fn from(error: WholeError) -> Self {
        match &error {
            WholeError::Stopped { .. } => Failure::run(error),
            WholeError::There { .. } => Failure::input(error),
            WholeError::Io { source, .. } => Failure::of_writing(source, &error),
        }
    }
}

impl From<ModelWriteError> for Failure {
    fn from(error: ModelWriteError) -> Self {
        match error {
            ModelWriteError::Whole(error) => error.into(),
            error => Failure::input(error),
        }
    }
}

impl From<GatherFileError> for Failure {
    fn from(error: GatherFileError) -> Self {
        match error {
            GatherFileError::Whole(error)
            | GatherFileError::Arrays(GatherArraysError::Whole(error)) => error.into(),
            error => Failure::input(error),
        }
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        match &error {
            FolderError::Gone { .. } => Failure::run(error),
            FolderError::Io { source, .. } | FolderError::Unwritten { source, .. } => {
                Failure::of_writing(source, &error)
            }
            _ => Failure::input(error),
        }
    }
}
