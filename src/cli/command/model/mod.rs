//! `huygens model`: file contents, format conversion, pictures, and the built-in models.

mod axis_info;
mod build;
mod built;
mod contents;
mod convert;
mod info;
pub(crate) mod input;
mod output;
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
    /// Writes a built-in model.
    Build(build::Arguments),
    /// Converts a model to another format; can smooth, crop and resample it.
    Convert(convert::Arguments),
    /// Describes files.
    Info(info::Arguments),
    /// Draws a model.
    Plot(plot::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Build(arguments) => build::run(arguments),
        Command::Convert(arguments) => convert::run(arguments),
        Command::Info(arguments) => info::run(arguments),
        Command::Plot(arguments) => plot::run(arguments),
    }
}
