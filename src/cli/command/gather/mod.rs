//! `huygens gather`: what files of recorded traces hold, format conversion, pictures, and the
//! conditioning that location and migration need.

mod convert;
pub(crate) mod depth;
pub(crate) mod drawn;
mod file;
mod filter;
mod headers;
mod info;
mod mute;
mod plot;
mod qc;

use crate::cli::failure::Failure;
use clap::Subcommand;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Converts a file to another format.
    Convert(convert::Arguments),
    /// Tapers, band-passes, scales and resamples traces.
    Filter(filter::Arguments),
    /// Describes files, and reports contradictions in their headers.
    Info(info::Arguments),
    /// Sets samples before the first arrivals, or after a time, to zero.
    Mute(mute::Arguments),
    /// Draws one record or several.
    Plot(plot::Arguments),
    /// Draws one page that shows the quality of a file, and prints a table of its headers.
    Qc(qc::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Convert(arguments) => convert::run(arguments),
        Command::Filter(arguments) => filter::run(arguments),
        Command::Info(arguments) => info::run(arguments),
        Command::Mute(arguments) => mute::run(arguments),
        Command::Plot(arguments) => plot::run(arguments),
        Command::Qc(arguments) => qc::run(arguments),
    }
}
