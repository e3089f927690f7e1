//! The commands: a file or a folder each; and `file_report` and `trace_info`, what two of them report.
//!
//! To add a command: a file or folder with `Arguments` and `run`; a variant of `Command` and an arm
//! of `run`, and of `is_traced`, `takes_ranks` and `merge` where they apply; a page in
//! `docs/commands/` with lines in its `index.md` and in `docs/SUMMARY.md`. A flag of several
//! commands is a file in `src/cli/flags/`. Work of more than half a second holds
//! `progress::doing("reading ...")` or a count.

mod check;
mod completions;
mod devices;
mod doctor;
mod file_report;
mod gather;
mod gradient;
mod invert;
mod job;
mod ladder;
mod locate;
mod lsrtm;
mod man;
mod merge;
mod model;
mod plot;
mod rtm;
mod shot;
mod trace_info;
mod tune;
mod zero_offset;

use super::{failure::Failure, flags::share::ShareArguments, ranks::Takes};
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Checks a job without running it: stability, dispersion, memory, device.
    Check(check::Arguments),
    /// Prints the completion script for a shell.
    Completions(completions::Arguments),
    /// Lists the devices of this machine, and the one that `auto` uses.
    Devices(devices::Arguments),
    /// Examines this machine, runs a shot on each device, and says what to install.
    Doctor(doctor::Arguments),
    /// Reads, converts, draws and conditions recorded gathers.
    Gather(gather::Arguments),
    /// Computes the misfit between modelled and observed traces, and its gradient.
    Gradient(gradient::Arguments),
    /// Inverts observed traces for a velocity model, one frequency band after another.
    Invert(invert::Arguments),
    /// Writes a job file to start from, and the schema of job files.
    Job(job::Arguments),
    /// Benchmarks stencil kernels, one optimisation at a time: the ladder of a GPU's memory.
    Ladder(ladder::Arguments),
    /// Least-squares migration: finds the image whose scattered waves fit the recorded ones.
    Lsrtm(lsrtm::Arguments),
    /// Locates the sources of a gather by time reversal.
    Locate(locate::Arguments),
    /// Prints the manual page, or writes one for each command.
    Man(man::Arguments),
    /// Joins the parts of a survey that tasks modelled.
    Merge(merge::Arguments),
    /// Reads, converts, draws and builds models of velocity or density.
    Model(model::Arguments),
    /// Draws a result of a run, a model or traces.
    Plot(plot::Arguments),
    /// Migrates the shots of a survey into an image of the reflectors (RTM).
    Rtm(rtm::Arguments),
    /// Models one or many shots.
    Shot(shot::Arguments),
    /// Measures the kernels on this device, and stores the fastest for later runs.
    Tune(tune::Arguments),
    /// Makes a zero-offset section by exploding reflectors, or migrates one.
    ZeroOffset(zero_offset::Arguments),
}

impl Command {
    /// What it does with several ranks.
    pub(crate) fn takes_ranks(&self) -> Takes {
        match self {
            Command::Gradient(gradient::Arguments { share, .. })
            | Command::Rtm(rtm::Arguments { share, .. })
            | Command::Shot(shot::Arguments { share, .. }) => match (share.task, share.merge) {
                (Some(_), _) => Takes::Each,
                (None, true) => Takes::None,
                (None, false) => Takes::Shares,
            },
            Command::Devices(_) | Command::Doctor(_) => Takes::Each,
            _ => Takes::None,
        }
    }

    /// True if a timeline is requested.
    pub(crate) fn is_traced(&self) -> bool {
        match self {
            Command::Gradient(arguments) => arguments.run.output.trace,
            Command::Invert(arguments) => arguments.run.output.trace,
            Command::Ladder(arguments) => arguments.trace,
            Command::Locate(arguments) => arguments.run.output.trace,
            Command::Lsrtm(arguments) => arguments.run.output.trace,
            Command::Rtm(arguments) => arguments.run.output.trace,
            Command::Shot(arguments) => arguments.run.output.trace,
            Command::ZeroOffset(arguments) => arguments.run.output.trace,
            _ => false,
        }
    }

    /// Runs it; `program` is the whole command line, which completions and manual pages show.
    pub(crate) fn run(&self, program: clap::Command) -> Result<(), Failure> {
        match self {
            Self::Check(arguments) => check::run(arguments),
            Self::Completions(arguments) => completions::run(arguments, program),
            Self::Devices(arguments) => devices::run(arguments),
            Self::Doctor(arguments) => doctor::run(arguments),
            Self::Gather(arguments) => gather::run(arguments),
            Self::Gradient(arguments) => gradient::run(arguments, &arguments.share),
            Self::Invert(arguments) => invert::run(arguments),
            Self::Job(arguments) => job::run(arguments),
            Self::Ladder(arguments) => ladder::run(arguments),
            Self::Locate(arguments) => locate::run(arguments),
            Self::Lsrtm(arguments) => lsrtm::run(arguments),
            Self::Man(arguments) => man::run(arguments, program),
            Self::Merge(arguments) => merge::run(arguments),
            Self::Model(arguments) => model::run(arguments),
            Self::Plot(arguments) => plot::run(arguments),
            Self::Rtm(arguments) => rtm::run(arguments, &arguments.share),
            Self::Shot(arguments) => shot::run(arguments, &arguments.share),
            Self::Tune(arguments) => tune::run(arguments),
            Self::ZeroOffset(arguments) => zero_offset::run(arguments),
        }
    }

    /// Merges the tasks of the ranks.
    pub(crate) fn merge(&self) -> Result<(), Failure> {
        let share = ShareArguments::to_merge();
        match self {
            Self::Gradient(arguments) => gradient::run(arguments, &share),
            Self::Rtm(arguments) => rtm::run(arguments, &share),
            Self::Shot(arguments) => shot::run(arguments, &share),
            _ => Ok(()),
        }
    }
}
