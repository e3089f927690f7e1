//! What the user reads: results on standard output, all else on standard error. A reader of either may go away, which
//! ends nothing: what a run made is in its files.

use super::{failure::Failure, progress, timeline};
use std::{
    fmt::Display,
    io::{self, ErrorKind, Write, stderr, stdout},
    process::ExitCode,
};
use tracing_subscriber::{Layer, layer::SubscriberExt, util::SubscriberInitExt};

/// A line for the user on standard error; where that takes nothing, it is lost.
pub fn tell(line: impl Display) {
    // Nothing is shown of a line that cannot be shown.
    let _ = AboveBars.write_all(format!("{line}\n").as_bytes());
}

/// A result on standard output. Who closed it has read enough; a disk that is full is a failure.
pub fn print(text: impl Display) -> Result<(), Failure> {
    put(format!("{text}\n").as_bytes())
}

/// The same of bytes.
pub fn put(bytes: &[u8]) -> Result<(), Failure> {
    let mut output = stdout();
    printed(progress::above(|| output.write_all(bytes).and_then(|()| output.flush())))
}

/// What a command line has instead of a command: help, the version or a mistake.
pub fn answer(error: &clap::Error) -> ExitCode {
    let said = error.print().and_then(|()| stdout().flush());
    match printed(said) {
        // That nobody reads of a mistake does not make it another one.
        Err(failure) if !error.use_stderr() => failure.report(),
        _ => ExitCode::from(error.exit_code() as u8),
    }
}

fn printed(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::run(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Standard error, without writing into the bars. It takes everything, though it may not get anywhere: who writes to it,
/// such as the log, would else complain of it on standard error, and panic.
struct AboveBars;

impl Write for AboveBars {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = progress::above(|| stderr().write_all(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Events of this crate on standard error; `RUST_LOG` says otherwise. With `traced` spans are recorded for a timeline.
pub fn log(quiet: bool, verbose: u8, traced: bool) {
    let level = match (quiet, verbose) {
        (true, _) => "error",
        (_, 0) => "warn",
        (_, 1) => "huygens=debug",
        _ => "huygens=trace,wgpu_core=info",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(level));
    let told = tracing_subscriber::fmt::layer()
        .with_writer(|| AboveBars)
        // Where in the code a message comes from is for those who ask for more.
        .with_target(verbose > 0)
        .without_time()
        // Spans are of the timeline alone.
        .with_filter(filter.add_directive("timeline=off".parse().expect("a directive")));
    let timeline = traced.then(timeline::record);
    tracing_subscriber::registry().with(told).with(timeline).init();
}
