//! A folder of results, opened once. Everything in it is reached from its handle, and no link is
//! followed: who made the folder cannot send a run to files elsewhere.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
use other::Root;
#[cfg(unix)]
use unix::Root;

use super::access::{InTheWay, LinkError};
use std::{
    collections::HashSet,
    fs::{File, FileType},
    io::{self, ErrorKind, Read},
    path::{Component, Path, PathBuf},
    sync::Arc,
};

/// The path of a folder of results: one that the user names, whose links are followed, or one in it
/// that a run has named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderPath {
    named: PathBuf,
    within: PathBuf,
}

impl FolderPath {
    /// A folder in one that the user names.
    pub fn within(named: &Path, name: impl Into<PathBuf>) -> Self {
        FolderPath { named: named.to_owned(), within: name.into() }
    }

    /// The whole path, for messages.
    pub fn path(&self) -> PathBuf {
        joined(&self.named, &self.within)
    }
}

impl<P: AsRef<Path> + ?Sized> From<&P> for FolderPath {
    fn from(path: &P) -> Self {
        FolderPath::within(path.as_ref(), "")
    }
}

/// What has a name in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A plain file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, or what resembles it on Windows.
    Link,
    /// A pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A device.
    Device,
}

impl Kind {
    pub(super) fn of(kind: FileType) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::FileTypeExt;
            if kind.is_fifo() {
                return Kind::Pipe;
            }
            if kind.is_socket() {
                return Kind::Socket;
            }
        }
        match kind {
            // On Windows junctions too.
            kind if kind.is_symlink() => Kind::Link,
            kind if kind.is_dir() => Kind::Folder,
            kind if kind.is_file() => Kind::File,
            _ => Kind::Device,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::File => "file",
            Kind::Folder => "folder",
            Kind::Link => "link",
            Kind::Pipe => "pipe",
            Kind::Socket => "socket",
            Kind::Device => "device",
        }
    }
}

/// The purpose of opening a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    /// Written in place; made if it is missing.
    Write,
    /// Written at its end.
    Append,
    /// Made; nothing may have its name.
    New,
}

/// A folder of results. Names are paths in it.
#[derive(Clone, Debug)]
pub struct Dir {
    root: Arc<Root>,
    /// The path of the root, for messages.
    named: PathBuf,
    within: PathBuf,
}

impl Dir {
    /// Opens a folder.
    /// Fails if there is a link on the way from the folder that the user names.
    pub fn open(folder: impl Into<FolderPath>) -> io::Result<Self> {
        let FolderPath { named, within } = folder.into();
        let folder = Dir { root: Arc::new(Root::open(&named)?), named, within };
        match folder.kind("")? {
            Kind::Folder => Ok(folder),
            _ => Err(folder.explained(Path::new(""), ErrorKind::NotADirectory.into())),
        }
    }

    /// A folder in this one, which need not be there.
    pub fn below(&self, name: impl AsRef<Path>) -> Self {
        Dir { within: joined(&self.within, name.as_ref()), ..self.clone() }
    }

    /// Its path, for messages.
    pub fn path(&self) -> PathBuf {
        joined(&self.named, &self.within)
    }

    /// True if its path still leads to it.
    pub(super) fn is_in_place(&self) -> bool {
        self.root.is_at(&self.named)
    }

    /// What has a name.
    /// Fails if nothing has it, or if there is a link on the way to it.
    pub(crate) fn kind(&self, name: impl AsRef<Path>) -> io::Result<Kind> {
        self.apply(name.as_ref(), |root, at| root.kind(at))
    }

    /// True if anything has a name.
    pub fn has(&self, name: impl AsRef<Path>) -> bool {
        self.kind(name).is_ok()
    }

    /// True if a name is a plain folder's.
    pub(crate) fn has_folder(&self, name: impl AsRef<Path>) -> bool {
        self.kind(name).is_ok_and(|kind| kind == Kind::Folder)
    }

    /// True if an open file is the one that has this name now.
    pub(super) fn is_at(&self, file: &File, name: &str) -> io::Result<bool> {
        match self.apply(name.as_ref(), |root, at| root.is_same(file, at)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            same => same,
        }
    }

