//! The output folder of a run: its files are complete or absent.

#[cfg(test)]
mod tests;

pub use super::{
    dir::{Dir, FolderPath, is_inside},
    folder_error::FolderError,
};

use super::{
    access::LinkError,
    behind::SyncBehind,
    commit::{FINISHED, Moved, REPLACED, complete, listed, make_place},
    dir::Access,
    folder_error::shown,
    lock::FolderLock,
    made::Made,
    staging::{STAGING, Staging, is_left_over},
    synced,
};
use std::{
    collections::HashSet,
    fs::File,
    io::{self, ErrorKind, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// The treatment of existing files in the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// Kept: the folder must be empty.
    Stays,
    /// The files listed in an earlier run's record are replaced.
    IsReplaced,
    /// Files with the names of new ones are replaced, and an earlier run's.
    IsOverwritten,
}

impl Earlier {
    /// Overwrites only if `force` is set.
    pub fn of(force: bool) -> Self {
        if force { Earlier::IsOverwritten } else { Earlier::Stays }
    }
}

/// The record of a run, which can be resumed.
pub const RUN: &str = "run.json";
/// The journal of a survey in progress.
pub const JOURNAL: &str = "journal.jsonl";
/// The folder of what a run needs to go on, such as the sum of the shots so far, and of the journal that lists it.
pub const SUMS: &str = "partial";
/// The folder of files of a run that can be resumed.
pub const UNFINISHED: &str = "unfinished";
/// Files that only a run has; the last is of an inversion of an earlier version.
const BEGUN: [&str; 3] = [JOURNAL, RUN, "inversion.bin"];

/// A folder under construction, which no other run can write to. Files are written into a folder
/// inside it and moved into place by [`OutputFolder::commit`]; if it is dropped before, nothing is
/// left, or the files of [`OutputFolder::unfinished`].
#[derive(Debug)]
pub struct OutputFolder {
    dir: Dir,
    /// The file that lists the contents of the folder, moved last.
    record: Option<&'static str>,
    /// Dropped before the files that it has open.
    behind: SyncBehind,
    /// Dropped before the folders that contain it.
    staging: Staging,
    earlier: Earlier,
    /// Files of an earlier run to keep.
    spared: Vec<PathBuf>,
    lock: FolderLock,
    made: Made,
}

impl OutputFolder {
    /// Locks the folder, creates it if it is missing, and checks that it can be written to.
    /// `record` is the file that lists the others.
    pub fn new(
        path: impl Into<FolderPath>,
        record: Option<&'static str>,
        earlier: Earlier,
    ) -> Result<Self, FolderError> {
        Self::open(path.into(), record, earlier, |folder| {
            // A command other than a run keeps an unfinished one.
            if record == Some(RUN) && folder.has(UNFINISHED) {
                match earlier {
                    Earlier::IsOverwritten => remove_unfinished(folder)?,
                    _ => return Err(FolderError::Unfinished { path: shown(&folder.path()) }),
                }
            }
            check(folder, record, earlier)?;
            Staging::hidden(folder).map_err(|source| FolderError::io(folder.path(), source))
        })
    }

    /// [`OutputFolder::new`] for a run that can be resumed: if it is dropped between
    /// [`OutputFolder::keep`] and [`OutputFolder::commit`], its files stay in the folder
    /// [`UNFINISHED`] inside it. With `resume` it continues with those of an earlier run.
    pub fn unfinished(
        path: impl Into<FolderPath>,
        record: Option<&'static str>,
        earlier: Earlier,
        resume: bool,
    ) -> Result<Self, FolderError> {
        Self::open(path.into(), record, earlier, |folder| {
            let path = || shown(&folder.path());
            let io = |source| FolderError::io(folder.path(), source);
            match (folder.has(UNFINISHED), resume) {
                (true, true) => {
                    let before = folder.below(UNFINISHED);
                    before.check_links().map_err(io)?;
                    return match is_ours(&before).map_err(io)? {
                        true => Ok(Staging::resumed(folder)),
                        false => Err(FolderError::NotOurs { path: shown(&before.path()) }),
                    };
                }
                (false, true) => return Err(FolderError::NothingToResume { path: path() }),
                (true, false) if earlier == Earlier::IsOverwritten => remove_unfinished(folder)?,
                (true, false) => return Err(FolderError::Unfinished { path: path() }),
                (false, false) => check(folder, record, earlier)?,
            }
            Staging::unfinished(folder).map_err(io)
        })
    }

    fn open(
        path: FolderPath,
        record: Option<&'static str>,
        earlier: Earlier,
        staging: impl FnOnce(&Dir) -> Result<Staging, FolderError>,
    ) -> Result<Self, FolderError> {
        let io = |source| FolderError::io(path.path(), source);
        let made = Made::folders(&path.path()).map_err(io)?;
        let dir = Dir::open(path.clone()).map_err(io)?;
        let lock = FolderLock::take(&dir).map_err(io)?;
        let lock = lock.ok_or_else(|| FolderError::Taken { path: shown(&path.path()) })?;
        complete(&dir, &[])?;
        // Only killed runs leave such folders, since the lock is ours.
        for (name, kind) in dir.names().map_err(io)? {
            if lock.is_held() && is_left_over(&name, kind) {
                let _ = dir.remove_tree(name);
            }
        }
        let (staging, behind) = (staging(&dir)?, SyncBehind::default());
        Ok(OutputFolder { dir, record, behind, staging, earlier, spared: Vec::new(), lock, made })
    }

    /// Completes the commit of a run killed during it, unless another run is in the folder; true if
    /// there was one.
    pub fn recover(path: impl Into<FolderPath>) -> Result<bool, FolderError> {
        let path = path.into();
        let io = |source| FolderError::io(path.path(), source);
        let folder = match Dir::open(path.clone()) {
            // Nothing can have begun where there is no folder.
            Err(error) if LinkError::of(&error).is_none() => return Ok(false),
            folder => folder.map_err(io)?,
        };
        if !folder.has(FINISHED) {
            return Ok(false);
        }
        match FolderLock::take(&folder).map_err(io)? {
            Some(_lock) => complete(&folder, &[]),
            None => Ok(false),
        }
    }

    /// Keeps the files from now on if the run is interrupted: there is something to go on from.
    pub fn keep(&self) {
        self.staging.keep();
    }

    /// The path of the folder, for messages.
    pub fn path(&self) -> PathBuf {
        self.dir.path()
    }

    /// The folder of the files until all are written.
    pub fn staged(&self) -> &Dir {
        self.staging.dir()
    }

    /// Writes a file; `name` may name folders inside this one.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        let _writing =
            tracing::info_span!(target: "timeline", "writing files", file = name).entered();
        let mut file = self.create(name)?;
        file.write_all(bytes).map_err(|source| self.io(name, source))?;
        self.behind.add(file, bytes.len());
        Ok(())
    }

    /// Makes an empty file in place of one that an earlier run has left.
    pub(super) fn create(&self, name: &str) -> Result<File, FolderError> {
        self.make_room(name)?;
        self.new_file(name).map_err(|source| self.io(name, source))
    }

    /// A new file in place of one that an earlier run has left.
    fn new_file(&self, name: &str) -> io::Result<File> {
        match self.staged().remove_file(name) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => self.staged().file_for(Access::New, name.as_ref()),
        }
    }

    /// Writes a part of a file from a byte on. Parts may be written in parallel.
    pub fn write_part(&self, name: &str, from: u64, bytes: &[u8]) -> Result<(), FolderError> {
        self.make_room(name)?;
        let file = self.staged().file_for(Access::Write, name.as_ref());
        let written = file.and_then(|mut file| {
            file.seek(SeekFrom::Start(from))?;
            file.write_all(bytes)?;
            self.behind.add(file, bytes.len());
            Ok(())
        });
        written.map_err(|source| self.io(name, source))
    }

    /// Opens a file to write at its end.
    pub(super) fn append(&self, name: &str) -> Result<File, FolderError> {
        let file = self.staged().file_for(Access::Append, name.as_ref());
        file.map_err(|source| self.io(name, source))
    }

    fn make_room(&self, name: &str) -> Result<(), FolderError> {
        // It is not made anew, with a part of the files.
        if !self.staging.is_there() {
            return Err(FolderError::Gone { path: shown(&self.path()) });
        }
        // Found before the run has computed what does not come into place.
        let place = Path::new(name).parent().unwrap_or(Path::new(""));
        self.dir.check_room(place).map_err(|source| self.io_in_place(name, source))?;
        make_place(self.staged(), name).map_err(|source| self.io(name, source))
    }

    /// An error of writing a file, by the path that its user knows.
    pub(super) fn io(&self, name: &str, source: io::Error) -> FolderError {
        match self.staging.is_hidden {
            true => self.io_in_place(name, source),
            false => FolderError::unwritten(self.staged().path().join(name), source),
        }
    }

    fn io_in_place(&self, name: &str, source: io::Error) -> FolderError {
        FolderError::io(self.path().join(name), source)
    }

    /// The files written so far, sorted.
    pub fn files(&self) -> Vec<String> {
        // One that cannot be read is an error of the commit.
        self.staged().files().unwrap_or_default()
    }

    /// Replaces a file by one that the disk has; the old one stays complete until then.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        self.put(name, bytes)?;
        let place = Path::new(name).parent().unwrap_or(Path::new(""));
        synced::folder_in(self.staged(), place).map_err(|source| self.io(name, source))
    }

    /// [`OutputFolder::replace`]; the disk has the file, but its name only after the next
    /// [`OutputFolder::sync`].
    pub fn put(&self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        let _span = tracing::info_span!(target: "timeline", "writing files", file = name).entered();
        self.make_room(name)?;
        let new = format!("{name}.new");
        let put = || {
            // Closed before it is renamed, as Windows wants.
            {
                let mut file = self.new_file(&new)?;
                file.write_all(bytes)?;
                synced::file(&file)?;
            }
            self.staged().rename(&new, name)
        };
        put().map_err(|source| self.io(name, source))
    }

    /// Waits until the disk has all files written so far.
    pub fn sync(&self) -> Result<(), FolderError> {
        let synced = self.behind.end().and_then(|()| synced::tree(self.staged()));
        synced.map_err(|source| self.io("", source))
    }

    /// Truncates a file: an earlier run may have left more.
    pub fn cut(&self, name: &str, bytes: u64) -> Result<(), FolderError> {
        let file = self.staged().file_for(Access::Write, name.as_ref());
        file.and_then(|file| file.set_len(bytes)).map_err(|source| self.io(name, source))
    }

    /// Keeps a file of an earlier run that this run has read.
    pub fn spare(&mut self, file: &Path) {
        self.spared.extend(file.canonicalize());
    }

    /// Protects the files that this run reads.
    /// Fails if one is of the earlier run whose results this run replaces.
    pub fn reads(&mut self, files: &[(String, String)]) -> Result<(), FolderError> {
        let record = self.record.map_or_else(Vec::new, |record| listed(&self.dir, record));
        let path = self.path();
        let replaced = record.iter().filter_map(|name| path.join(name).canonicalize().ok());
        let replaced: HashSet<PathBuf> = replaced.collect();
        for (file, _) in files {
            self.spare(Path::new(file));
            if self.spared.last().is_some_and(|file| replaced.contains(file)) {
                return Err(FolderError::Read { path: file.clone() });
            }
        }
        Ok(())
    }

    /// Moves every file into place, over files of the same name, and the record last. Files listed
    /// in an earlier run's record that this run did not write are removed. Nothing else is touched.
    /// If it is interrupted, the next run in the folder completes it.
    pub fn commit(self) -> Result<(), FolderError> {
        // First, because it may take long: a run that is killed meanwhile has made no folders.
        self.sync()?;
        self.check()?;
        // After this rename the run is done.
        let renamed = self.dir.rename(&self.staging.name, FINISHED);
        let renamed = renamed.and_then(|()| synced::folder_in(&self.dir, ""));
        renamed.map_err(|source| self.io_in_place("", source))?;
        complete(&self.dir, &self.spared)?;
        let OutputFolder { dir, staging, lock, made, .. } = self;
        drop((staging, lock));
        made.keep().map_err(|source| FolderError::io(dir.path(), source))
    }

    /// Checks for everything that could block [`OutputFolder::commit`], and makes room for it.
    pub fn check(&self) -> Result<(), FolderError> {
        if !self.staging.is_there() {
            return Err(FolderError::Gone { path: shown(&self.path()) });
        }
        let before = self.record.map_or_else(Vec::new, |record| listed(&self.dir, record));
        let before: HashSet<String> = before.into_iter().collect();
        let moved = Moved::of(self.staged()).map_err(|source| self.io("", source))?;
        for name in moved.files {
            let path = self.path().join(&name);
            make_place(&self.dir, &name).map_err(|source| self.io_in_place(&name, source))?;
            if self.dir.has_folder(&name) {
                return Err(self.io_in_place(&name, ErrorKind::IsADirectory.into()));
            }
            if path.canonicalize().is_ok_and(|file| self.spared.contains(&file)) {
                return Err(FolderError::Read { path: shown(&path) });
            }
            let ours = self.earlier == Earlier::IsOverwritten || before.contains(&name);
            if !ours && self.dir.has(&name) {
                return Err(FolderError::InTheWay { path: shown(&path) });
            }
        }
        Ok(())
    }

    /// The files listed in a folder's record that are missing.
    pub fn missing(folder: &Dir, record: &str) -> Vec<String> {
        let mut left = listed(folder, record);
        left.retain(|name| !folder.has(name));
        left
    }
}

