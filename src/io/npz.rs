//! NumPy archives: `.npy` arrays in a zip, as `numpy.savez` and `savez_compressed` write them.

use super::npy::{self, NpyError};
use ndarray::ArrayD;
use std::{
    fs::File,
    io::{self, BufReader, Read, Seek},
    path::Path,
};
use zip::{ZipArchive, read::ZipFile, result::ZipError};

/// Why an array was not read.
#[derive(Debug, thiserror::Error)]
pub enum NpzError {
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {source}; check the path and its permissions")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// The file is no archive, or a broken one.
    #[error("{path} is not a whole .npz file: {reason}")]
    Format {
        /// The file.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// An archive without an array.
    #[error("{path} holds no array; save one with numpy.savez")]
    Empty {
        /// The file.
        path: String,
    },
    /// Several arrays, and none named, or another.
    #[error("{path} holds the arrays {}, and {}; name one of them with array = \"{}\", or --array of `huygens model`", shown(.names),
        .wanted.as_ref().map_or("none is named".into(), |name| format!("none is called \"{name}\"")),
        .names.first().map_or("", String::as_str))]
    Which {
        /// The file.
        path: String,
        /// The name asked for.
        wanted: Option<String>,
        /// Those there are.
        names: Vec<String>,
    },
    /// The array itself.
    #[error(transparent)]
    Array(#[from] NpyError),
}

/// Names as a message lists them, the first few of many.
fn shown(names: &[String]) -> String {
    let more = if names.len() > 8 { ", ..." } else { "" };
    names.iter().take(8).map(String::as_str).collect::<Vec<_>>().join(", ") + more
}

/// What deflate makes of a byte at most.
const DEFLATE: u64 = 1032;
/// A header is within so many bytes.
const HEADER: u64 = 1 << 16;

/// Reads the array of a name, or the only one. Before it is unpacked its header must agree with the archive's
/// directory, so that no more is allocated than the array takes.
pub fn read(path: &Path, wanted: Option<&str>) -> Result<ArrayD<f64>, NpzError> {
    let name = path.display().to_string();
    let io = |source| NpzError::Io { path: name.clone(), source };
    super::floats::length(path).map_err(io)?;
    let file = File::open(path).map_err(io)?;
    parse(&name, BufReader::new(file), wanted)
}

/// The array of an archive; `path` is what messages call it.
pub fn parse<R: Read + Seek>(
    path: &str,
    archive: R,
    wanted: Option<&str>,
) -> Result<ArrayD<f64>, NpzError> {
    let name = || path.to_owned();
    let io = |source| NpzError::Io { path: name(), source };
    let format = |reason: String| NpzError::Format { path: name(), reason };
    let broken = |error| match error {
        ZipError::Io(source) if source.kind() != io::ErrorKind::UnexpectedEof => io(source),
        error => format(error.to_string()),
    };
    let mut archive = ZipArchive::new(archive).map_err(broken)?;
    let arrays = archive.file_names().filter_map(|name| name.strip_suffix(".npy"));
    let mut names: Vec<String> = arrays.map(str::to_owned).collect();
    names.sort();
    let array = match (wanted, names.as_slice()) {
        (_, []) => return Err(NpzError::Empty { path: name() }),
        (None, [only]) => only.clone(),
        (Some(wanted), names) if names.iter().any(|name| name == wanted) => wanted.to_owned(),
        (wanted, _) => {
            let wanted = wanted.map(str::to_owned);
            return Err(NpzError::Which { path: name(), wanted, names });
        }
    };
    let entry = archive.by_name(&format!("{array}.npy")).map_err(broken)?;
    let inside = format!("{array} in {path}");
    let (size, packed) = (entry.size(), entry.compressed_size());
    if size > packed.saturating_mul(DEFLATE).saturating_add(HEADER) {
        let reason = format!("{array} promises {size} bytes out of {packed}");
        return Err(format(reason));
    }
    unpack(entry, size, &inside).map_err(|error| match error {
        Unpacked::Io(error) => format(format!("{array}: {error}")),
        Unpacked::Array(error) => NpzError::Array(error),
    })
}

enum Unpacked {
    Io(io::Error),
    Array(NpyError),
}

/// An entry of `size` bytes, its header first.
fn unpack<R: Read>(
    mut entry: ZipFile<'_, R>,
    size: u64,
    inside: &str,
) -> Result<ArrayD<f64>, Unpacked> {
    let mut bytes = Vec::new();
    entry.by_ref().take(HEADER).read_to_end(&mut bytes).map_err(Unpacked::Io)?;
    npy::check(inside, &bytes, size).map_err(Unpacked::Array)?;
    // One more than promised, so that what is longer is seen.
    entry.take(size.saturating_sub(HEADER) + 1).read_to_end(&mut bytes).map_err(Unpacked::Io)?;
    npy::parse(inside, &bytes).map_err(Unpacked::Array)
}
