//! NumPy arrays: f32 and f64, C and Fortran order, either byte order.

use super::floats;
use ndarray::{ArrayD, ArrayViewD, IxDyn};
use ndarray_npy::{ReadNpyError, ReadNpyExt, WriteNpyExt, npy::header::Header};
use std::{io, path::Path};

/// Why an array was not read.
#[derive(Debug, thiserror::Error)]
pub enum NpyError {
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {source}; check the path and its permissions")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// The file is no array, or a broken one.
    #[error("{path} is not a whole .npy file: {reason}")]
    Format {
        /// The file.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// The values are neither f32 nor f64.
    #[error("{path} holds values of type {descriptor}; convert them to f32 or f64 first")]
    Type {
        /// The file.
        path: String,
        /// NumPy's name of the type.
        descriptor: String,
    },
}

/// Brackets in brackets of an honest header: `{'shape': (n, m)}` has two. A parser may take a time that
/// doubles with each.
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
    // What is no header at all is not parsed far; its brackets do not matter.
    if file.starts_with(b"\x93NUMPY") { depths.max().unwrap_or(0) } else { 0 }
}

/// Reads an array of f32 or f64 as f64. Nothing larger than the file is allocated.
pub fn read(path: &Path) -> Result<ArrayD<f64>, NpyError> {
    let name = path.display().to_string();
    match floats::bytes_of(path) {
        Ok(bytes) => parse(&name, &bytes),
        Err(source) => Err(NpyError::Io { path: name, source }),
    }
}

/// The array that the bytes of a file hold; `name` is what messages call the file.
pub fn parse(name: &str, bytes: &[u8]) -> Result<ArrayD<f64>, NpyError> {
    let read =
        |error: ReadNpyError| NpyError::Format { path: name.into(), reason: error.to_string() };
    match check(name, bytes, bytes.len() as u64)? {
        4 => Ok(ArrayD::<f32>::read_npy(bytes).map_err(read)?.mapv(f64::from)),
        _ => ArrayD::<f64>::read_npy(bytes).map_err(read),
    }
}

/// Whether the header among the first bytes of a file of `length` bytes is that of an array of this length;
/// gives the bytes of a value.
pub(super) fn check(name: &str, bytes: &[u8], length: u64) -> Result<u64, NpyError> {
    let format = |reason: String| NpyError::Format { path: name.into(), reason };
    // Versions 2 and 3 give the length of the header in four bytes, which may promise anything.
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
    let size = match descriptor.trim_matches(['\'', '"']) {
        "<f4" | ">f4" => 4,
        "<f8" | ">f8" => 8,
        _ => return Err(NpyError::Type { path: name.into(), descriptor }),
    };
    if header.shape.contains(&0) {
        return Err(format(format!("its shape is {:?}: it holds no value", header.shape)));
    }
    let have = length.saturating_sub((bytes.len() - rest.len()) as u64);
    let values = header.shape.iter().try_fold(1u64, |n, axis| n.checked_mul(*axis as u64));
    if values.and_then(|n| n.checked_mul(size)) != Some(have) {
        let shape = &header.shape;
        return Err(format(format!(
            "its header promises the shape {shape:?} of {size}-byte values, but {have} bytes follow"
        )));
    }
    Ok(size)
}

/// The bytes of a `.npy` file of f32 in C order.
pub fn bytes(array: ArrayViewD<'_, f32>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(128 + 4 * array.len());
    let contiguous = array.as_standard_layout();
    contiguous
        .to_shape(IxDyn(array.shape()))
        .expect("the shape is its own")
        .write_npy(&mut bytes)
        .expect("writing to memory does not fail");
    bytes
}
