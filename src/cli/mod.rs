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
mod merge;
mod model;
mod movie;
mod picture;
mod progress;
mod record;
mod rtm;
mod say;
mod session;
mod shot;
mod survey;
mod timeline;
mod tune;
mod zero_offset;

use clap::{Parser, Subcommand};
use device::{Backend, Device, Devices};
use say::{print, put, tell};
use std::process::ExitCode;

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
    /// Puts the shares of a survey that tasks modelled together.
    Merge(merge::Arguments),
    /// Reads, converts, draws and builds velocity models.
    Model(model::Arguments),
    /// Migrates the shots of a survey: an image of the reflectors.
    Rtm(rtm::Arguments),
    /// Models one or many shots.
    Shot(shot::Arguments),
    /// Times the kernels that step a field on this device, and remembers the fastest.
    Tune(tune::Arguments),
    /// Makes the zero-offset section of a model by exploding reflectors, or migrates one.
    ZeroOffset(zero_offset::Arguments),
}

impl Command {
    /// Whether a timeline of it is asked for.
    fn is_traced(&self) -> bool {
        match self {
            Command::Ladder(arguments) => arguments.trace,
            Command::Locate(arguments) => arguments.output.trace,
            Command::Rtm(arguments) => arguments.output.trace,
            Command::Shot(arguments) => arguments.output.trace,
            Command::ZeroOffset(arguments) => arguments.output.trace,
            _ => false,
        }
    }
}

/// Runs the command that the user gave.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return say::answer(&error),
    };
    say::log(cli.quiet, cli.verbose, cli.command.is_traced());
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
        Command::Merge(arguments) => merge::run(arguments, cli.quiet),
        Command::Model(arguments) => model::run(arguments, cli.quiet),
        Command::Rtm(arguments) => rtm::run(arguments, cli.quiet),
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
