//! `huygens gather`: what files of recorded traces hold, format conversion, pictures, and the
//! conditioning that location and migration need.

mod convert;
mod depth;
mod file;
mod filter;
mod headers;
mod info;
mod mute;
mod plot;

use crate::cli::failure::Failure;
use clap::Subcommand;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// From one format to another.
    Convert(convert::Arguments),
    /// Tapers, passes a band, applies gain and resamples.
    Filter(filter::Arguments),
    /// Says what files hold, and what in them disagrees.
    Info(info::Arguments),
    /// Sets what comes before the first arrivals, or after a time, to zero.
    Mute(mute::Arguments),
    /// Draws a record.
    Plot(plot::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Convert(arguments) => convert::run(arguments),
        Command::Filter(arguments) => filter::run(arguments),
        Command::Info(arguments) => info::run(arguments),
        Command::Mute(arguments) => mute::run(arguments),
        Command::Plot(arguments) => plot::run(arguments),
    }
}
