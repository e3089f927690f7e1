//! `huygens man`.

use crate::{
    cli::{
        failure::Failure,
        terminal::{progress::tell, say::put},
    },
    io::folder::{Earlier, OutputFolder},
};
use clap::Command;
use clap_mangen::Man;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens man | man -l -\n  \
                        huygens man --out ~/.local/share/man/man1 --force")]
pub(crate) struct Arguments {
    /// Folder for the pages of all commands, huygens-shot.1 and so on, created if it is missing. Without it, the page of
    /// the program is printed.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write into a folder that is not empty, over pages of the same name.
    #[arg(long, requires = "out")]
    force: bool,
}

pub(crate) fn run(arguments: &Arguments, mut program: Command) -> Result<(), Failure> {
    program.build();
    let Some(out) = &arguments.out else {
        return put(&page(&program, "huygens")?);
    };
    let folder = OutputFolder::new(out, None, Earlier::of(arguments.force))?;
    write(&folder, &program, "huygens")?;
    let pages = folder.files().len();
    folder.commit()?;
    tell(format_args!("{pages} pages in {}", out.display()));
    Ok(())
}

/// Writes the page of a command and those of its subcommands: `huygens-model-info.1`.
fn write(folder: &OutputFolder, command: &Command, name: &str) -> Result<(), Failure> {
    folder.write(&format!("{name}.1"), &page(command, name)?)?;
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        write(folder, inner, &format!("{name}-{}", inner.get_name()))?;
    }
    Ok(())
}

fn page(command: &Command, name: &str) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    let man = Man::new(command.clone()).title(name.to_uppercase()).manual("huygens");
    man.source(concat!("huygens ", env!("CARGO_PKG_VERSION")))
        .render(&mut text)
        .map_err(Failure::run)?;
    Ok(text)
}
