//! Files in the user's cache folder.

use super::{
    access,
    whole::{self, WholeError},
};
use std::{io, path::PathBuf};

/// The path of a file in the cache; `None` if there is no such folder.
pub fn path(name: &str) -> Option<PathBuf> {
    dirs::cache_dir().map(|folder| folder.join("huygens").join(name))
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
