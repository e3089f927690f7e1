//! An output folder that is one run's: its files are whole or absent.

pub use super::commit::is_inside;

use super::{
    access::remedy,
    commit::{FINISHED, Moved, REPLACED, complete, list, listed},
    lock::FolderLock,
    made::Made,
};
use crate::remedy::{Refusal, Remedy, remedies};
use std::{
    collections::HashSet,
    fs::{self, File},
    io::{self, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// Why there is no output.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum FolderError {
    #[error("{path} is not empty; {}", remedies(self))]
    NotEmpty { path: String },
    #[error("another run writes to {path}; {}", remedies(self))]
    Taken { path: String },
    /// It holds what a run that did not come to its end can go on from.
    #[error("{path} holds an unfinished survey; {}", remedies(self))]
    Unfinished { path: String },
    #[error("{path} holds no unfinished survey, so there is nothing to resume; {}", remedies(self))]
    NothingToResume { path: String },
    /// A file that has the name of one of this run's.
    #[error("{path} is there, and no run of huygens wrote it; {}", remedies(self))]
    InTheWay { path: String },
    /// Something that has the name of what is to be removed.
    #[error("{path} is no survey of huygens, and is not removed; {}", remedies(self))]
    NotOurs { path: String },
    #[error("cannot write to {path}: {source}; {}", remedies(self))]
    Io { path: String, source: io::Error },
}

impl Refusal for FolderError {
    fn remedies(&self) -> Vec<Remedy> {
        let another = Remedy::AnotherFolder;
        match self {
            FolderError::NotEmpty { .. } => vec![another, Remedy::Overwrite],
            FolderError::Taken { .. } => vec!["wait until it ends".into(), another],
            FolderError::Unfinished { .. } => vec![Remedy::Resume, Remedy::BeginAgain, another],
            FolderError::NothingToResume { .. } => vec![Remedy::NoResume],
            FolderError::InTheWay { .. } => vec!["move it elsewhere".into(), Remedy::Overwrite],
            FolderError::NotOurs { .. } => vec![another],
            FolderError::Io { source, .. } => vec![remedy(source).into(), another],
        }
    }
}

/// What may become of what a folder holds already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// It stays: the folder must be empty.
    Stays,
    /// What an earlier run left, by its record, is replaced.
    IsReplaced,
    /// Whatever has the name of a new file is replaced, and what an earlier run left.
    IsOverwritten,
}

impl Earlier {
    /// Of a folder that is overwritten only where that is asked for.
    pub fn of(force: bool) -> Self {
        if force { Earlier::IsOverwritten } else { Earlier::Stays }
    }
}

/// How the hidden folder's name starts.
const STAGING: &str = ".huygens-";
/// The record of a run, which may be gone on with.
pub const RUN: &str = "run.json";
/// Where the files of a run wait that may be gone on with.
pub const UNFINISHED: &str = "unfinished";
/// Where files wait until all are there.
#[derive(Debug)]
enum Staging {
    /// Removed with the run.
    Hidden(TempDir),
    /// Left for a run that goes on.
    Unfinished(PathBuf),
}

impl Staging {
    fn path(&self) -> &Path {
        match self {
            Staging::Hidden(folder) => folder.path(),
            Staging::Unfinished(path) => path,
        }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let Staging::Unfinished(path) = self {
            // Only where nothing came of it.
            let _ = fs::remove_dir(path);
        }
    }
}

/// A folder under construction, which no other run can write to. Files are written into a folder inside it and moved into
/// place by [`OutputFolder::commit`]; dropped before, it leaves nothing behind, or what [`OutputFolder::unfinished`] says.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    /// The file that says what the folder holds, moved last.
    record: Option<&'static str>,
    /// Dropped before the folders that it is in.
    staging: Staging,
    earlier: Earlier,
    /// What an earlier run left and is to stay.
    spared: Vec<PathBuf>,
    lock: FolderLock,
    made: Made,
}

