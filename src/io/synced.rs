//! Files and names that the disk has, so that a power loss does not take them.

use super::dir::{Access, Dir, Kind};
use rayon::prelude::*;
use std::{
    fs::File,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

/// Waits until the disk has the bytes of a file.
pub(super) fn file(file: &File) -> io::Result<()> {
    match file.sync_all() {
        // Some disks of a network cannot say.
        Err(error) if matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::InvalidInput) => {
            Ok(())
        }
        synced => synced,
    }
}

/// Waits until the disk has the names in a folder. Only Unix can ask for that.
pub(super) fn folder(path: &Path) -> io::Result<()> {
    // One that cannot be read may be written to.
    match File::open(path).ok().filter(|_| cfg!(unix)) {
        Some(folder) => file(&folder),
        None => Ok(()),
    }
}

/// [`folder()`] of a folder in one of results.
pub(super) fn folder_in(folder: &Dir, name: impl AsRef<Path>) -> io::Result<()> {
    folder.opened(name).map_or(Ok(()), |folder| file(&folder))
}

/// Waits until the disk has a folder of results, the files in it and in the folders below.
pub(super) fn tree(folder: &Dir) -> io::Result<()> {
    let mut all = folder.tree()?;
    all.push((PathBuf::new(), Kind::Folder));
    // Together, since a disk writes several as fast as one.
    all.into_par_iter().try_for_each(|(name, kind)| match kind {
        Kind::Folder => folder_in(folder, name),
        // Windows wants to write for this.
        Kind::File if cfg!(windows) => file(&folder.file_for(Access::Write, &name)?),
        Kind::File => file(&folder.file(&name)?),
        _ => Ok(()),
    })
}
