//! Opens files for reading, and suggests remedies if the system refuses to read or write one.

use super::dir::Kind;
use std::{
    fs::File,
    io::{self, ErrorKind, Read},
    path::{Path, PathBuf},
};

/// Opens a plain file, or a link to one. Anything else is rejected before it is opened: a pipe
/// would wait for a writer, and a device may never end.
pub fn open(path: &Path) -> io::Result<File> {
    match Kind::of(std::fs::metadata(path)?.file_type()) {
        Kind::File => File::open(path),
        kind => Err(io::Error::new(ErrorKind::InvalidInput, Special(kind))),
    }
}

/// All bytes of a plain file.
pub(crate) fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(file.metadata()?.len().try_into().unwrap_or(usize::MAX))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A remedy for a file that could not be read or written, to append to the error.
pub fn remedy(error: &io::Error) -> &'static str {
    if let Some(special) = error.get_ref().and_then(|inner| inner.downcast_ref::<Special>()) {
        return match special.0 {
            Kind::Folder => "name a file in it",
            _ => "copy what comes out of it into a file, and name that",
        };
    }
    if error.get_ref().is_some_and(|inner| inner.is::<InTheWay>()) {
        return "move it elsewhere";
    }
    if LinkError::of(error).is_some() {
        return "put a copy in its place, or remove it";
    }
    #[cfg(unix)]
    if error.raw_os_error() == Some(rustix::io::Errno::MFILE.raw_os_error()) {
        return "a limit of the shell lets a process open no more files at once: raise it (ulimit -n)";
    }
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::InvalidInput => "check the path",
        ErrorKind::NotADirectory => "a part of the path is a file: check the path",
        ErrorKind::IsADirectory => "a folder has that name: name a file",
        ErrorKind::AlreadyExists => "something has that name: check what it is",
        ErrorKind::InvalidFilename => "give a shorter name",
        ErrorKind::PermissionDenied => "check its permissions and those of its folder",
        ErrorKind::ReadOnlyFilesystem => "nothing can be written on that disk: choose another one",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room on that disk",
        ErrorKind::FileTooLarge => {
            "the disk, or a limit of the shell (ulimit -f), takes no file so large: choose another disk or raise the limit"
        }
        ErrorKind::OutOfMemory => {
            "it is larger than the memory that is left, or than a limit of this run or of the shell (ulimit -v): take a smaller file, or \
             a machine with more memory"
        }
        ErrorKind::UnexpectedEof => "it became shorter while it was read: bring it whole",
        _ => "check the path and the disk",
    }
}

/// A file that cannot be opened or read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {path}: {source}; {}", remedy(.source))]
pub struct Unreadable {
    /// The file.
    pub(crate) path: String,
    /// The system's error.
    pub source: io::Error,
}

impl Unreadable {
    /// Of a file, what the system says.
    pub fn at(path: &str) -> impl Fn(io::Error) -> Self + Copy {
        move |source| Unreadable { path: path.to_owned(), source }
    }
}

/// A link in a folder of results, through which files elsewhere would be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{} {}", .path.display(), if *.is_hard {
    "has a second name (it is a hard link), under which it would change too"
} else {
    "is a link, and no link in a folder of results is followed"
})]
pub(super) struct LinkError {
    pub(crate) path: PathBuf,
    /// A second name of a file, instead of a symbolic link.
    pub(crate) is_hard: bool,
}

impl LinkError {
    pub(crate) fn at(path: PathBuf) -> Self {
        LinkError { path, is_hard: false }
    }

    /// The link that caused an error.
    pub(crate) fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl From<LinkError> for io::Error {
    fn from(link: LinkError) -> Self {
        io::Error::new(ErrorKind::InvalidInput, link)
    }
}

/// An entry of a folder of results that blocks a file of the run.
#[derive(Debug, thiserror::Error)]
#[error("{} is a {}, no plain file", .path.display(), .kind.name())]
pub(super) struct InTheWay {
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
}

impl From<InTheWay> for io::Error {
    fn from(it: InTheWay) -> Self {
        io::Error::new(ErrorKind::InvalidInput, it)
    }
}

/// Exists, but is not a plain file.
#[derive(Debug, thiserror::Error)]
#[error("it is a {}, no plain file", .0.name())]
struct Special(Kind);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedies_fit_what_is_wrong() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let said = |path: &Path| {
            let error = open(path).expect_err("no file");
            format!("{error}; {}", remedy(&error))
        };
        assert_eq!(said(folder.path()), "it is a folder, no plain file; name a file in it");
        assert!(said(&folder.path().join("none")).ends_with("; check the path"));
        assert!(said(Path::new("a\0b")).ends_with("; check the path"));
        let memory = io::Error::from(Vec::<u64>::new().try_reserve(usize::MAX).expect_err("much"));
        assert!(remedy(&memory).contains("ulimit -v"));
        let file = folder.path().join("file");
        std::fs::write(&file, "whole").expect("written");
        assert_eq!(bytes(&file).expect("read"), b"whole");
        // Windows only says that there is no such path.
        #[cfg(unix)]
        for (path, part) in [
            (folder.path().join("n".repeat(5000)), "give a shorter name"),
            (file.join("below"), "a part of the path is a file"),
        ] {
            assert!(said(&path).contains(part), "{}", said(&path));
        }
    }
}
