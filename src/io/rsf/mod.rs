//! RSF, Madagascar's files: a text header, and floats behind it or in a separate file. The first
//! axis is the fastest. <https://www.reproducibility.org/wiki/Guide_to_RSF_file_format>

mod error;
mod header;
mod write;

pub use error::RsfError;
pub use write::{Description, whole};
pub(crate) use write::{header, write_columns};

use super::{
    access::{self, Unreadable},
    file_axis::FileArray,
    floats, placement,
};
use floats::Stored;
use header::Header;
use ndarray::{ArrayD, IxDyn};
use std::{
    borrow::Cow,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

/// The separator of the header from data behind it.
const MARK: &[u8] = &[0x0c, 0x0c, 0x04];
const LONGEST: usize = 1 << 20;

/// Reads a file of native_float, taken as little-endian, or xdr_float. Nothing larger than the file
/// and its data is allocated. A relative `in` is relative to the header's folder.
pub fn read(path: &Path) -> Result<FileArray, RsfError> {
    let name = path.display().to_string();
    let io = Unreadable::at(&name);
    let mut start = Vec::new();
    let file = access::open(path).map_err(io)?;
    file.take((LONGEST + MARK.len()) as u64).read_to_end(&mut start).map_err(io)?;
    let (text, mark) = text_of(&name, &start)?;
    let header = Header::parse(&name, &text);
    let (at, from) = match place(&name, &header, mark)? {
        Place::Behind(from) => (path.to_owned(), from),
        Place::In(given) => (path.parent().unwrap_or(Path::new("")).join(given), 0),
    };
    let unreadable = header.unreadable(&at);
    let mut data = access::open(&at).map_err(&unreadable)?;
    let have = data.metadata().map_err(&unreadable)?.len().saturating_sub(from as u64);
    data.seek(SeekFrom::Start(from as u64)).map_err(&unreadable)?;
    let rsf = contents(&name, &header, data, have, &unreadable)?;
    Ok(FileArray { data: (from == 0).then_some(at), ..rsf })
}

/// [`read`] of bytes; `name` is the file's name in messages, and `beside` gives the bytes of the file
/// that `in` names.
pub(crate) fn parse<'b>(
    name: &str,
    bytes: &'b [u8],
    beside: &dyn Fn(&str) -> Option<&'b [u8]>,
) -> Result<FileArray, RsfError> {
    let (text, mark) = text_of(name, &bytes[..bytes.len().min(LONGEST + MARK.len())])?;
    let header = Header::parse(name, &text);
    let (at, data) = match place(name, &header, mark)? {
        Place::Behind(from) => (name, Some(&bytes[from..])),
        Place::In(given) => (given, beside(given)),
    };
    let unreadable = header.unreadable(Path::new(at));
    let data = data.ok_or_else(|| unreadable(io::ErrorKind::NotFound.into()))?;
    contents(name, &header, data, data.len() as u64, &unreadable)
}

/// The text at the start of a file, and where the mark behind it begins.
fn text_of<'b>(name: &str, start: &'b [u8]) -> Result<(Cow<'b, str>, Option<usize>), RsfError> {
    let mark = start.windows(MARK.len()).position(|bytes| bytes == MARK);
    let text = &start[..mark.unwrap_or(start.len())];
    match text.len() > LONGEST {
        true => Err(RsfError::Long { path: name.into(), limit: LONGEST }),
        false => Ok((String::from_utf8_lossy(text), mark)),
    }
}

/// The place of the data.
enum Place<'h> {
    /// In the file of the header, from this byte on.
    Behind(usize),
    /// In the file of this path.
    In(&'h str),
}

fn place<'h>(
    name: &str,
    header: &'h Header<'_>,
    mark: Option<usize>,
) -> Result<Place<'h>, RsfError> {
    // Report missing header fields before missing data.
    header.shape()?;
    header.byte_order()?;
    match (header.data()?, mark) {
        ("stdin", Some(mark)) => Ok(Place::Behind(mark + MARK.len())),
        ("stdin", None) => Err(RsfError::Missing {
            path: name.into(),
            field: "data, although in=\"stdin\" says that they follow the header".into(),
            remedy: "the bytes 0c 0c 04 and the data belong there",
        }),
        (given, _) => Ok(Place::In(given)),
    }
}

/// What a header describes, with its data and their length.
fn contents(
    name: &str,
    header: &Header<'_>,
    data: impl Read,
    have: u64,
    unreadable: &dyn Fn(io::Error) -> RsfError,
) -> Result<FileArray, RsfError> {
    let (mut shape, count) = header.shape()?;
    let order = header.byte_order()?;
    let need = 4 * count as u64;
    if need != have {
        let field = |(axis, n): (usize, &usize)| format!("n{}={n}", axis + 1);
        let fields: Vec<_> = shape.iter().enumerate().map(field).collect();
        return Err(RsfError::Size { path: name.into(), fields: fields.join(", "), need, have });
    }
    let axes = (1..=shape.len()).rev().map(|axis| header.axis(axis)).collect::<Result<_, _>>()?;
    let values = floats::read(data, count, Stored::F32(order)).map_err(unreadable)?;
    shape.reverse();
    let values = ArrayD::from_shape_vec(IxDyn(&shape), values)
        .expect("as many values were read as the axes have together");
    let unit = header.get("unit").filter(|unit| !unit.trim().is_empty()).map(str::to_owned);
    let numbers = |name: &str| header.get(name).map(|_| header.numbers(name).unwrap_or_default());
    let placement = placement::of_numbers(numbers).map_err(|(field, remedy)| {
        header.wrong(field, header.get(field).unwrap_or_default(), remedy)
    })?;
    Ok(FileArray { axes, unit, placement, ..FileArray::of(values) })
}
