//! The results of earlier runs in a folder and in those inside it, which give way together.

use super::{
    commit::{listed, remove},
    dir::{Dir, FolderPath},
    folder::Earlier,
    folder_error::{FolderError, shown},
    lock::FolderLock,
};
use std::path::{Path, PathBuf};

/// Earlier runs, each in its folder.
#[derive(Debug)]
pub struct EarlierRuns {
    path: PathBuf,
    record: &'static str,
    folders: Vec<FolderPath>,
    /// True if the folder holds nothing else.
    alone: bool,
}

impl EarlierRuns {
    /// Those in a folder, and in the folders inside it whose names begin like this, by their records.
    pub fn find(path: &Path, record: &'static str, prefix: &str) -> Self {
        let (mut folders, mut others) = (Vec::new(), 0);
        if let Ok(folder) = Dir::open(path) {
            for (name, _) in folder.names().unwrap_or_default() {
                let is_run = !listed(&folder.below(&name), record).is_empty();
                match name.starts_with(prefix) && is_run {
                    true => folders.push(FolderPath::within(path, name)),
                    false => others += usize::from(!FolderLock::is(&name)),
                }
            }
            if !listed(&folder, record).is_empty() {
                folders.push(path.into());
            }
        }
        let alone = others == 0 && folders.iter().any(|folder| *folder != path.into());
        EarlierRuns { path: path.to_owned(), record, folders, alone }
    }

    /// Their folders.
    pub fn folders(&self) -> &[FolderPath] {
        &self.folders
    }

    /// What a new run does with the files in the folder.
    /// Fails if these are to stay.
    pub fn treated(&self, earlier: Earlier) -> Result<Earlier, FolderError> {
        match earlier {
            Earlier::Stays if !self.folders.is_empty() => {
                Err(FolderError::NotEmpty { path: shown(&self.path) })
            }
            Earlier::IsReplaced if self.alone => Ok(Earlier::IsOverwritten),
            earlier => Ok(earlier),
        }
    }

    /// Removes the files that their records list, except of the folders that a new run has written.
    /// Fails if another run is in one of the folders.
    pub fn remove(&self, written: &[FolderPath]) -> Result<(), FolderError> {
        for path in self.folders.iter().filter(|folder| !written.contains(folder)) {
            let io = |source| FolderError::io(path.path(), source);
            let folder = Dir::open(path.clone()).map_err(io)?;
            let lock = FolderLock::take(&folder).map_err(io)?;
            let lock = lock.ok_or_else(|| FolderError::Taken { path: shown(&path.path()) })?;
            remove(&folder, listed(&folder, self.record).iter());
            drop(lock);
            // Only if it is empty.
            if *path != FolderPath::from(&self.path) {
                let _ = folder.remove_folder("");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commit::tests::{below, put, record};

    #[test]
    fn runs_in_folders_of_a_folder_give_way_and_other_files_stay() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let path = root.path();
        let put = |name: &str, bytes: &[u8]| put(&path.join(name), bytes);
        for name in ["part-1", "part-2"] {
            put(&format!("{name}/a/b.txt"), b"a result");
            put(&format!("{name}/r.json"), &record(&["a/b.txt"]));
        }
        let find = || EarlierRuns::find(path, "r.json", "part-");
        assert!(find().treated(Earlier::Stays).is_err());
        let treated = |earlier| find().treated(earlier).expect("they may go");
        assert_eq!(treated(Earlier::IsReplaced), Earlier::IsOverwritten);
        put("part-2/mine.txt", b"mine");
        put("part-3/r.json", b"{}");
        assert_eq!(treated(Earlier::IsReplaced), Earlier::IsReplaced, "another's folder is there");
        find().remove(&[FolderPath::within(path, "part-1")]).expect("removed");
        let left = ["part-1/a/b.txt", "part-1/r.json", "part-2/mine.txt", "part-3/r.json"];
        assert_eq!(below(path), left);
    }
}
