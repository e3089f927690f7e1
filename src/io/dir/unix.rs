//! Unix: files are opened from the handle of their folder. `openat2` of Linux follows no link on the
//! way; without it each folder of the way is opened from the one before.

use super::{Access, Kind};
#[cfg(any(target_os = "linux", target_os = "android"))]
use rustix::fs::{ResolveFlags, openat2};
use rustix::{
    fd::{AsFd, BorrowedFd, OwnedFd},
    fs::{
        AtFlags, FileType, Mode, OFlags, Stat, fstat, mkdirat, openat, renameat, statat, unlinkat,
    },
    io::Errno,
};
use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io,
    os::unix::ffi::OsStrExt,
    path::Path,
};

/// An open folder. Paths are within it, and empty for itself.
#[derive(Debug)]
pub(super) struct Root(OwnedFd);

/// Modes of new files and folders, before the umask.
const FILE: Mode = Mode::from_raw_mode(0o666);
const FOLDER: Mode = Mode::from_raw_mode(0o777);
const PRIVATE: Mode = Mode::from_raw_mode(0o600);
/// A folder on the way, which need not be readable.
#[cfg(any(target_os = "linux", target_os = "android"))]
const WAY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const WAY: OFlags = OFlags::DIRECTORY;

impl Access {
    /// A pipe without a reader or writer is not waited for.
    fn flags(self) -> OFlags {
        OFlags::NONBLOCK
            | OFlags::NOCTTY
            | match self {
                Access::Read => OFlags::RDONLY,
                Access::Write => OFlags::WRONLY | OFlags::CREATE,
                Access::Append => OFlags::WRONLY | OFlags::APPEND,
                Access::New => OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL,
            }
    }
}

impl Root {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Root(rustix::fs::open(path, flags, Mode::empty())?))
    }

    /// True if a path leads to it.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        let same = || Ok::<_, Errno>(id(&fstat(&self.0)?) == id(&rustix::fs::stat(path)?));
        same().unwrap_or(false)
    }

    pub(crate) fn is_same(&self, file: &File, at: &Path) -> io::Result<bool> {
        Ok(id(&fstat(file)?) == id(&self.stat(at)?))
    }

    pub(crate) fn kind(&self, at: &Path) -> io::Result<Kind> {
        Ok(kind(FileType::from_raw_mode(self.stat(at)?.st_mode)))
    }

    pub(crate) fn file(&self, at: &Path, access: Access) -> io::Result<File> {
        Ok(self.open_at(at, access.flags(), FILE)?.into())
    }

    /// A folder, open to read its names.
    pub(crate) fn folder(&self, at: &Path) -> io::Result<File> {
        Ok(self.open_at(at, OFlags::DIRECTORY, FILE)?.into())
    }

    pub(crate) fn unnamed_file(&self, at: &Path) -> io::Result<File> {
        let folder = self.open_at(at, WAY, FILE)?;
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::EXCL | OFlags::CLOEXEC;
            if let Ok(file) = openat(&folder, ".", flags, PRIVATE) {
                return Ok(file.into());
            }
        }
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        for k in 0.. {
            let name = format!(".huygens-{}-{k}", std::process::id());
            match openat(&folder, name.as_str(), flags, PRIVATE) {
                Err(Errno::EXIST) => continue,
                file => {
                    let file = file?;
                    unlinkat(&folder, name.as_str(), AtFlags::empty())?;
                    return Ok(file.into());
                }
            }
        }
        unreachable!("a number is free")
    }

    pub(crate) fn make_folder(&self, at: &Path) -> io::Result<()> {
        let (folder, name) = self.parent(at)?;
        Ok(mkdirat(folder, name, FOLDER)?)
    }

    pub(crate) fn rename(&self, at: &Path, to: &Path) -> io::Result<()> {
        let ((from, name), (folder, new)) = (self.parent(at)?, self.parent(to)?);
        Ok(renameat(from, name, folder, new)?)
    }

    pub(crate) fn remove_file(&self, at: &Path) -> io::Result<()> {
        let (folder, name) = self.parent(at)?;
        Ok(unlinkat(folder, name, AtFlags::empty())?)
    }

    pub(crate) fn remove_folder(&self, at: &Path) -> io::Result<()> {
        let (folder, name) = self.parent(at)?;
        Ok(unlinkat(folder, name, AtFlags::REMOVEDIR)?)
    }

    pub(crate) fn entries(&self, at: &Path) -> io::Result<Vec<(OsString, Kind)>> {
        let folder = self.open_at(at, OFlags::DIRECTORY, FILE)?;
        let mut entries = Vec::new();
        for entry in rustix::fs::Dir::read_from(&folder)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                // Some disks do not say.
                FileType::Unknown => self.kind(&at.join(name))?,
                known => kind(known),
            };
            entries.push((name.to_owned(), kind));
        }
        Ok(entries)
    }

    fn stat(&self, at: &Path) -> io::Result<Stat> {
        if at.as_os_str().is_empty() {
            return Ok(fstat(&self.0)?);
        }
        let (folder, name) = self.parent(at)?;
        Ok(statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// The folder of a path, and its last name.
    fn parent<'a>(&self, at: &'a Path) -> io::Result<(OwnedFd, &'a OsStr)> {
        let name = at.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let folder = at.parent().unwrap_or(Path::new(""));
        Ok((self.open_at(folder, WAY, FILE)?, name))
    }

    /// Opens a path, following no link.
    fn open_at(&self, at: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // Without a new file there is no mode.
        let mode = if flags.contains(OFlags::CREATE) { mode } else { Mode::empty() };
        if at.as_os_str().is_empty() {
            return Ok(openat(&self.0, ".", flags, mode)?);
        }
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            match openat2(&self.0, at, flags, mode, resolve) {
                // Kernels before 5.6, and those that let no program call it.
                Err(Errno::NOSYS | Errno::PERM) => {}
                opened => return Ok(opened?),
            }
        }
        step_by_step(self.0.as_fd(), at, flags, mode)
    }
}

