//! A single file that is whole or absent.

use std::{
    io::{self, Write},
    path::Path,
};

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum WholeError {
    /// It is there and may not be overwritten.
    #[error(
        "{path} is there already; choose another file with --out, or overwrite it with --force"
    )]
    There {
        /// The file.
        path: String,
    },
    /// It cannot be written.
    #[error("cannot write {path}: {source}; choose another file with --out")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

/// Whether a file may be written: it is absent, or may be overwritten.
pub fn may_write(path: &Path, force: bool) -> Result<(), WholeError> {
    let name = || path.display().to_string();
    if path.is_dir() {
        return Err(WholeError::Io { path: name(), source: io::ErrorKind::IsADirectory.into() });
    }
    if path.exists() && !force {
        return Err(WholeError::There { path: name() });
    }
    Ok(())
}

/// Writes a file beside its place and moves it there; folders that are missing are made.
pub fn write(path: &Path, bytes: &[u8], force: bool) -> Result<(), WholeError> {
    may_write(path, force)?;
    let io = |source| WholeError::Io { path: path.display().to_string(), source };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = parent.unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(io)?;
    let mut file = tempfile::Builder::new().prefix(".huygens-").tempfile_in(folder).map_err(io)?;
    file.write_all(bytes).map_err(io)?;
    // A temporary file is its owner's only; one that is kept is as any other.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::Permissions::from_mode(0o644);
        file.as_file().set_permissions(mode).map_err(io)?;
    }
    match force {
        true => file.persist(path).map(|_| ()),
        false => file.persist_noclobber(path).map(|_| ()),
    }
    .map_err(|error| io(error.error))
}
