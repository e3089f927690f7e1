//! Files and names that the disk has, so that a power loss does not take them.

use rayon::prelude::*;
use std::{
    fs::File,
    io::{self, ErrorKind},
    path::Path,
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

/// Waits until the disk has a folder, the files in it and in the folders below.
pub(super) fn tree(path: &Path) -> io::Result<()> {
    let entries = path.read_dir()?.collect::<io::Result<Vec<_>>>()?;
    // Together, since a disk writes several as fast as one.
    entries.into_par_iter().try_for_each(|entry| match entry.file_type()? {
        kind if kind.is_dir() => tree(&entry.path()),
        kind if kind.is_file() => {
            // Windows wants to write for this.
            let opened = File::options().read(true).write(cfg!(windows)).open(entry.path());
            file(&opened?)
        }
        _ => Ok(()),
    })?;
    folder(path)
}