impl OutputFolder {
    /// Takes the folder, which is made if it is missing, and makes sure that it can be written to. `record` is the file
    /// that lists the others.
    pub fn new(
        path: &Path,
        record: Option<&'static str>,
        earlier: Earlier,
    ) -> Result<Self, FolderError> {
        Self::open(path, record, earlier, |folder| {
            // What is no run leaves one that is not finished alone.
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

    /// The same for a run that can be gone on with: dropped before [`OutputFolder::commit`], its files stay in the folder
    /// [`UNFINISHED`] inside it. With `resume` it goes on with those of an earlier run.
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
                (true, true) => return Ok(Staging::Unfinished(staging)),
                (false, true) => return Err(FolderError::NothingToResume { path: shown(folder) }),
                (true, false) if earlier == Earlier::IsOverwritten => remove_unfinished(folder)?,
                (true, false) => return Err(FolderError::Unfinished { path: shown(folder) }),
                (false, false) => check(folder, record, earlier)?,
            }
            fs::create_dir(&staging).map_err(io)?;
            Ok(Staging::Unfinished(staging))
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
        // Only runs that were killed leave such folders, where nobody else is here.
        for entry in path.read_dir().map_err(io)?.flatten() {
            if lock.is_held() && is_left_over(&entry) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let staging = staging(path)?;
        let (path, spared) = (path.to_owned(), Vec::new());
        Ok(OutputFolder { path, record, staging, earlier, spared, lock, made })
    }

    /// Puts what a run that was killed at its very end left into place, if no other run is in the folder.
    pub fn recover(path: &Path) -> Result<(), FolderError> {
        if path.join(FINISHED).exists() {
            let io = |source| FolderError::Io { path: shown(path), source };
            if let Some(_lock) = FolderLock::take(path).map_err(io)? {
                complete(path, &[])?;
            }
        }
        Ok(())
    }

    /// Where a file is until all are there.
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

    /// Writes a part of a file from a byte on. Parts may be written side by side.
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
        match self.at(name).parent() {
            Some(parent) => fs::create_dir_all(parent).map_err(|source| self.io(name, source)),
            None => Ok(()),
        }
    }

    fn io(&self, name: &str, source: io::Error) -> FolderError {
        FolderError::Io { path: shown(&self.path.join(name)), source }
    }

    /// The files written so far, sorted.
    pub fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        list(self.staging.path(), "", &mut files);
        files.sort();
        files
    }

    /// Writes a file in the place of one of the same name, which is there whole until then.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        let new = format!("{name}.new");
        self.write(&new, bytes)?;
        fs::rename(self.at(&new), self.at(name)).map_err(|source| self.io(name, source))
    }

    /// Cuts a file off at its length: an earlier run may have left more.
    pub fn cut(&self, name: &str, bytes: u64) -> Result<(), FolderError> {
        let file = File::options().write(true).open(self.at(name));
        file.and_then(|file| file.set_len(bytes)).map_err(|source| self.io(name, source))
    }

    /// Leaves a file where it is though an earlier run wrote it: one that was read.
    pub fn spare(&mut self, file: &Path) {
        self.spared.extend(file.canonicalize());
    }

    /// Moves every file into place, over what has the same name, and the record last. Files that an earlier run left in
    /// this folder, by its record, and that this one did not write are removed. Nothing else is touched. Broken off, the
    /// next run in the folder brings it to its end.
    pub fn commit(self) -> Result<(), FolderError> {
        self.check()?;
        // With this the run is done.
        let finished = self.path.join(FINISHED);
        let renamed = fs::rename(self.staging.path(), &finished);
        renamed.map_err(|source| self.io(FINISHED, source))?;
        complete(&self.path, &self.spared)?;
        let OutputFolder { staging, lock, made, .. } = self;
        drop((staging, lock));
        made.keep();
        Ok(())
    }

    /// Looks for all that can be in the way of [`OutputFolder::commit`], and makes room for it.
    pub fn check(&self) -> Result<(), FolderError> {
        let before = self.record.map_or_else(Vec::new, |record| listed(&self.path.join(record)));
        let before: HashSet<String> = before.into_iter().collect();
        for name in Moved::of(self.staging.path()).files {
            let target = self.path.join(&name);
            let folder = target.parent().unwrap_or(&self.path);
            fs::create_dir_all(folder).map_err(|source| self.io(&name, source))?;
            if target.is_dir() {
                return Err(self.io(&name, io::ErrorKind::IsADirectory.into()));
            }
            let ours = self.earlier == Earlier::IsOverwritten || before.contains(&name);
            if !ours && target.exists() {
                return Err(FolderError::InTheWay { path: shown(&target) });
            }
        }
        Ok(())
    }

    /// The files that the run which a folder holds has left, by its record, and that are gone.
    pub fn missing(path: &Path, record: &str) -> Vec<String> {
        let mut left = listed(&path.join(record));
        left.retain(|name| is_inside(name) && !path.join(name).exists());
        left
    }
}

