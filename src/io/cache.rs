//! Files in the user's cache folder.

use super::access;
use std::{
    io::{self, Write},
    path::PathBuf,
};

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
    let folder = path.parent().ok_or_else(missing)?;
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(&path)?;
    Ok(())
}
