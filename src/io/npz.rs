//! NumPy archives: `.npy` arrays in a zip, as `numpy.savez` and `savez_compressed` write them.

use super::{
    access::{self, Unreadable},
    gzip,
    npy::{self, NpyError, Value},
    whole::{self, WholeError},
};
use ndarray::{ArrayD, ArrayViewD};
use ndarray_npy::{WriteNpyError, WriteNpyExt};
use std::{
    io::{self, BufReader, BufWriter, Cursor, ErrorKind, Read, Seek, SeekFrom, Write},
    mem,
    path::Path,
};
use zip::{CompressionMethod, ZipArchive, ZipWriter, result::ZipError, write::SimpleFileOptions};

/// The remedy where the array of a file is not named.
pub(crate) fn name_one(names: &[String]) -> String {
    let name = names.first().map_or("", String::as_str);
    format!("name one of them with array = \"{name}\", or --array of `huygens model`")
}

/// Reasons why an array was not read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum NpzError {
    #[error(transparent)]
    Io(#[from] Unreadable),
    #[error("{path} is not a whole .npz file: {reason}")]
    Format { path: String, reason: String },
    #[error("{path} holds no array; save one with numpy.savez")]
    Empty { path: String },
    #[error("{path} holds the arrays {}, and {}; {}", shown(.names),
        .wanted.as_ref().map_or("none is named".into(), |name| format!("none is called \"{name}\"")), name_one(.names))]
    Which { path: String, wanted: Option<String>, names: Vec<String> },
    #[error(
        "{array} in {path} promises {size} bytes out of {packed}, and no more than {most} are taken out; if it is \
         not broken, save it without compression (numpy.savez)"
    )]
    Size { path: String, array: String, size: u64, packed: u64, most: u64 },
    #[error(transparent)]
    Array(#[from] NpyError),
}

/// Names as a message lists them, the first few of many.
pub(super) fn shown(names: &[String]) -> String {
    let more = if names.len() > 8 { ", ..." } else { "" };
    names.iter().take(8).map(String::as_str).collect::<Vec<_>>().join(", ") + more
}

/// The message for an archive without its end.
const CUT: &str = "the record that ends an archive is not there: it is cut, or no archive";
/// The most bytes of a text that are read.
const LONGEST_TEXT: u64 = 1 << 24;
/// Bytes of the record at the end of an archive, before its comment.
const END_RECORD: usize = 22;

/// Reads the array of a name, or the only one. Before it is unpacked its header must agree with the
/// archive's directory, so that no more is allocated than the array's size.
pub fn read<T: Value>(path: &Path, wanted: Option<&str>) -> Result<ArrayD<T>, NpzError> {
    let name = path.display().to_string();
    let file = access::open(path).map_err(Unreadable::at(&name))?;
    parse(&name, BufReader::new(file), wanted)
}

/// Reads a text of an archive, if it has it.
pub fn text(path: &Path, wanted: &str) -> Result<Option<String>, NpzError> {
    let path_name = path.display().to_string();
    let io = Unreadable::at(&path_name);
    let format = |reason: String| NpzError::Format { path: path_name.clone(), reason };
    let mut file = BufReader::new(access::open(path).map_err(io)?);
    if !ends_as_archive(&mut file).map_err(io)? {
        return Err(format(CUT.into()));
    }
    let mut archive = ZipArchive::new(file).map_err(|error| format(error.to_string()))?;
    let Ok(entry) = archive.by_name(wanted) else { return Ok(None) };
    let mut text = String::new();
    let read = entry.take(LONGEST_TEXT).read_to_string(&mut text);
    read.map_err(|error| format(format!("{wanted}: {error}")))?;
    Ok(Some(text))
}

/// An array to be written.
pub enum Array<'a> {
    /// f32 values.
    F32(ArrayViewD<'a, f32>),
    /// f64 values.
    F64(ArrayViewD<'a, f64>),
}

/// A text beside the arrays.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    /// Its name in the archive.
    pub name: &'a str,
    /// What it says.
    pub text: &'a str,
}

