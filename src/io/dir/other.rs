//! Systems without handles of folders. On Windows, links, junctions and mounted folders are reparse
//! points that name another place: each folder on the way is checked, and the last name. A program
//! that swaps a folder for a link between the check and the call is not caught.

use super::{Access, Kind};
use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

/// A folder by its path. Paths are within it, and empty for itself.
#[derive(Debug)]
pub(super) struct Root(PathBuf);

impl Root {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        match fs::metadata(path)?.is_dir() {
            true => Ok(Root(path.to_owned())),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// True if a path leads to a folder: which one is not known.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        path.is_dir()
    }

    pub(crate) fn is_same(&self, _file: &File, at: &Path) -> io::Result<bool> {
        self.kind(at).map(|kind| kind == Kind::File)
    }

    pub(crate) fn kind(&self, at: &Path) -> io::Result<Kind> {
        if at.as_os_str().is_empty() {
            return Ok(Kind::Folder);
        }
        Ok(Kind::of(fs::symlink_metadata(self.way(at)?)?.file_type()))
    }

    pub(crate) fn file(&self, at: &Path, access: Access) -> io::Result<File> {
        let mut options = OpenOptions::new();
        match access {
            Access::Read => options.read(true),
            Access::Write => options.write(true).create(true).truncate(false),
            Access::Append => options.append(true),
            Access::New => options.write(true).create_new(true),
        };
        options.open(self.plain(at)?)
    }

    pub(crate) fn folder(&self, _at: &Path) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn unnamed_file(&self, at: &Path) -> io::Result<File> {
        tempfile::tempfile_in(self.plain(at)?)
    }

    pub(crate) fn make_folder(&self, at: &Path) -> io::Result<()> {
        fs::create_dir(self.way(at)?)
    }

    pub(crate) fn rename(&self, at: &Path, to: &Path) -> io::Result<()> {
        fs::rename(self.way(at)?, self.way(to)?)
    }

    pub(crate) fn remove_file(&self, at: &Path) -> io::Result<()> {
        let path = self.way(at)?;
        // A link to a folder is removed as a folder.
        fs::remove_file(&path).or_else(|error| match self.kind(at) {
            Ok(Kind::Link) => fs::remove_dir(&path),
            _ => Err(error),
        })
    }

    pub(crate) fn remove_folder(&self, at: &Path) -> io::Result<()> {
        fs::remove_dir(self.plain(at)?)
    }

    pub(crate) fn entries(&self, at: &Path) -> io::Result<Vec<(OsString, Kind)>> {
        let entries = self.plain(at)?.read_dir()?;
        let named = entries.map(|entry| {
            let entry = entry?;
            Ok((entry.file_name(), Kind::of(entry.file_type()?)))
        });
        named.collect()
    }

    /// The path of a name, with no link on the way to it.
    fn way(&self, at: &Path) -> io::Result<PathBuf> {
        let folders = at.ancestors().skip(1).filter(|at| !at.as_os_str().is_empty());
        folders.map(|at| self.0.join(at)).try_for_each(|folder| refuse_link(&folder))?;
        Ok(if at.as_os_str().is_empty() { self.0.clone() } else { self.0.join(at) })
    }

    /// The path of a name that is no link, with none on the way to it.
    fn plain(&self, at: &Path) -> io::Result<PathBuf> {
        let path = self.way(at)?;
        if !at.as_os_str().is_empty() {
            refuse_link(&path)?;
        }
        Ok(path)
    }
}

fn refuse_link(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_symlink() => Err(io::ErrorKind::NotADirectory.into()),
        _ => Ok(()),
    }
}
