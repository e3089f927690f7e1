//! Files in the user's cache folder.

use super::{
    access,
    whole::{self, WholeError},
};
use std::{
    fs::{DirEntry, Metadata},
    io,
    path::PathBuf,
};

/// The path of a file in the cache; `None` if there is no such folder.
pub fn path(name: &str) -> Option<PathBuf> {
    folder().map(|folder| folder.join(name))
}

/// The folder of the cache, whether or not it exists.
pub fn folder() -> Option<PathBuf> {
    dirs::cache_dir().map(|folder| folder.join("huygens"))
}

/// The files of the cache with their sizes in bytes, by name; empty if there is no such folder.
pub fn files() -> Vec<(String, u64)> {
    let entries = folder().and_then(|folder| folder.read_dir().ok()).into_iter().flatten();
    let file = |entry: DirEntry| {
        let about = entry.metadata().ok().filter(Metadata::is_file)?;
        Some((entry.file_name().to_string_lossy().into_owned(), about.len()))
    };
    let mut files: Vec<_> = entries.flatten().filter_map(file).collect();
    files.sort();
    files
}

/// The text of a file; `None` if it does not exist.
pub fn read(name: &str) -> Option<io::Result<String>> {
    match access::bytes(&path(name)?) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        read => Some(read.and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other))),
    }
}

/// Writes a file whole, or leaves the old one.
pub fn write(name: &str, text: &str) -> io::Result<()> {
    let missing = || io::Error::other("there is no cache folder");
    let path = path(name).ok_or_else(missing)?;
    whole::write(&path, text.as_bytes(), true).map_err(|error| match error {
        WholeError::Io { source, .. } => source,
        other => io::Error::other(other),
    })
}
