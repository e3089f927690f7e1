//! Locks: of a folder, to which one run at a time writes, and of a file that is being written.

use super::dir::{Access, Dir};
use std::{
    fs::{self, DirEntry, File, TryLockError},
    io,
    path::Path,
};

/// What became of locking a file.
pub(super) enum Lock {
    /// It is locked until it is closed.
    Held,
    /// Another process has it.
    Taken,
    /// Its path is that of another file by now, or of none.
    Gone,
    /// The disk has no locks.
    Absent(io::Error),
}

/// Locks the open file of a path.
pub(super) fn lock(file: &File, path: &Path) -> io::Result<Lock> {
    lock_if(file, || is_at(file, path))
}

fn lock_if(file: &File, is_at: impl Fn() -> io::Result<bool>) -> io::Result<Lock> {
    Ok(match file.try_lock() {
        Ok(()) if is_at()? => Lock::Held,
        Ok(()) => Lock::Gone,
        Err(TryLockError::WouldBlock) => Lock::Taken,
        Err(TryLockError::Error(error)) => Lock::Absent(error),
    })
}

/// Removes a plain file whose lock nobody has.
pub(super) fn remove_unlocked(entry: &DirEntry) {
    let path = entry.path();
    // A pipe would wait for a reader.
    if entry.file_type().is_ok_and(|kind| kind.is_file())
        && let Ok(file) = File::options().write(true).open(&path)
        && matches!(lock(&file, &path), Ok(Lock::Held))
    {
        let _ = fs::remove_file(path);
    }
}

const NAME: &str = ".huygens.lock";

/// A locked folder, until this is dropped. The system releases the lock with the process.
#[derive(Debug)]
pub(super) struct FolderLock {
    folder: Dir,
    file: Option<File>,
    /// Whether the disk supports locks.
    held: bool,
}

impl FolderLock {
    /// Locks a folder; `None` if another run has it.
    pub(crate) fn take(folder: &Dir) -> io::Result<Option<Self>> {
        loop {
            let file = folder.file_for(Access::Write, NAME.as_ref())?;
            let held = match lock_if(&file, || folder.is_at(&file, NAME))? {
                Lock::Held => true,
                Lock::Taken => return Ok(None),
                // Its owner has removed it meanwhile.
                Lock::Gone => continue,
                Lock::Absent(error) => {
                    tracing::warn!(
                        "{} cannot be locked ({error}): nothing keeps a second run out of it, so start one at a time there",
                        folder.path().display()
                    );
                    false
                }
            };
            return Ok(Some(FolderLock { folder: folder.clone(), file: Some(file), held }));
        }
    }

    /// True if no other run can be in the folder.
    pub(crate) fn is_held(&self) -> bool {
        self.held
    }

    /// True if a name in a folder is a lock's.
    pub(crate) fn is(name: &str) -> bool {
        name == NAME
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Another run's may be in its place.
        if self.file.as_ref().is_some_and(|file| !self.folder.is_at(file, NAME).unwrap_or(true)) {
            return;
        }
        // Where an open file can be removed, it is removed while it is still locked.
        if cfg!(unix) {
            let _ = self.folder.remove_file(NAME);
        }
        self.file = None;
        if cfg!(not(unix)) {
            let _ = self.folder.remove_file(NAME);
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
        let opened = Dir::open(folder.path()).expect("a folder");
        let take = || FolderLock::take(&opened).expect("a folder that can be written to");
        let first = take().expect("nobody has it");
        assert!(take().is_none());
        drop(first);
        assert_eq!(folder.path().read_dir().expect("a folder").count(), 0, "nothing is left");
        assert!(take().is_some());
    }
}
