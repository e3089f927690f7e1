//! A lock that lets one run at a time write to a folder.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

/// Name of the lock's file.
const NAME: &str = ".huygens.lock";

/// A locked folder, until this is dropped. The system releases the lock with the process.
#[derive(Debug)]
pub(super) struct FolderLock {
    path: PathBuf,
    file: Option<File>,
    /// Whether the disk supports locks.
    held: bool,
}

impl FolderLock {
    /// Locks a folder; `None` if another run has it.
    pub fn take(folder: &Path) -> io::Result<Option<Self>> {
        let path = folder.join(NAME);
        loop {
            let file = File::options().write(true).create(true).truncate(false).open(&path)?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Ok(None),
                // Without locks, runs are not kept apart.
                Err(TryLockError::Error(error)) => {
                    tracing::debug!(%error, "the folder cannot be locked");
                    return Ok(Some(FolderLock { path, file: Some(file), held: false }));
                }
                Ok(()) if is_at(&file, &path)? => {
                    return Ok(Some(FolderLock { path, file: Some(file), held: true }));
                }
                // The previous owner has removed the file meanwhile.
                Ok(()) => {}
            }
        }
    }

    /// True if no other run can be in the folder.
    pub fn is_held(&self) -> bool {
        self.held
    }

    /// True if a name in a folder is a lock's.
    pub fn is(name: &str) -> bool {
        name == NAME
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Where an open file can be removed, it is removed while it is still locked.
        if cfg!(unix) {
            let _ = fs::remove_file(&self.path);
        }
        self.file = None;
        if cfg!(not(unix)) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// True if the open file is the one at this path now.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok((open.dev(), open.ino()) == (named.dev(), named.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_one_runs_until_it_lets_go() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let take = || FolderLock::take(folder.path()).expect("a folder that can be written to");
        let first = take().expect("nobody has it");
        assert!(take().is_none());
        drop(first);
        assert_eq!(folder.path().read_dir().expect("a folder").count(), 0, "nothing is left");
        assert!(take().is_some());
    }
}
