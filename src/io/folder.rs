//! The output folder of a run: its files are complete or absent.

#[cfg(test)]
mod tests;

pub use super::{commit::is_inside, folder_error::FolderError};

use super::{
    commit::{FINISHED, Moved, REPLACED, complete, list, listed},
    folder_error::shown,
    lock::{FolderLock, is_at},
    made::Made,
    synced,
};
use std::{
    collections::HashSet,
    fs::{self, File},
    io::{self, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};
use tempfile::TempDir;

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

/// Prefix of the hidden folder's name.
const STAGING: &str = ".huygens-";
/// The record of a run, which can be resumed.
pub const RUN: &str = "run.json";
/// The state of an inversion in progress.
pub const INVERSION: &str = "inversion.bin";
/// The journal of a survey in progress.
pub const JOURNAL: &str = "journal.jsonl";
/// The folder of a migration's sums and of the journal that lists them.
pub const SUMS: &str = "partial";
/// The folder of files of a run that can be resumed.
pub const UNFINISHED: &str = "unfinished";
/// Files from which a run can be resumed.
const BEGUN: [&str; 3] = [JOURNAL, RUN, INVERSION];

/// The folder where files wait until all are written.
#[derive(Debug)]
enum Staging {
    /// Removed with the run.
    Hidden(TempDir),
    /// Kept for a run that resumes, once there is something to go on from.
    Unfinished {
        path: PathBuf,
        keeps: AtomicBool,
        /// Itself, wherever it is moved.
        open: Option<File>,
    },
}

impl Staging {
    fn path(&self) -> &Path {
        match self {
            Staging::Hidden(folder) => folder.path(),
            Staging::Unfinished { path, .. } => path,
        }
    }

    fn unfinished(path: PathBuf, keeps: bool) -> Self {
        let open = File::open(&path).ok();
        Staging::Unfinished { path, keeps: keeps.into(), open }
    }

    /// False if it was moved or removed, whatever has its name now.
    fn is_there(&self) -> bool {
        let is_it = match self {
            Staging::Unfinished { path, open: Some(open), .. } => is_at(open, path).unwrap_or(true),
            _ => true,
        };
        is_it && self.path().is_dir()
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let Staging::Unfinished { path, keeps, .. } = &*self
            && !keeps.load(Relaxed)
            && self.is_there()
        {
            let _ = fs::remove_dir_all(path);
        }
    }
}

/// A folder under construction, which no other run can write to. Files are written into a folder
/// inside it and moved into place by [`OutputFolder::commit`]; if it is dropped before, nothing is
/// left, or the files of [`OutputFolder::unfinished`].
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    /// The file that lists the contents of the folder, moved last.
    record: Option<&'static str>,
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
        path: &Path,
        record: Option<&'static str>,
        earlier: Earlier,
    ) -> Result<Self, FolderError> {
        Self::open(path, record, earlier, |folder| {
            // A command other than a run keeps an unfinished one.
            if record == Some(RUN) && folder.join(UNFINISHED).exists() {
                match earlier {
                    Earlier::IsOverwritten => remove_unfinished(folder)?,
                    _ => return Err(FolderError::Unfinished { path: shown(folder) }),
                }
            }
            check(folder, record, earlier)?;
            let staging = tempfile::Builder::new().prefix(STAGING).tempdir_in(folder);
            staging
                .map(Staging::Hidden)
                .map_err(|source| FolderError::Io { path: shown(folder), source })
        })
    }

    /// [`OutputFolder::new`] for a run that can be resumed: if it is dropped between
    /// [`OutputFolder::keep`] and [`OutputFolder::commit`], its files stay in the folder
    /// [`UNFINISHED`] inside it. With `resume` it continues with those of an earlier run.
    pub fn unfinished(
        path: &Path,
        record: Option<&'static str>,
        earlier: Earlier,
        resume: bool,
    ) -> Result<Self, FolderError> {
        Self::open(path, record, earlier, |folder| {
            let staging = folder.join(UNFINISHED);
            let io = |source| FolderError::Io { path: shown(folder), source };
            match (staging.exists(), resume) {
                (true, true) if is_ours(&staging).map_err(io)? => {
                    if let Some(link) = link_in(&staging) {
                        return Err(FolderError::Link { path: shown(&link) });
                    }
                    return Ok(Staging::unfinished(staging, true));
                }
                (true, true) => return Err(FolderError::NotOurs { path: shown(&staging) }),
                (false, true) => return Err(FolderError::NothingToResume { path: shown(folder) }),
                (true, false) if earlier == Earlier::IsOverwritten => remove_unfinished(folder)?,
                (true, false) => return Err(FolderError::Unfinished { path: shown(folder) }),
                (false, false) => check(folder, record, earlier)?,
            }
            fs::create_dir(&staging).map_err(io)?;
            Ok(Staging::unfinished(staging, false))
        })
    }

    fn open(
        path: &Path,
        record: Option<&'static str>,
        earlier: Earlier,
        staging: impl FnOnce(&Path) -> Result<Staging, FolderError>,
    ) -> Result<Self, FolderError> {
        let io = |source| FolderError::Io { path: shown(path), source };
        let made = Made::folders(path).map_err(io)?;
        let lock = FolderLock::take(path).map_err(io)?;
        let lock = lock.ok_or_else(|| FolderError::Taken { path: shown(path) })?;
        complete(path, &[])?;
        // Only killed runs leave such folders, since the lock is ours.
        for entry in path.read_dir().map_err(io)?.flatten() {
            if lock.is_held() && is_left_over(&entry) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let staging = staging(path)?;
        let (path, spared) = (path.to_owned(), Vec::new());
        Ok(OutputFolder { path, record, staging, earlier, spared, lock, made })
    }

    /// Completes the commit of a run killed during it, unless another run is in the folder.
    pub fn recover(path: &Path) -> Result<(), FolderError> {
        if path.join(FINISHED).exists() {
            let io = |source| FolderError::Io { path: shown(path), source };
            if let Some(_lock) = FolderLock::take(path).map_err(io)? {
                complete(path, &[])?;
            }
        }
        Ok(())
    }

    /// Keeps the files from now on if the run is interrupted: there is something to go on from.
    pub fn keep(&self) {
        if let Staging::Unfinished { keeps, .. } = &self.staging {
            keeps.store(true, Relaxed);
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file until all are written.
    pub fn at(&self, name: &str) -> PathBuf {
        self.staging.path().join(name)
    }

    /// Writes a file; `name` may name folders inside this one.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        let _writing =
            tracing::info_span!(target: "timeline", "writing files", file = name).entered();
        self.make_room(name)?;
        fs::write(self.at(name), bytes).map_err(|source| self.io(name, source))
    }

    /// Writes a part of a file from a byte on. Parts may be written in parallel.
    pub fn write_part(&self, name: &str, from: u64, bytes: &[u8]) -> Result<(), FolderError> {
        self.make_room(name)?;
        let mut options = File::options();
        let file = options.write(true).create(true).truncate(false).open(self.at(name));
        let written = file.and_then(|mut file| {
            file.seek(SeekFrom::Start(from))?;
            file.write_all(bytes)
        });
        written.map_err(|source| self.io(name, source))
    }

    fn make_room(&self, name: &str) -> Result<(), FolderError> {
        // It is not made anew, with a part of the files.
        if !self.staging.is_there() {
            return Err(FolderError::Gone { path: shown(&self.path) });
        }
        match self.at(name).parent() {
            Some(parent) => fs::create_dir_all(parent).map_err(|source| self.io(name, source)),
            None => Ok(()),
        }
    }

    /// An error of writing a file, by the path that its user knows.
    fn io(&self, name: &str, source: io::Error) -> FolderError {
        match &self.staging {
            Staging::Hidden(_) => self.io_in_place(name, source),
            Staging::Unfinished { .. } => {
                FolderError::Unwritten { path: shown(&self.at(name)), source }
            }
        }
    }

    fn io_in_place(&self, name: &str, source: io::Error) -> FolderError {
        FolderError::Io { path: shown(&self.path.join(name)), source }
    }

    /// The files written so far, sorted.
    pub fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        list(self.staging.path(), "", &mut files);
        files.sort();
        files
    }

    /// Replaces a file by one that the disk has; the old one stays complete until then.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        let _span = tracing::info_span!(target: "timeline", "writing files", file = name).entered();
        self.make_room(name)?;
        let (new, old) = (self.at(&format!("{name}.new")), self.at(name));
        let replace = || {
            // Nothing is written through a link of that name.
            let _ = fs::remove_file(&new);
            {
                let mut file = File::create(&new)?;
                file.write_all(bytes)?;
                synced::file(&file)?;
            }
            fs::rename(&new, &old)?;
            old.parent().map_or(Ok(()), synced::folder)
        };
        replace().map_err(|source| self.io(name, source))
    }

    /// Waits until the disk has all files written so far.
    pub fn sync(&self) -> Result<(), FolderError> {
        synced::tree(self.staging.path()).map_err(|source| self.io("", source))
    }

    /// Truncates a file: an earlier run may have left more.
    pub fn cut(&self, name: &str, bytes: u64) -> Result<(), FolderError> {
        let file = File::options().write(true).open(self.at(name));
        file.and_then(|file| file.set_len(bytes)).map_err(|source| self.io(name, source))
    }

    /// Keeps a file of an earlier run that this run has read.
    pub fn spare(&mut self, file: &Path) {
        self.spared.extend(file.canonicalize());
    }

    /// Protects the files that this run reads.
    ///
    /// # Errors
    ///
    /// If one is of the earlier run whose results this run replaces.
    pub fn reads(&mut self, files: &[(String, String)]) -> Result<(), FolderError> {
        let record = self.record.map_or_else(Vec::new, |record| listed(&self.path.join(record)));
        let replaced = record.iter().filter_map(|name| self.path.join(name).canonicalize().ok());
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
        self.check()?;
        self.sync()?;
        // After this rename the run is done.
        let renamed = fs::rename(self.staging.path(), self.path.join(FINISHED));
        let renamed = renamed.and_then(|()| synced::folder(&self.path));
        renamed.map_err(|source| self.io_in_place("", source))?;
        complete(&self.path, &self.spared)?;
        let OutputFolder { path, staging, lock, made, .. } = self;
        drop((staging, lock));
        made.keep().map_err(|source| FolderError::Io { path: shown(&path), source })
    }

    /// Checks for everything that could block [`OutputFolder::commit`], and makes room for it.
    pub fn check(&self) -> Result<(), FolderError> {
        if !self.staging.is_there() {
            return Err(FolderError::Gone { path: shown(&self.path) });
        }
        let before = self.record.map_or_else(Vec::new, |record| listed(&self.path.join(record)));
        let before: HashSet<String> = before.into_iter().collect();
        for name in Moved::of(self.staging.path()).files {
            let target = self.path.join(&name);
            let folder = target.parent().unwrap_or(&self.path);
            fs::create_dir_all(folder).map_err(|source| self.io_in_place(&name, source))?;
            if target.is_dir() {
                return Err(self.io_in_place(&name, io::ErrorKind::IsADirectory.into()));
            }
            if target.canonicalize().is_ok_and(|file| self.spared.contains(&file)) {
                return Err(FolderError::Read { path: shown(&target) });
            }
            let ours = self.earlier == Earlier::IsOverwritten || before.contains(&name);
            if !ours && target.exists() {
                return Err(FolderError::InTheWay { path: shown(&target) });
            }
        }
        Ok(())
    }

    /// The files listed in a folder's record that are missing.
    pub fn missing(path: &Path, record: &str) -> Vec<String> {
        let mut left = listed(&path.join(record));
        left.retain(|name| is_inside(name) && !path.join(name).exists());
        left
    }
}

