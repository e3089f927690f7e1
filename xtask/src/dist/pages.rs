//! Manual pages and completions, which the program itself writes.

use super::{files, fresh, read, target::Built, write};
use crate::run::{Outcome, built, cargo, run};
use std::{
    env::consts,
    path::{Path, PathBuf},
    process::Command,
};

/// Shells, with the name of a completion script where the shell looks for it.
const SHELLS: [(&str, &str); 4] = [
    ("bash", "huygens.bash"),
    ("zsh", "_huygens"),
    ("fish", "huygens.fish"),
    ("powershell", "huygens.ps1"),
];

/// Folders with the pages.
pub struct Pages {
    man: PathBuf,
    completions: PathBuf,
}

impl Pages {
    /// Lets a program that runs here write them; without one, one is built.
    pub fn new(files: Option<&Built>) -> Result<Self, String> {
        let program = match files {
            Some(files) => files.program.clone(),
            None => {
                run(&mut cargo(&["build", "--package", "huygens"]))?;
                built("debug").join(format!("huygens{}", consts::EXE_SUFFIX))
            }
        };
        let folder = built("pages");
        fresh(&folder)?;
        let pages = Pages { man: folder.join("man1"), completions: folder.join("completions") };
        run(Command::new(&program).args(["man", "--out"]).arg(&pages.man))?;
        for (shell, name) in SHELLS {
            let mut command = Command::new(&program);
            let told = command.args(["completions", shell]).output();
            let told = told.map_err(|why| format!("{}: {why}", program.display()))?;
            write(&pages.completions.join(name), told.stdout)?;
        }
        Ok(pages)
    }

    /// The manual pages.
    pub fn man(&self) -> Result<Vec<PathBuf>, String> {
        files(&self.man)
    }

    /// The completion scripts.
    pub fn completions(&self) -> Result<Vec<PathBuf>, String> {
        files(&self.completions)
    }

    /// Copies the script for a shell.
    pub fn completion(&self, shell: &str, to: &Path) -> Outcome {
        let name = SHELLS.iter().find(|(known, _)| *known == shell).map_or("", |(_, name)| name);
        write(to, read(&self.completions.join(name))?)
    }
}
