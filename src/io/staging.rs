//! The folder in an output folder where files wait until all are written.

use super::{
    commit::FINISHED,
    dir::{Dir, Kind},
    folder::UNFINISHED,
};
use std::{
    fs::File,
    io::{self, ErrorKind},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

/// Prefix of the name of a hidden one.
pub(super) const STAGING: &str = ".huygens-";

/// Removed when this is dropped, unless it is kept for a run that resumes.
#[derive(Debug)]
pub(super) struct Staging {
    dir: Dir,
    /// Its name in the output folder.
    pub(crate) name: String,
    pub(crate) is_hidden: bool,
    keeps: AtomicBool,
    /// Itself, whatever has its name.
    open: Option<File>,
}

impl Staging {
    /// Makes a hidden one.
    pub(crate) fn hidden(folder: &Dir) -> io::Result<Self> {
        let mut names = (0..).map(|k| format!("{STAGING}{}-{k}", std::process::id()));
        let name = names.find_map(|name| match folder.make_folder(&name) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => None,
            made => Some(made.map(|()| name)),
        });
        let name = name.expect("a number is free")?;
        Ok(Staging::of(folder, name, true))
    }

    /// Makes the one of a run that can be resumed.
    pub(crate) fn unfinished(folder: &Dir) -> io::Result<Self> {
        folder.make_folder(UNFINISHED)?;
        Ok(Staging::of(folder, UNFINISHED, false))
    }

    /// The one of an earlier run.
    pub(crate) fn resumed(folder: &Dir) -> Self {
        let staging = Staging::of(folder, UNFINISHED, false);
        staging.keep();
        staging
    }

    fn of(folder: &Dir, name: impl Into<String>, is_hidden: bool) -> Self {
        let name = name.into();
        let dir = folder.below(&name);
        let open = dir.opened("");
        Staging { dir, name, is_hidden, keeps: false.into(), open }
    }

    /// The folder.
    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Stays from now on if it is dropped, unless it is hidden.
    pub(crate) fn keep(&self) {
        self.keeps.store(!self.is_hidden, Relaxed);
    }

    /// False if it was moved or removed, whatever has its name now.
    pub(crate) fn is_there(&self) -> bool {
        self.dir.is_in_place() && self.is_itself()
    }

    fn is_itself(&self) -> bool {
        match &self.open {
            Some(open) => self.dir.is_at(open, "").unwrap_or(true),
            None => self.dir.has_folder(""),
        }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.keeps.load(Relaxed) && self.is_itself() {
            let _ = self.dir.remove_tree("");
        }
    }
}

/// True for what a killed run has left.
pub(super) fn is_left_over(name: &str, kind: Kind) -> bool {
    name.starts_with(STAGING) && name != FINISHED && kind == Kind::Folder
}