/// Removes an unfinished run's files; a folder of that name from another program is not touched.
fn remove_unfinished(folder: &Path) -> Result<(), FolderError> {
    let path = folder.join(UNFINISHED);
    let io = |source| FolderError::Io { path: shown(&path), source };
    match is_ours(&path).map_err(io)? {
        true => fs::remove_dir_all(&path).map_err(io),
        false => Err(FolderError::NotOurs { path: shown(&path) }),
    }
}

/// True if a run has left a folder, be it one that was killed at its first file.
fn is_ours(unfinished: &Path) -> io::Result<bool> {
    let is_there = |name: &str| unfinished.join(name).exists();
    let begun = BEGUN.iter().any(|name| is_there(name) || is_there(&format!("{name}.new")));
    Ok(begun || unfinished.read_dir()?.next().is_none())
}

/// A symbolic link in a folder, or that is one: what is written there would go elsewhere.
fn link_in(folder: &Path) -> Option<PathBuf> {
    if folder.is_symlink() {
        return Some(folder.to_owned());
    }
    let below = folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    below.into_iter().find_map(|path| link_in(&path))
}

/// Checks that the existing files of a folder allow writing to it.
fn check(folder: &Path, record: Option<&str>, earlier: Earlier) -> Result<(), FolderError> {
    let counts = |name: &str| !FolderLock::is(name) && !name.starts_with(STAGING);
    let is_run = |record: &str| !listed(&folder.join(record)).is_empty();
    match earlier {
        Earlier::IsOverwritten => return Ok(()),
        Earlier::IsReplaced if record.is_some_and(is_run) || is_run(REPLACED) => return Ok(()),
        Earlier::IsReplaced | Earlier::Stays => {}
    }
    let io = |source| FolderError::Io { path: shown(folder), source };
    let mut entries = folder.read_dir().map_err(io)?.flatten();
    match entries.any(|entry| counts(&entry.file_name().to_string_lossy())) {
        true => Err(FolderError::NotEmpty { path: shown(folder) }),
        false => Ok(()),
    }
}

/// True for a killed run's leftovers.
fn is_left_over(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    name.to_string_lossy().starts_with(STAGING)
        && name != FINISHED
        && entry.file_type().is_ok_and(|kind| kind.is_dir())
}
