//! Folders that are created for a file, and removed again if it is not written.

use super::synced;
use std::{
    io,
    path::{Path, PathBuf},
};

/// The created folders up to one; they are removed when this is dropped, unless kept.
#[derive(Debug)]
pub(super) struct Made {
    folder: PathBuf,
    /// The outermost one created.
    outermost: Option<PathBuf>,
}

impl Made {
    /// Creates a folder and those above it.
    pub(crate) fn folders(folder: &Path) -> io::Result<Self> {
        let missing = folder.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists());
        let made =
            Made { folder: folder.to_owned(), outermost: missing.last().map(Path::to_owned) };
        std::fs::create_dir_all(folder)?;
        Ok(made)
    }

    /// Leaves them where they are, once the disk has their names.
    pub(crate) fn keep(mut self) -> io::Result<()> {
        let Some(outermost) = self.outermost.take() else { return Ok(()) };
        let made = self.folder.ancestors().take_while(|folder| folder.starts_with(&outermost));
        made.filter_map(Path::parent).try_for_each(|above| match above.as_os_str().is_empty() {
            true => synced::folder(Path::new(".")),
            false => synced::folder(above),
        })
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        let Some(outermost) = &self.outermost else { return };
        for folder in self.folder.ancestors().take_while(|p| p.starts_with(outermost)) {
            // Only while it is empty, so that no file of the user is lost.
            if folder.exists() && std::fs::remove_dir(folder).is_err() {
                break;
            }
        }
    }
}
