//! A single file that is complete or absent.

use super::{
    access::remedy,
    lock::{self, Lock},
    made::Made,
    synced,
};
use std::{
    fs::File,
    io::{self, Write},
    path::Path,
};
use tempfile::NamedTempFile;

/// Reasons why a file was not written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum WholeError {
    #[error("{path} is there already; name another file, or overwrite it with --force")]
    There { path: String },
    #[error("cannot write {path}: {source}; {}, or name another file", remedy(.source))]
    Io { path: String, source: io::Error },
    #[error("stopped while writing {path}, as asked; nothing of it was kept")]
    Stopped { path: String },
}

/// Prefix of the name of a file that is being written.
const NEW: &str = ".huygens-new-";
/// Bytes between two checks whether to stop: a disk takes them in a moment.
const PIECE: usize = 16 << 20;

/// Checks that a file may be written: it is absent, or may be overwritten.
pub fn may_write(path: &Path, force: bool) -> Result<(), WholeError> {
    let name = || path.display().to_string();
    if path.is_dir() {
        return Err(WholeError::Io { path: name(), source: io::ErrorKind::IsADirectory.into() });
    }
    // A dangling link exists too.
    if path.symlink_metadata().is_ok() && !force {
        return Err(WholeError::There { path: name() });
    }
    Ok(())
}

/// Writes a file beside its place and moves it there; missing folders are created.
pub fn write(path: &Path, bytes: &[u8], force: bool) -> Result<(), WholeError> {
    make(path, force, |file| file.write_all(bytes))
}

/// Writes a file by `fill`, unless it is stopped before its end: nothing is left then, and an existing
/// file stays.
pub fn make_unless(
    stopped: &dyn Fn() -> bool,
    path: &Path,
    force: bool,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), WholeError> {
    let mut stop = false;
    let made = make(path, force, |file| {
        let mut pieces = Pieces { file, stopped, stop: false };
        let filled = fill(&mut pieces);
        stop = pieces.stop;
        filled
    });
    if stop { Err(WholeError::Stopped { path: path.display().to_string() }) } else { made }
}

/// A file that is written in pieces, and can be stopped after each.
struct Pieces<'a> {
    file: &'a mut File,
    stopped: &'a dyn Fn() -> bool,
    stop: bool,
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = bytes.len().min(PIECE);
        self.file.write_all(&bytes[..piece])?;
        self.stop = (self.stopped)();
        if self.stop { Err(io::Error::other("stopped")) } else { Ok(piece) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Writes a file by `fill` beside its place, and moves it there.
pub(crate) fn make(
    path: &Path,
    force: bool,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), WholeError> {
    may_write(path, force)?;
    let io = |source| WholeError::Io { path: path.display().to_string(), source };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = parent.unwrap_or(Path::new("."));
    let made = Made::folders(folder).map_err(io)?;
    let mut file = new_in(folder).map_err(io)?;
    fill(file.as_file_mut()).and_then(|()| synced::file(file.as_file())).map_err(io)?;
    match force {
        true => file.persist(path).map(|_| ()),
        false => file.persist_noclobber(path).map(|_| ()),
    }
    .map_err(|error| io(error.error))?;
    synced::folder(folder).and_then(|()| made.keep()).map_err(io)
}

/// A new file in a folder, locked while it is written. Those with a free lock, which killed programs
/// have left, are removed.
fn new_in(folder: &Path) -> io::Result<NamedTempFile> {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(NEW) {
            lock::remove_unlocked(&entry);
        }
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(NEW);
    // A temporary file is readable only by its owner; the final one gets the usual permissions.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    loop {
        let file = builder.tempfile_in(folder)?;
        // Another one may have found it before it was locked.
        if let Lock::Held | Lock::Absent(_) = lock::lock(file.as_file(), file.path())? {
            return Ok(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn what_a_killed_program_left_is_removed_and_what_is_being_written_stays() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let names = || {
            let entries = folder.path().read_dir().expect("a folder").flatten();
            let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
            names.sort();
            names
        };
        let being_written = new_in(folder.path()).expect("a place");
        std::fs::write(folder.path().join(".huygens-new-killed"), b"half").expect("written");
        std::fs::write(folder.path().join(".huygens-replaced.json"), b"a run's").expect("written");
        write(&folder.path().join("m.bin"), b"whole", false).expect("written");
        let own = being_written.path().file_name().expect("a name").to_owned();
        assert_eq!(names(), [own, ".huygens-replaced.json".into(), "m.bin".into()]);
    }

    #[test]
    fn a_file_that_is_stopped_leaves_nothing_and_what_was_there() -> Result<(), WholeError> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("m.bin");
        write(&path, b"old", false)?;
        let bytes = vec![1; PIECE + 1];
        // After the first piece, and after the last.
        for looks in [1, 2] {
            let left = Cell::new(looks);
            let stopped = || {
                left.set(left.get() - 1);
                left.get() == 0
            };
            let refused = make_unless(&stopped, &path, true, |file| file.write_all(&bytes));
            assert!(matches!(refused, Err(WholeError::Stopped { .. })), "{looks}");
            assert_eq!(std::fs::read(&path).expect("there"), b"old");
            assert_eq!(folder.path().read_dir().expect("a folder").count(), 1, "nothing is left");
        }
        make_unless(&|| false, &path, true, |file| file.write_all(&bytes))?;
        assert_eq!(std::fs::read(&path).expect("there"), bytes);
        Ok(())
    }
}
