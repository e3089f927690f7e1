//! Output to the user: results on standard output, everything else on standard error. A closed pipe
//! on either is ignored: the results of a run are in its files.

use super::{
    escape,
    progress::{LogLines, above, write_line},
    timeline,
};
use crate::{
    cli::{failure::Failure, flags::gone},
    io::access::remedy,
    message::Names,
};
use std::{
    env,
    fmt::Display,
    io::{self, ErrorKind, Write, stdout},
    process::ExitCode,
};
use tracing_subscriber::{
    Layer,
    filter::{LevelFilter, Targets},
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

/// Writes a result to standard output. A closed pipe is no failure; a full disk is.
pub(crate) fn print(text: impl Display) -> Result<(), Failure> {
    put((escape::lines(text) + "\n").as_bytes())
}

/// Writes a text of our own likewise, as it is.
pub(crate) fn put(bytes: &[u8]) -> Result<(), Failure> {
    let mut output = stdout();
    printed(above(|| output.write_all(bytes).and_then(|()| output.flush())))
}

/// Prints help, the version or a usage error.
pub(crate) fn answer(error: &clap::Error) -> ExitCode {
    if let Some(gone) = gone::find(error) {
        return report(Failure::input(gone), None);
    }
    let has_controls = || env::args_os().any(|word| word != *escape::line(word.display()));
    if error.use_stderr() && has_controls() {
        // A line break of a word would look like one of ours.
        let text = error.render().to_string();
        let words: Vec<_> = text.split_whitespace().collect();
        write_line(escape::line(words.join(" ")));
        return ExitCode::from(error.exit_code() as u8);
    }
    let said = error.print().and_then(|()| stdout().flush());
    match printed(said) {
        // An unreadable usage error keeps its exit code.
        Err(failure) if !error.use_stderr() => report(failure, None),
        _ => ExitCode::from(error.exit_code() as u8),
    }
}

/// Shows a failure with these names of settings, and returns its exit code.
pub(crate) fn report(failure: Failure, names: Option<Names>) -> ExitCode {
    let code = failure.code();
    write_line(format_args!("{:?}", failure.shown(names)));
    ExitCode::from(code)
}

fn printed(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let remedy = remedy(&error);
            Err(Failure::run(format!("cannot write to standard output: {error}; {remedy}")))
        }
        _ => Ok(()),
    }
}

/// Logs events of this crate to standard error with these names of settings; `RUST_LOG` overrides
/// the level. With `traced` spans are recorded for a timeline.
pub(crate) fn log(quiet: bool, verbose: u8, traced: bool, names: Option<Names>) {
    let level = match (quiet, verbose) {
        (true, _) => "error",
        (_, 0) => "warn",
        (_, 1) => "huygens=debug",
        _ => "huygens=trace,wgpu_core=info",
    };
    let wanted = env::var("RUST_LOG").ok().and_then(|wanted| wanted.parse::<Targets>().ok());
    let filter = wanted.unwrap_or_else(|| level.parse().expect("targets and levels"));
    let told = tracing_subscriber::fmt::layer()
        .with_writer(move || LogLines(names))
        .with_ansi_sanitization(false)
        // The module of a message is shown only with --verbose.
        .with_target(verbose > 0)
        .without_time()
        // Spans are for the timeline only.
        .with_filter(filter.with_target("timeline", LevelFilter::OFF));
    let timeline = traced.then(timeline::record);
    tracing_subscriber::registry().with(told).with(timeline).init();
}
