//! NumPy arrays: f32 and f64, C and Fortran order, either byte order.

pub(crate) use super::floats::Value;

use super::{
    ByteOrder,
    access::{self, Unreadable},
    column_stream::ColumnStream,
    floats::{self, Stored},
    raw,
};
use ndarray::{ArrayD, ArrayViewD, IxDyn, ShapeBuilder};
use ndarray_npy::{WriteNpyError, WriteNpyExt, npy::header::Header};
use std::{
    io::{self, Read, Write},
    path::Path,
};

/// Reasons why an array was not read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum NpyError {
    #[error(transparent)]
    Io(#[from] Unreadable),
    #[error("{path} is not a whole .npy file: {reason}")]
    Format { path: String, reason: String },
    /// Neither f32 nor f64, by NumPy's name of the type.
    #[error("{path} holds values of type {descriptor}; convert them to f32 or f64 first")]
    Type { path: String, descriptor: String },
}

/// Bytes that contain the header.
const HEADER: u64 = 1 << 16;
/// Nesting of brackets in a valid header, which has two; a parser's time may double by level.
const DEEPEST: usize = 4;

/// The deepest nesting of brackets in a file's header.
fn depth(file: &[u8]) -> usize {
    let start = if file.get(6) == Some(&1) { 10 } else { 12 };
    let header = file.iter().skip(start).take_while(|byte| **byte != b'\n');
    let depths = header.scan(0usize, |depth, byte| {
        match byte {
            b'(' | b'[' | b'{' => *depth += 1,
            b')' | b']' | b'}' => *depth = depth.saturating_sub(1),
            _ => {}
        }
        Some(*depth)
    });
    // Other files are rejected early, so their brackets do not matter.
    if file.starts_with(b"\x93NUMPY") { depths.max().unwrap_or(0) } else { 0 }
}

/// Reads an array of f32 or f64. Besides the array, nothing larger than a header is allocated.
pub fn read<T: Value>(path: &Path) -> Result<ArrayD<T>, NpyError> {
    let name = path.display().to_string();
    let io = Unreadable::at(&name);
    let file = access::open(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    from(&name, file, length)
}

/// Parses the bytes of a file; `name` is its name in messages.
pub fn parse<T: Value>(name: &str, bytes: &[u8]) -> Result<ArrayD<T>, NpyError> {
    from(name, bytes, bytes.len() as u64)
}

/// Reads the array in the `length` bytes of a source.
pub(super) fn from<T: Value>(
    name: &str,
    mut source: impl Read,
    length: u64,
) -> Result<ArrayD<T>, NpyError> {
    let io = Unreadable::at(name);
    let mut start = Vec::new();
    source.by_ref().take(HEADER).read_to_end(&mut start).map_err(io)?;
    let Layout { shape, columns_first, stored, header } = layout(name, &start, length)?;
    let count = shape.iter().product();
    let values = floats::read(start[header..].chain(source), count, stored).map_err(io)?;
    let shape = IxDyn(&shape).set_f(columns_first);
    Ok(ArrayD::from_shape_vec(shape, values).expect("as many values were read as the shape has"))
}

/// The values' layout, from the header.
struct Layout {
    shape: Vec<usize>,
    /// Fortran's order.
    columns_first: bool,
    stored: Stored,
    /// Size of the header, bytes.
    header: usize,
}

/// Reads the header at the start of a file of `length` bytes; its array must have this length.
fn layout(name: &str, bytes: &[u8], length: u64) -> Result<Layout, NpyError> {
    let format = |reason: String| NpyError::Format { path: name.into(), reason };
    // Versions 2 and 3 give the length of the header in four bytes, which may be anything.
    if let [_, _, _, _, _, _, 2 | 3, _, a, b, c, d, ..] = *bytes {
        let header = u32::from_le_bytes([a, b, c, d]);
        if header as usize > bytes.len() {
            return Err(format(format!("its header promises {header} bytes of text")));
        }
    }
    if depth(bytes) > DEEPEST {
        return Err(format(format!("its header is nested deeper than {DEEPEST} brackets")));
    }
    let mut rest = bytes;
    let header = Header::from_reader(&mut rest).map_err(|error| format(error.to_string()))?;
    let descriptor = header.type_descriptor.to_string();
    let stored = match descriptor.trim_matches(['\'', '"']) {
        "<f4" => Stored::F32(ByteOrder::Little),
        ">f4" => Stored::F32(ByteOrder::Big),
        "<f8" => Stored::F64(ByteOrder::Little),
        ">f8" => Stored::F64(ByteOrder::Big),
        _ => return Err(NpyError::Type { path: name.into(), descriptor }),
    };
    let (shape, size) = (header.shape, stored.bytes() as u64);
    if shape.contains(&0) {
        return Err(format(format!("its shape is {shape:?}: it holds no value")));
    }
    let header_bytes = bytes.len() - rest.len();
    let have = length.saturating_sub(header_bytes as u64);
    let values = shape.iter().try_fold(1u64, |n, axis| n.checked_mul(*axis as u64));
    if values.and_then(|n| n.checked_mul(size)) != Some(have) {
        return Err(format(format!(
            "its header promises the shape {shape:?} of {size}-byte values, but {have} bytes follow"
        )));
    }
    Ok(Layout { shape, columns_first: header.layout.is_fortran(), stored, header: header_bytes })
}

/// Writes a `.npy` file of f32 in C order.
pub(crate) fn write(sink: &mut dyn Write, array: ArrayViewD<'_, f32>) -> io::Result<()> {
    let contiguous = array.as_standard_layout();
    let shaped = contiguous.to_shape(IxDyn(array.shape())).expect("the shape is its own");
    shaped.write_npy(sink).map_err(|error| match error {
        WriteNpyError::Io(error) => error,
        error => io::Error::other(error),
    })
}

/// Writes the columns of a model as an array of this shape.
pub(crate) fn write_columns(
    sink: &mut dyn Write,
    shape: &[usize],
    columns: &mut dyn ColumnStream,
) -> io::Result<()> {
    sink.write_all(&header(shape)?)?;
    raw::write_columns(sink, columns)
}

/// The bytes before the values of an array of f32 of this shape in C order.
pub fn header(shape: &[usize]) -> io::Result<Vec<u8>> {
    let one = bytes(ndarray::arr1(&[0.0]).view().into_dyn());
    let header = Header::from_reader(&mut one.as_slice()).map_err(io::Error::other)?;
    Header { shape: shape.to_vec(), ..header }.to_bytes().map_err(io::Error::other)
}

/// The bytes of values behind a [`header`].
pub fn values(values: &[f32]) -> &[u8] {
    bytemuck::cast_slice(values)
}

/// The bytes of [`write()`].
pub fn bytes(array: ArrayViewD<'_, f32>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(128 + 4 * array.len());
    write(&mut bytes, array).expect("writing to memory does not fail");
    bytes
}
