//! Files in the user's cache folder.

use std::{
    io::{self, Write},
    path::PathBuf,
};

/// Where a file of the cache is; `None` where there is no such folder.
pub fn path(name: &str) -> Option<PathBuf> {
    dirs::cache_dir().map(|folder| folder.join("huygens").join(name))
}

/// The text of a file; `None` where there is none.
pub fn read(name: &str) -> Option<io::Result<String>> {
    let path = path(name)?;
    // What is no file, a pipe say, might never end.
    if path.exists() && !path.is_file() {
        return Some(Err(io::Error::other("it is no file")));
    }
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        read => Some(read),
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