    /// Opens a plain file to read it.
    /// Fails for anything but a plain file.
    pub fn file(&self, name: impl AsRef<Path>) -> io::Result<File> {
        self.file_for(Access::Read, name.as_ref())
    }

    /// All bytes of a plain file.
    pub fn bytes(&self, name: impl AsRef<Path>) -> io::Result<Vec<u8>> {
        let mut file = self.file(name)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(file.metadata()?.len().try_into().unwrap_or(usize::MAX))?;
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Opens a plain file. One that is written in place may have no second name, under which it
    /// would change elsewhere.
    pub(super) fn file_for(&self, access: Access, name: &Path) -> io::Result<File> {
        let file = self.apply(name, |root, at| root.file(at, access))?;
        let about = file.metadata()?;
        if !about.is_file() {
            return Err(self.explained(name, ErrorKind::InvalidInput.into()));
        }
        if access != Access::Read && names(&about) > 1 {
            let path = self.path().join(name);
            return Err(LinkError { path, is_hard: true }.into());
        }
        Ok(file)
    }

    /// A file without a name, which goes when it is closed.
    pub(super) fn unnamed_file(&self) -> io::Result<File> {
        self.apply(Path::new(""), |root, at| root.unnamed_file(at))
    }

    /// Makes a folder, and those on the way to it. Existing ones stay.
    pub(super) fn make_folders(&self, name: impl AsRef<Path>) -> io::Result<()> {
        let name = name.as_ref();
        if self.has_folder(name) {
            return Ok(());
        }
        let mut folders: Vec<&Path> = name.ancestors().collect();
        folders.reverse();
        folders.into_iter().filter(|at| !at.as_os_str().is_empty()).try_for_each(|at| {
            match self.make_folder(at) {
                // Another thread may have made it.
                Err(_) if self.has_folder(at) => Ok(()),
                made => made,
            }
        })
    }

    /// Refuses what is not a folder and has the name of one to be made.
    pub(super) fn check_room(&self, name: &Path) -> io::Result<()> {
        match self.kind(name) {
            Ok(Kind::Folder) => Ok(()),
            Ok(_) => Err(self.explained(name, ErrorKind::NotADirectory.into())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Makes a folder; nothing may have its name.
    pub(super) fn make_folder(&self, name: impl AsRef<Path>) -> io::Result<()> {
        self.apply(name.as_ref(), |root, at| root.make_folder(at))
    }

    /// Moves a file, a folder or a link, over a file or a link of the new name.
    pub(super) fn rename(&self, name: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
        let (name, to) = (name.as_ref(), to.as_ref());
        let at = self.inside(name)?;
        let renamed = self.inside(to).and_then(|to| self.root.rename(&at, &to));
        renamed.map_err(|error| self.explained(to, self.explained(name, error)))
    }

    /// Removes a file, or a link instead of what it points to.
    pub fn remove_file(&self, name: impl AsRef<Path>) -> io::Result<()> {
        self.apply(name.as_ref(), |root, at| root.remove_file(at))
    }

    /// Removes an empty folder.
    pub(crate) fn remove_folder(&self, name: impl AsRef<Path>) -> io::Result<()> {
        self.apply(name.as_ref(), |root, at| root.remove_folder(at))
    }

    /// Removes a folder and all that is in it.
    pub fn remove_tree(&self, name: impl AsRef<Path>) -> io::Result<()> {
        let folder = self.below(&name);
        // Folders after what is in them.
        for (name, kind) in folder.tree()?.into_iter().rev() {
            match kind {
                Kind::Folder => folder.remove_folder(name)?,
                _ => folder.remove_file(name)?,
            }
        }
        self.remove_folder(name)
    }

    /// The names in it, in no order.
    pub fn names(&self) -> io::Result<Vec<(String, Kind)>> {
        let entries = self.apply(Path::new(""), |root, at| root.entries(at))?;
        let text =
            |(name, kind): (std::ffi::OsString, _)| (name.to_string_lossy().into_owned(), kind);
        Ok(entries.into_iter().map(text).collect())
    }

    /// All that is in it and in the folders below, each folder before what is in it.
    pub(super) fn tree(&self) -> io::Result<Vec<(PathBuf, Kind)>> {
        let mut found: Vec<(PathBuf, Kind)> = Vec::new();
        let mut next = 0;
        let mut folder = PathBuf::new();
        loop {
            let entries = self.apply(&folder, |root, at| root.entries(at))?;
            found.extend(entries.into_iter().map(|(name, kind)| (folder.join(name), kind)));
            let below = found[next..].iter().position(|(_, kind)| *kind == Kind::Folder);
            let Some(below) = below else { return Ok(found) };
            next += below + 1;
            folder.clone_from(&found[next - 1].0);
        }
    }

    /// The plain files in it and below, sorted.
    pub(super) fn files(&self) -> io::Result<Vec<String>> {
        let files = self.tree()?.into_iter().filter(|(_, kind)| *kind == Kind::File);
        let mut files: Vec<String> = files.map(|(name, _)| with_slashes(&name)).collect();
        files.sort();
        Ok(files)
    }

    /// Refuses a link in it or below.
    pub(super) fn check_links(&self) -> io::Result<()> {
        match self.tree()?.into_iter().find(|(_, kind)| *kind == Kind::Link) {
            Some((link, _)) => Err(LinkError::at(self.path().join(link)).into()),
            None => Ok(()),
        }
    }

    /// Opens a folder in it to wait for the disk; `None` where that cannot be done, as for one that
    /// may be written to and not read.
    pub(super) fn opened(&self, name: impl AsRef<Path>) -> Option<File> {
        self.apply(name.as_ref(), |root, at| root.folder(at)).ok()
    }

    /// The path of a name from the root.
    fn inside(&self, name: &Path) -> io::Result<PathBuf> {
        let at = joined(&self.within, name);
        match is_inside(&at) {
            true => Ok(at),
            false => Err(io::Error::new(ErrorKind::InvalidInput, "it leads out of its folder")),
        }
    }

    fn apply<T>(
        &self,
        name: &Path,
        call: impl FnOnce(&Root, &Path) -> io::Result<T>,
    ) -> io::Result<T> {
        call(&self.root, &self.inside(name)?).map_err(|error| self.explained(name, error))
    }

    /// The system's error in words, if a link or anything but a plain file is the cause.
    fn explained(&self, name: &Path, error: io::Error) -> io::Error {
        let Ok(at) = self.inside(name) else { return error };
        let kind = |at: &Path| self.root.kind(at).ok();
        let mut ways: Vec<&Path> = at.ancestors().collect();
        ways.reverse();
        if let Some(link) = ways.into_iter().find(|at| kind(at) == Some(Kind::Link)) {
            return LinkError::at(self.named.join(link)).into();
        }
        // A pipe that nobody reads cannot be opened, and one that somebody reads is no file.
        let is_of_kind = error.kind() == ErrorKind::InvalidInput || is_no_device(&error);
        match kind(&at) {
            None | Some(Kind::File | Kind::Link) => error,
            Some(kind) if is_of_kind => InTheWay { path: self.named.join(at), kind }.into(),
            Some(_) => error,
        }
    }
}

/// True if a name is that of a file or a folder in a folder or below it.
pub fn is_inside(name: impl AsRef<Path>) -> bool {
    name.as_ref().components().all(|part| matches!(part, Component::Normal(_)))
}

/// The folders of files, each once, the folder of them all among them.
pub(super) fn parents<'a>(names: impl IntoIterator<Item = &'a String>) -> HashSet<&'a Path> {
    let folders = names.into_iter().filter_map(|name| Path::new(name).parent());
    folders.chain([Path::new("")]).collect()
}

/// Without a slash at the end where nothing follows.
fn joined(folder: &Path, name: &Path) -> PathBuf {
    if name.as_os_str().is_empty() { folder.to_owned() } else { folder.join(name) }
}

/// A path in a folder as records have it.
fn with_slashes(name: &Path) -> String {
    let parts = name.components().map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(unix)]
fn is_no_device(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())
}

#[cfg(not(unix))]
fn is_no_device(_error: &io::Error) -> bool {
    false
}

/// How many names a file has.
#[cfg(unix)]
fn names(about: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(about)
}

#[cfg(not(unix))]
fn names(_about: &std::fs::Metadata) -> u64 {
    1
}