/// Removes what a run that is not finished left; a folder of that name that is somebody else's is not touched.
fn remove_unfinished(folder: &Path) -> Result<(), FolderError> {
    let path = folder.join(UNFINISHED);
    let io = |source| FolderError::Io { path: shown(&path), source };
    // As a run leaves it, also one that could not write its journal.
    let begun = format!("{}.new", super::journal::NAME);
    let is_ours = [super::journal::NAME, RUN, &begun].iter().any(|name| path.join(name).exists());
    if !is_ours && path.read_dir().map_err(io)?.next().is_some() {
        return Err(FolderError::NotOurs { path: shown(&path) });
    }
    fs::remove_dir_all(&path).map_err(io)
}

pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Whether a folder may be written to, for what it holds.
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

/// Whether it is what a run that was killed left.
fn is_left_over(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    name.to_string_lossy().starts_with(STAGING)
        && name != FINISHED
        && entry.file_type().is_ok_and(|kind| kind.is_dir())
}

#[cfg(test)]
mod tests {
    use super::{
        super::commit::tests::{below, record},
        *,
    };

    #[test]
    fn a_dropped_folder_leaves_nothing_behind() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let path = root.path().join("a/b");
        let folder =
            OutputFolder::new(&path, Some("run.json"), Earlier::Stays).expect("a writable place");
        folder.write("x/y.txt", b"half").expect("written");
        drop(folder);
        assert!(!root.path().join("a").exists());
    }

    #[test]
    fn a_committed_folder_is_kept_and_protected() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let path = root.path().join("out");
        let open = |earlier| OutputFolder::new(&path, Some("run.json"), earlier);
        let folder = open(Earlier::Stays).expect("a writable place");
        assert!(matches!(open(Earlier::IsOverwritten), Err(FolderError::Taken { .. })));
        folder.write("x/y.txt", b"whole").expect("written");
        folder.write("run.json", &record(&["x/y.txt"])).expect("written");
        assert!(!path.join("x").exists(), "nothing shows before the end");
        folder.commit().expect("moved");
        assert_eq!(fs::read(path.join("x/y.txt")).expect("there"), b"whole");
        assert_eq!(below(&path), ["run.json", "x/y.txt"], "nothing else is left");
        assert!(matches!(open(Earlier::Stays), Err(FolderError::NotEmpty { .. })));

        let again = open(Earlier::IsReplaced).expect("a run's own");
        again.write("x/z.txt", b"new").expect("written");
        again.write("run.json", &record(&["x/z.txt", "../a"])).expect("written");
        again.commit().expect("moved");
        assert_eq!(below(&path), ["run.json", "x/z.txt"]);

        let again = open(Earlier::IsReplaced).expect("a run's own");
        again.write("run.json", &record(&[])).expect("written");
        fs::write(path.join("x/mine.txt"), b"mine").expect("written");
        again.commit().expect("moved");
        assert_eq!(below(&path), ["run.json", "x/mine.txt"]);
    }

    #[test]
    fn what_is_not_finished_stays_and_is_gone_on_with() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let path = root.path().join("out");
        let open = |earlier, resume| OutputFolder::unfinished(&path, None, earlier, resume);
        assert!(matches!(open(Earlier::Stays, true), Err(FolderError::NothingToResume { .. })));
        let folder = open(Earlier::Stays, false).expect("a writable place");
        folder.write_part("a", 3, b"def").expect("written");
        drop(folder);
        assert!(matches!(open(Earlier::Stays, false), Err(FolderError::Unfinished { .. })));
        let new = OutputFolder::new(&path, Some(RUN), Earlier::IsReplaced);
        assert!(matches!(new, Err(FolderError::Unfinished { .. })));
        let folder = open(Earlier::Stays, true).expect("to go on with");
        folder.write_part("a", 0, b"abc").expect("written");
        folder.commit().expect("moved");
        assert_eq!(fs::read(path.join("a")).expect("there"), b"abcdef");
        assert_eq!(below(&path), ["a"]);
    }
}
