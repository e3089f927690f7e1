//! `huygens job`: a starting job file, and the schema of job files.

mod new;
mod schema;

use crate::{
    cli::{
        failure::Failure,
        terminal::{progress::tell, say::print},
    },
    io::whole,
};
use clap::Subcommand;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Writes a job file that runs unchanged, with every key explained.
    New(new::Arguments),
    /// Writes the JSON schema of job files, with which editors complete and check them.
    Schema(schema::Arguments),
}

/// Where a text goes.
#[derive(clap::Args)]
pub(crate) struct Destination {
    /// File to write; without it, or with -, standard output.
    file: Option<PathBuf>,
    /// Overwrite the file.
    #[arg(long, requires = "file")]
    force: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::New(arguments) => new::run(arguments),
        Command::Schema(arguments) => schema::run(arguments),
    }
}

impl Destination {
    /// The file, if it is not standard output.
    fn named(&self) -> Option<&Path> {
        self.file.as_deref().filter(|file| *file != Path::new("-"))
    }

    /// Writes a text to a file, and then prints `then`.
    pub(crate) fn write(
        &self,
        text: &str,
        then: impl FnOnce(&Path) -> String,
    ) -> Result<(), Failure> {
        let Some(file) = self.named() else { return print(text.trim_end()) };
        whole::write(file, text.as_bytes(), self.force)?;
        tell(then(file));
        Ok(())
    }
}