/// Opens each folder on the way from the one before.
fn step_by_step(root: BorrowedFd<'_>, at: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    let name = at.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut folder: Option<OwnedFd> = None;
    for part in at.parent().into_iter().flat_map(Path::components) {
        let from = folder.as_ref().map_or(root, AsFd::as_fd);
        let way = WAY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        folder = Some(openat(from, part.as_os_str(), way, Mode::empty())?);
    }
    Ok(openat(folder.as_ref().map_or(root, AsFd::as_fd), name, flags, mode)?)
}

/// The identity of a file on this machine.
fn id(stat: &Stat) -> (u64, u64) {
    #[allow(clippy::unnecessary_cast, reason = "they have other types on other systems")]
    (stat.st_dev as u64, stat.st_ino as u64)
}

fn kind(of: FileType) -> Kind {
    match of {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        FileType::Fifo => Kind::Pipe,
        FileType::Socket => Kind::Socket,
        _ => Kind::Device,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As on other systems and old kernels.
    #[test]
    fn each_step_of_a_way_follows_no_link() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        std::fs::create_dir_all(folder.path().join("root/a/b"))?;
        std::fs::write(folder.path().join("root/a/b/c"), "mine")?;
        std::fs::create_dir(folder.path().join("outside"))?;
        std::fs::write(folder.path().join("outside/c"), "theirs")?;
        std::os::unix::fs::symlink("../../outside", folder.path().join("root/a/l"))?;
        std::os::unix::fs::symlink("b/c", folder.path().join("root/a/f"))?;
        let root = Root::open(&folder.path().join("root"))?;
        let open = |at: &str| {
            let flags = OFlags::NOFOLLOW | OFlags::CLOEXEC;
            step_by_step(root.0.as_fd(), Path::new(at), flags, Mode::empty())
        };
        assert_eq!(io::read_to_string(File::from(open("a/b/c")?))?, "mine");
        for link in ["a/l/c", "a/f"] {
            assert!(open(link).is_err(), "{link}");
        }
        Ok(())
    }
}
