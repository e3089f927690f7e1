//! Reports on files, as text or JSON.

use super::trace_info::TraceInfo;
use crate::cli::{
    failure::Failure,
    terminal::{
        escape,
        say::{self, print},
    },
};
use serde::Serialize;
use std::{
    fmt::{Display, Write},
    path::{Path, PathBuf},
};

/// The report on a file, of its traces or of arrays.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum FileReport<A> {
    Arrays(Box<A>),
    Traces(Box<TraceInfo>),
}

/// Prints the reports on files, one that is not read after the others.
pub(crate) fn report<A: Serialize>(
    files: &[PathBuf],
    json: bool,
    read: impl Fn(&Path) -> Result<FileReport<A>, String>,
    text_of: impl Fn(&A) -> String,
) -> Result<(), Failure> {
    let (mut reports, mut refused) = (Vec::new(), Vec::new());
    for path in files {
        match read(path) {
            Ok(report) => reports.push(report),
            Err(message) => refused.push(message),
        }
    }
    if json {
        print(serde_json::to_string_pretty(&reports).map_err(Failure::run)?)?;
    } else if !reports.is_empty() {
        let texts = reports.iter().map(|report| match report {
            FileReport::Arrays(info) => text_of(info),
            FileReport::Traces(info) => info.text(),
        });
        print(texts.collect::<Vec<_>>().join("\n\n"))?;
    }
    let Some(last) = refused.pop() else { return Ok(()) };
    for message in refused {
        say::report(Failure::input(message), None);
    }
    Err(Failure::input(last))
}

/// The text of a report: the path, and a line per property, its name first.
pub(crate) struct Lines {
    text: String,
    width: usize,
}

impl Lines {
    /// With names of up to this many letters.
    pub(crate) fn new(path: &str, width: usize) -> Self {
        Lines { text: escape::line(path), width }
    }

    pub(crate) fn line(&mut self, name: &str, said: impl Display) {
        let (said, width) = (escape::line(said), self.width);
        write!(self.text, "\n  {name:<width$} {said}").expect("a string takes all");
    }

    /// The text, with the warnings at its end.
    pub(crate) fn end(mut self, warnings: &[String]) -> String {
        warnings.iter().for_each(|warning| self.line("warning", warning));
        self.text
    }
}