/// Removes an unfinished run's files; a folder of that name from another program is not touched.
fn remove_unfinished(folder: &Dir) -> Result<(), FolderError> {
    let path = folder.path().join(UNFINISHED);
    let io = |source| FolderError::io(&path, source);
    match is_ours(&folder.below(UNFINISHED)).map_err(io)? {
        true => folder.remove_tree(UNFINISHED).map_err(io),
        false => Err(FolderError::NotOurs { path: shown(&path) }),
    }
}

/// True if a run has left a folder, be it one that was killed at its first file.
fn is_ours(unfinished: &Dir) -> io::Result<bool> {
    let begun = |name: &&str| unfinished.has(name) || unfinished.has(format!("{name}.new"));
    Ok(BEGUN.iter().any(begun) || unfinished.names()?.is_empty())
}

/// Checks that the existing files of a folder allow writing to it.
fn check(folder: &Dir, record: Option<&str>, earlier: Earlier) -> Result<(), FolderError> {
    let counts = |name: &str| !FolderLock::is(name) && !name.starts_with(STAGING);
    let is_run = |record: &str| !listed(folder, record).is_empty();
    match earlier {
        Earlier::IsOverwritten => return Ok(()),
        Earlier::IsReplaced if record.is_some_and(is_run) || is_run(REPLACED) => return Ok(()),
        Earlier::IsReplaced | Earlier::Stays => {}
    }
    let names = folder.names().map_err(|source| FolderError::io(folder.path(), source))?;
    match names.iter().any(|(name, _)| counts(name)) {
        true => Err(FolderError::NotEmpty { path: shown(&folder.path()) }),
        false => Ok(()),
    }
}
