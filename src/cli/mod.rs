//! The command line: commands, job files, progress, exit codes. No physics and no GPU.

mod check;
mod completions;
mod device;
mod devices;
mod failure;
mod job;
mod kernel;
mod ladder;
mod locate;
mod man;
mod model;
mod movie;
mod picture;
mod progress;
mod record;
mod shot;
mod tune;
mod zero_offset;

use clap::{Parser, Subcommand};
use device::{Backend, Device};
use failure::Failure;
use std::{
    io::{ErrorKind, Write},
    path::Path,
    process::ExitCode,
};

/// Acoustic seismic waves on every GPU.
#[derive(Parser)]
#[command(
    version,
    about,
    after_help = "Example: huygens shot            models the built-in salt case into the folder out\n\
                  Exit codes: 0 done, 1 the run failed, 2 the input is wrong."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Say nothing but errors.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Say more; twice for everything.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
}

#[derive(Subcommand)]
enum Command {
    /// Says all that is known of a job before it runs: stability, dispersion, memory, what would run it.
    Check(check::Arguments),
    /// Prints what a shell needs to complete this program's commands.
    Completions(completions::Arguments),
    /// Lists what can run here and what `auto` takes.
    Devices(devices::Arguments),
    /// Writes a job file to begin with, and the schema of job files.
    Job(job::Arguments),
    /// Climbs the ladder of a GPU's memory, a rung at a time, and says what each bought.
    Ladder(ladder::Arguments),
    /// Prints the manual page, or writes one for each command.
    Man(man::Arguments),
    /// Sends a gather back into the ground and finds where its waves came from.
    Locate(locate::Arguments),
    /// Reads, converts, draws and builds velocity models.
    Model(model::Arguments),
    /// Models one or many shots.
    Shot(shot::Arguments),
    /// Times the kernels that step a field on this device, and remembers the fastest.
    Tune(tune::Arguments),
    /// Makes the zero-offset section of a model by exploding reflectors, or migrates one.
    ZeroOffset(zero_offset::Arguments),
}

/// Runs the command that the user gave.
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    log(cli.quiet, cli.verbose);
    if cli.quiet {
        progress::be_quiet();
    }
    let done = match &cli.command {
        Command::Check(arguments) => check::run(arguments, cli.quiet),
        Command::Completions(arguments) => completions::run(arguments),
        Command::Devices(arguments) => devices::run(arguments),
        Command::Job(arguments) => job::run(arguments, cli.quiet),
        Command::Ladder(arguments) => ladder::run(arguments, cli.quiet),
        Command::Locate(arguments) => locate::run(arguments, cli.quiet),
        Command::Man(arguments) => man::run(arguments, cli.quiet),
        Command::Model(arguments) => model::run(arguments, cli.quiet),
        Command::Shot(arguments) => shot::run(arguments, cli.quiet),
        Command::Tune(arguments) => tune::run(arguments),
        Command::ZeroOffset(arguments) => zero_offset::run(arguments, cli.quiet),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Whose a record is, as it says itself.
const PROGRAM: &str = "huygens";

/// The files that an earlier run left in a folder, as its record lists them. Other programs leave records of such
/// names too, and files that are not ours to remove.
fn written_before(folder: &Path, record: &str) -> Vec<String> {
    let record = std::fs::read(folder.join(record)).unwrap_or_default();
    let record: serde_json::Value = serde_json::from_slice(&record).unwrap_or_default();
    let ours = record["program"] == PROGRAM;
    let files = record["files"].as_array().filter(|_| ours).cloned().unwrap_or_default();
    files.iter().filter_map(|file| file.as_str().map(str::to_owned)).collect()
}

/// A line for the user on standard error; a closed one is no failure.
fn tell(line: impl std::fmt::Display) {
    let _ = progress::above(|| writeln!(std::io::stderr(), "{line}"));
}

/// A result on standard output. Who closed it has read enough; a disk that is full is a failure.
fn print(text: impl std::fmt::Display) -> Result<(), Failure> {
    put(format!("{text}\n").as_bytes())
}

/// The same of bytes.
fn put(bytes: &[u8]) -> Result<(), Failure> {
    let mut output = std::io::stdout();
    match progress::above(|| output.write_all(bytes).and_then(|()| output.flush())) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::run(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Standard error, without writing into the bars.
struct AboveBars;

impl Write for AboveBars {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        progress::above(|| std::io::stderr().write(bytes))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stderr().flush()
    }
}

/// Events of this crate on standard error; `RUST_LOG` says otherwise.
fn log(quiet: bool, verbose: u8) {
    let level = match (quiet, verbose) {
        (true, _) => "error",
        (_, 0) => "warn",
        (_, 1) => "huygens=debug",
        _ => "huygens=trace,wgpu_core=info",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| AboveBars)
        // Where in the code a message comes from is for those who ask for more.
        .with_target(verbose > 0)
        .without_time()
        .init();
}
