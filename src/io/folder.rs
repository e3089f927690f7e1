//! An output folder whose files are whole or absent.

use super::{access::remedy, made::Made};
use std::{
    io,
    path::{Component, Path, PathBuf},
};
use tempfile::TempDir;

/// Why there is no output.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder holds something and may not be overwritten.
    #[error("{path} is not empty; choose another folder with --out, or overwrite it with --force")]
    NotEmpty {
        /// The folder.
        path: String,
    },
    /// The folder cannot be made or written to.
    #[error("cannot write to {path}: {source}; {}, or choose another folder with --out", remedy(.source))]
    Io {
        /// The file or folder.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

/// How the hidden folder's name starts.
const STAGING: &str = ".huygens-";

/// A folder under construction: files are written into a hidden folder inside it and moved into place
/// by [`OutputFolder::commit`]; dropped before, it leaves nothing behind.
pub struct OutputFolder {
    path: PathBuf,
    /// `None` once it has been moved into place. Dropped before the folders that it is in.
    staging: Option<TempDir>,
    /// `None` once they are kept.
    made: Option<Made>,
}

impl OutputFolder {
    /// Makes the folder if it is missing, and makes sure that it can be written to.
    pub fn new(path: &Path, force: bool) -> Result<Self, FolderError> {
        let io = |source| FolderError::Io { path: path.display().to_string(), source };
        // What an earlier run that was killed left behind does not count.
        let counts = |entry: &io::Result<std::fs::DirEntry>| match entry {
            Ok(entry) => !entry.file_name().to_string_lossy().starts_with(STAGING),
            Err(_) => true,
        };
        if path.exists() && !force && path.read_dir().map_err(io)?.any(|entry| counts(&entry)) {
            return Err(FolderError::NotEmpty { path: path.display().to_string() });
        }
        let made = Some(Made::folders(path).map_err(io)?);
        let staging = tempfile::Builder::new().prefix(STAGING).tempdir_in(path).map_err(io)?;
        Ok(OutputFolder { path: path.to_owned(), staging: Some(staging), made })
    }

    /// Writes a file; `name` may name folders inside this one.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        let staging = self.staging.as_ref().map_or(self.path.as_path(), TempDir::path);
        let file = staging.join(name);
        let io =
            |source| FolderError::Io { path: self.path.join(name).display().to_string(), source };
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent).map_err(io)?;
        }
        std::fs::write(&file, bytes).map_err(io)
    }

    /// The files written so far, sorted.
    pub fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        if let Some(staging) = &self.staging {
            list(staging.path(), "", &mut files);
        }
        files.sort();
        files
    }

    /// Moves every file into place, one by one, over what has the same name. `stale` names files of an
    /// earlier run in this folder; those that this run did not write are removed. Nothing else is touched.
    pub fn commit(mut self, stale: &[String]) -> Result<(), FolderError> {
        let files = self.files();
        let Some(staging) = self.staging.take() else { return Ok(()) };
        let io = |name: &str, source| FolderError::Io {
            path: self.path.join(name).display().to_string(),
            source,
        };
        // All that can be in the way is looked for before anything is moved.
        for name in &files {
            let target = self.path.join(name);
            let folder = target.parent().unwrap_or(&self.path);
            std::fs::create_dir_all(folder).map_err(|source| io(name, source))?;
            if target.is_dir() {
                return Err(io(name, io::ErrorKind::IsADirectory.into()));
            }
        }
        for name in &files {
            let target = self.path.join(name);
            std::fs::rename(staging.path().join(name), &target)
                .map_err(|source| io(name, source))?;
        }
        self.made.take().into_iter().for_each(Made::keep);
        let inside = |name: &&String| {
            Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
        };
        for name in stale.iter().filter(|name| !files.contains(name)).filter(inside) {
            // A file that is gone already is as it should be.
            let path = self.path.join(name);
            let _ = std::fs::remove_file(&path);
            // Nor does a folder of nothing but such files stay; one that holds others is not removed.
            if let Some(folder) = path.parent().filter(|folder| *folder != self.path) {
                let _ = std::fs::remove_dir(folder);
            }
        }
        Ok(())
    }
}

/// Files below a folder, as paths within it.
fn list(folder: &Path, prefix: &str, files: &mut Vec<String>) {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true => list(&entry.path(), &format!("{name}/"), files),
            false => files.push(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_folder_leaves_nothing_behind() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let path = root.path().join("a/b");
        let folder = OutputFolder::new(&path, false).expect("a writable place");
        folder.write("x/y.txt", b"half").expect("written");
        drop(folder);
        assert!(!root.path().join("a").exists());
    }

    #[test]
    fn a_committed_folder_is_kept_and_protected() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let path = root.path().join("out");
        let folder = OutputFolder::new(&path, false).expect("a writable place");
        folder.write("x/y.txt", b"whole").expect("written");
        assert!(!path.join("x").exists(), "nothing shows before the end");
        folder.commit(&[]).expect("moved");
        assert_eq!(std::fs::read(path.join("x/y.txt")).expect("there"), b"whole");
        assert_eq!(path.read_dir().expect("a folder").count(), 1, "no staging left");
        assert!(matches!(OutputFolder::new(&path, false), Err(FolderError::NotEmpty { .. })));

        let again = OutputFolder::new(&path, true).expect("forced");
        again.write("x/z.txt", b"new").expect("written");
        std::fs::write(path.join("x/mine.txt"), b"mine").expect("written");
        again.commit(&["x/y.txt".into(), "../a".into()]).expect("moved");
        assert!(!path.join("x/y.txt").exists(), "what an earlier run wrote is gone");
        assert!(path.join("x/mine.txt").exists(), "what the user wrote is not");
    }
}
