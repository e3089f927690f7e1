//! `huygens completions`.

use super::{Cli, failure::Failure};
use clap::CommandFactory;
use clap_complete::{Shell, generate};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
                        huygens completions bash > ~/.local/share/bash-completion/completions/huygens\n  \
                        huygens completions zsh > ~/.zfunc/_huygens\n  \
                        huygens completions fish > ~/.config/fish/completions/huygens.fish")]
pub struct Arguments {
    /// The shell.
    shell: Shell,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut text = Vec::new();
    generate(arguments.shell, &mut Cli::command(), "huygens", &mut text);
    super::put(&text)
}
