//! Folders that are created for a file, and removed again if it is not written.

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
    pub fn folders(folder: &Path) -> io::Result<Self> {
        let missing = folder.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists());
        let made =
            Made { folder: folder.to_owned(), outermost: missing.last().map(Path::to_owned) };
        std::fs::create_dir_all(folder)?;
        Ok(made)
    }

    /// Leaves them where they are.
    pub fn keep(mut self) {
        self.outermost = None;
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
