//! Raw arrays: little-endian f32 and nothing else. Their shape must be given.

use super::{
    access::{self, remedy},
    floats::{self, ByteOrder, Stored},
};
use ndarray::{ArrayD, ArrayViewD, IxDyn};
use std::{
    io::{self, Write},
    path::Path,
};

/// Reasons why an array was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RawError {
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {source}; {}", remedy(.source))]
    Io {
        /// The file.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// A shape without values, or too large.
    #[error(
        "the shape {shape:?} of {path} is no shape of an array; give every axis 1 node or more, and no more than the file has"
    )]
    Shape {
        /// The file.
        path: String,
        /// The given shape.
        shape: Vec<usize>,
    },
    /// A file of another size.
    #[error(
        "{path} has {have} bytes; the shape {shape:?} of 4-byte values takes {need}: give the shape that the file has"
    )]
    Size {
        /// The file.
        path: String,
        /// The given shape.
        shape: Vec<usize>,
        /// Its size, bytes.
        need: u64,
        /// The file's size, bytes.
        have: u64,
    },
}

/// Reads an array of a shape, slowest axis first. Nothing larger than the file is allocated.
pub fn read(path: &Path, shape: &[usize]) -> Result<ArrayD<f32>, RawError> {
    let name = || path.display().to_string();
    let io = |source| RawError::Io { path: name(), source };
    let refused = || RawError::Shape { path: name(), shape: shape.to_vec() };
    let count = shape.iter().try_fold(1usize, |n, axis| n.checked_mul(*axis));
    let count = count.filter(|count| *count > 0).ok_or_else(refused)?;
    let need = (count as u64).checked_mul(4).ok_or_else(refused)?;
    let file = access::open(path).map_err(io)?;
    let have = file.metadata().map_err(io)?.len();
    if need != have {
        return Err(RawError::Size { path: name(), shape: shape.to_vec(), need, have });
    }
    let values = floats::read(file, count, Stored::F32(ByteOrder::Little)).map_err(io)?;
    ArrayD::from_shape_vec(IxDyn(shape), values).map_err(|_| refused())
}

/// Writes an array, its slowest axis first.
pub fn write(sink: &mut dyn Write, array: ArrayViewD<'_, f32>) -> io::Result<()> {
    floats::write(sink, array.iter())
}

/// The bytes of an array, its slowest axis first.
pub fn bytes(array: ArrayViewD<'_, f32>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 * array.len());
    write(&mut bytes, array).expect("writing to memory does not fail");
    bytes
}