/// Writes arrays, uncompressed, and a text beside them.
pub fn write(
    path: &Path,
    text: Text<'_>,
    arrays: &[(String, Array<'_>)],
    force: bool,
) -> Result<(), WholeError> {
    whole::make(path, force, |file| put(BufWriter::new(file), text, arrays)?.flush())
}

/// [`write()`], in memory.
pub fn bytes(text: Text<'_>, arrays: &[(String, Array<'_>)]) -> io::Result<Vec<u8>> {
    // With the headers of all: memory that grows is there twice.
    let headers = text.text.len() + 1024 * (arrays.len() + 1);
    let values = arrays.iter().map(|(_, array)| match array {
        Array::F32(values) => size_of::<f32>() * values.len(),
        Array::F64(values) => size_of::<f64>() * values.len(),
    });
    let room = Vec::with_capacity(headers + values.sum::<usize>());
    Ok(put(Cursor::new(room), text, arrays)?.into_inner())
}

fn put<W: Write + Seek>(sink: W, text: Text<'_>, arrays: &[(String, Array<'_>)]) -> io::Result<W> {
    let mut archive = ZipWriter::new(sink);
    match fill(&mut archive, text, arrays) {
        Ok(()) => Ok(archive.finish()?),
        Err(error) => {
            // Dropped, it would write again, and print that error.
            mem::forget(archive);
            Err(error)
        }
    }
}

fn fill(
    archive: &mut ZipWriter<impl Write + Seek>,
    Text { name, text }: Text<'_>,
    arrays: &[(String, Array<'_>)],
) -> io::Result<()> {
    let stored =
        SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
    archive.start_file(name, stored)?;
    archive.write_all(text.as_bytes())?;
    for (name, array) in arrays {
        archive.start_file(format!("{name}.npy"), stored)?;
        match array {
            Array::F32(values) => values.write_npy(&mut *archive),
            Array::F64(values) => values.write_npy(&mut *archive),
        }
        .map_err(|error| match error {
            WriteNpyError::Io(error) => error,
            error => io::Error::other(error),
        })?;
    }
    archive.flush()
}

/// Parses the array of an archive; `path` is its name in messages.
pub fn parse<T: Value>(
    path: &str,
    mut archive: impl Read + Seek,
    wanted: Option<&str>,
) -> Result<ArrayD<T>, NpzError> {
    let name = || path.to_owned();
    let io = Unreadable::at(path);
    let format = |reason: String| NpzError::Format { path: name(), reason };
    let broken = |error| match error {
        ZipError::Io(source) if source.kind() != ErrorKind::UnexpectedEof => io(source).into(),
        error => format(error.to_string()),
    };
    if !ends_as_archive(&mut archive).map_err(io)? {
        return Err(format(CUT.into()));
    }
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
    let mut entry = archive.by_name(&format!("{array}.npy")).map_err(broken)?;
    let inside = format!("{array} in {path}");
    let (size, packed) = (entry.size(), entry.compressed_size());
    let most = gzip::most(packed);
    if size > most {
        let (path, array) = (name(), array.clone());
        return Err(NpzError::Size { path, array, size, packed, most });
    }
    let values = npy::from(&inside, &mut entry, size).map_err(|error| match error {
        NpyError::Io(Unreadable { source, .. }) if source.kind() != ErrorKind::OutOfMemory => {
            format(format!("{array}: {source}"))
        }
        error => NpzError::Array(error),
    })?;
    // Compares its checksum at the end.
    match entry.read(&mut [0]) {
        Ok(0) => Ok(values),
        Ok(_) => Err(format(format!("{array} is longer than the {size} bytes it promises"))),
        Err(error) => Err(format(format!("{array}: {error}"))),
    }
}

/// True if the record at the end of an archive is where the format has it: before a comment of at
/// most 64 KiB. Otherwise the whole file would be searched for it.
fn ends_as_archive<R: Read + Seek>(archive: &mut R) -> io::Result<bool> {
    let length = archive.seek(SeekFrom::End(0))?;
    let longest = END_RECORD as u64 + u64::from(u16::MAX);
    archive.seek(SeekFrom::Start(length.saturating_sub(longest)))?;
    let mut end = Vec::new();
    archive.read_to_end(&mut end)?;
    Ok(end.windows(END_RECORD).enumerate().any(|(at, record)| {
        let comment = u16::from_le_bytes([record[20], record[21]]);
        record.starts_with(b"PK\x05\x06") && at + END_RECORD + usize::from(comment) <= end.len()
    }))
}
