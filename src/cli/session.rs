//! Common parts of the commands that read a job, and of the location of sources.

use crate::cli::{
    failure::Failure,
    flags::output::OutputArguments,
    terminal::{
        progress::{self, Ends, Progress, end_on_ctrl_c, tell},
        say::print,
        shell::command,
    },
};
use huygens::{
    engine::{Description, Engine},
    io::folder::OutputFolder,
    job::JobFile,
    render::FigureSize,
    results::{Results, Show},
};
use serde::Serialize;
use std::{
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};
use tracing::span::EnteredSpan;

/// The results of a job in a folder, with pictures of a size.
pub fn results<'a>(
    folder: &'a OutputFolder,
    file: &'a JobFile,
    size: FigureSize,
    show: &'a Show<'a>,
) -> Results<'a> {
    Results { folder, file, size, command: command(), show, units: Default::default() }
}

/// The JSON text of a record.
pub fn json(record: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(record).map_err(Failure::run)
}

/// Displays reading and planning, until dropped.
pub fn planning() -> (Progress, EnteredSpan) {
    let span = tracing::info_span!(target: "timeline", "reading and planning").entered();
    (progress::doing("reading and planning"), span)
}

/// A command in progress.
pub struct Session {
    ends: Ends,
}

impl Session {
    pub fn begin() -> Self {
        Session { ends: end_on_ctrl_c() }
    }

    /// The flag that Ctrl-C sets. Until the first call Ctrl-C ends the program: reading and
    /// planning leave no output.
    pub fn stop(&self) -> Arc<AtomicBool> {
        self.ends.listening()
    }
}

/// Prints the engine of the job.
pub fn introduce(engine: &dyn Engine) -> Description {
    let description = engine.describe();
    tell(format_args!("on {}, {}", description.device, description.kernel));
    description
}

/// Adds the record to the files, moves them into place, and prints the record if requested.
pub fn finish(
    folder: OutputFolder,
    (name, record): (&str, &impl Serialize),
    output: &OutputArguments,
) -> Result<(), Failure> {
    let (json, at) = (json(record)?, folder.path());
    folder.write(name, json.as_bytes())?;
    folder.commit()?;
    if output.json {
        let whole = || format!("the results are whole, in {}", at.display());
        print(json).map_err(|failure| failure.with_note(whole()))?;
    }
    Ok(())
}

/// Prints the location of the results.
pub fn tell_where(out: &Path) {
    tell(format_args!("results in {}", out.display()));
}
