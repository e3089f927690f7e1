//! `huygens completions`.

use crate::cli::{failure::Failure, terminal::say::put};
use clap::Command;
use clap_complete::{Shell, generate};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
                        huygens completions bash > ~/.local/share/bash-completion/completions/huygens\n  \
                        huygens completions zsh > ~/.zfunc/_huygens\n  \
                        huygens completions fish > ~/.config/fish/completions/huygens.fish")]
pub(crate) struct Arguments {
    /// The shell.
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments, mut program: Command) -> Result<(), Failure> {
    let mut text = Vec::new();
    generate(arguments.shell, &mut program, "huygens", &mut text);
    put(&text)
}
