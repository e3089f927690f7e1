//! The command line: commands, job files, progress, exit codes. No physics, no GPU code.

mod check;
mod completions;
mod device;
mod devices;
mod failure;
mod gather;
mod gradient;
mod invert;
mod job;
mod kernel;
mod ladder;
mod locate;
mod man;
mod merge;
mod model;
mod named;
mod picture;
mod progress;
mod ranks;
mod remedy;
mod rtm;
mod say;
mod session;
mod shot;
mod survey;
mod timeline;
mod tune;
mod zero_offset;

use clap::{CommandFactory, Parser, Subcommand};
use device::{Device, Devices, Splitting};
use failure::Failure;
use huygens::results::PROGRAM;
use named::{explained, named};
use progress::tell;
use ranks::Takes;
use say::{print, put};
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
    /// Checks a job without running it: stability, dispersion, memory, device.
    Check(check::Arguments),
    /// Prints what a shell needs to complete this program's commands.
    Completions(completions::Arguments),
    /// Lists what can run here and what `auto` takes.
    Devices(devices::Arguments),
    /// Reads, converts, draws and conditions recorded gathers.
    Gather(gather::Arguments),
    /// Computes the misfit of modelled to observed traces, and its gradient by the model.
    Gradient(gradient::Arguments),
    /// Inverts observed traces for the velocity model, band by band of frequencies.
    Invert(invert::Arguments),
    /// Writes a job file to begin with, and the schema of job files.
    Job(job::Arguments),
    /// Benchmarks stencil kernels, one optimisation at a time: the ladder of a GPU's memory.
    Ladder(ladder::Arguments),
    /// Prints the manual page, or writes one for each command.
    Man(man::Arguments),
    /// Sends a gather back into the ground and finds where its waves came from.
    Locate(locate::Arguments),
    /// Merges the parts of a survey that tasks modelled.
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
    /// What it does with several ranks.
    fn takes_ranks(&self) -> Takes {
        match self {
            Command::Shot(shot) if shot.share.task.is_some() => Takes::Each,
            Command::Rtm(rtm) if rtm.share.task.is_some() => Takes::Each,
            Command::Rtm(rtm) if rtm.merge => Takes::None,
            Command::Shot(_) | Command::Rtm(_) => Takes::Shares,
            Command::Devices(_) => Takes::Each,
            _ => Takes::None,
        }
    }

    /// True if a timeline is requested.
    fn is_traced(&self) -> bool {
        match self {
            Command::Gradient(arguments) => arguments.output.trace,
            Command::Invert(arguments) => arguments.output.trace,
            Command::Ladder(arguments) => arguments.trace,
            Command::Locate(arguments) => arguments.output.trace,
            Command::Rtm(arguments) => arguments.output.trace,
            Command::Shot(arguments) => arguments.output.trace,
            Command::ZeroOffset(arguments) => arguments.output.trace,
            _ => false,
        }
    }
}

/// Runs the given command.
pub fn run() -> ExitCode {
    huygens::remedy::say_as(remedy::in_words);
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return say::answer(&error),
    };
    if matches!(cli.command, Command::Gather(_)) {
        remedy::say_in_flags_of_gather();
    }
    let (speaks, begun) = ranks::begin(cli.command.takes_ranks());
    let quiet = cli.quiet || !speaks;
    say::log(quiet, if speaks { cli.verbose } else { 0 }, cli.command.is_traced());
    if quiet {
        progress::be_quiet();
    }
    match begun {
        Ok(()) => ranks::end(perform(&cli.command), || cli.command.merge()),
        Err(failure) if speaks => failure.report(),
        Err(failure) => ExitCode::from(failure.code()),
    }
}

fn perform(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Check(arguments) => check::run(arguments),
        Command::Completions(arguments) => completions::run(arguments, Cli::command()),
        Command::Devices(arguments) => devices::run(arguments),
        Command::Gather(arguments) => gather::run(arguments),
        Command::Gradient(arguments) => gradient::run(arguments),
        Command::Invert(arguments) => invert::run(arguments),
        Command::Job(arguments) => job::run(arguments),
        Command::Ladder(arguments) => ladder::run(arguments),
        Command::Locate(arguments) => locate::run(arguments),
        Command::Man(arguments) => man::run(arguments, Cli::command()),
        Command::Merge(arguments) => merge::run(arguments),
        Command::Model(arguments) => model::run(arguments),
        Command::Rtm(arguments) => rtm::run(arguments),
        Command::Shot(arguments) => shot::run(arguments),
        Command::Tune(arguments) => tune::run(arguments),
        Command::ZeroOffset(arguments) => zero_offset::run(arguments),
    }
}

impl Command {
    /// Merges the tasks of the ranks.
    fn merge(&self) -> Result<(), Failure> {
        match self {
            Command::Shot(arguments) => shot::merge(arguments),
            Command::Rtm(arguments) => rtm::merge(arguments),
            _ => Ok(()),
        }
    }
}
