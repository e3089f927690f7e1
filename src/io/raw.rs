//! Raw arrays: little-endian f32 and nothing else. Their shape must be given.

use super::{
    ByteOrder,
    access::{self, Unreadable},
    column_stream::ColumnStream,
    floats::{self, Stored},
};
use ndarray::{ArrayD, IxDyn};
use std::{
    io::{self, Write},
    path::Path,
};

/// Reasons why an array was not read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum RawError {
    #[error(transparent)]
    Io(#[from] Unreadable),
    /// A shape without values, or of more than there is memory in the world.
    #[error(
        "the shape {shape:?} of {path} is no shape of an array; give every axis 1 node or more, and no more than the \
         file has"
    )]
    Shape { path: String, shape: Vec<usize> },
    #[error(
        "{path} has {have} bytes; the shape {shape:?} of 4-byte values takes {need}; give the shape that the file \
         has"
    )]
    Size { path: String, shape: Vec<usize>, need: u64, have: u64 },
}

/// Reads an array of a shape, slowest axis first. Nothing larger than the file is allocated.
pub fn read(path: &Path, shape: &[usize]) -> Result<ArrayD<f32>, RawError> {
    let name = path.display().to_string();
    let io = Unreadable::at(&name);
    let refused = || RawError::Shape { path: name.clone(), shape: shape.to_vec() };
    let count = shape.iter().try_fold(1usize, |n, axis| n.checked_mul(*axis));
    let count = count.filter(|count| *count > 0).ok_or_else(refused)?;
    let need = (count as u64).checked_mul(4).ok_or_else(refused)?;
    let file = access::open(path).map_err(io)?;
    let have = file.metadata().map_err(io)?.len();
    if need != have {
        return Err(RawError::Size { path: name, shape: shape.to_vec(), need, have });
    }
    let values = floats::read(file, count, Stored::F32(ByteOrder::Little)).map_err(io)?;
    ArrayD::from_shape_vec(IxDyn(shape), values).map_err(|_| refused())
}

/// Writes the columns of a model.
pub(crate) fn write_columns(
    sink: &mut dyn Write,
    columns: &mut dyn ColumnStream,
) -> io::Result<()> {
    while let Some(values) = columns.next_columns()? {
        match cfg!(target_endian = "little") {
            true => sink.write_all(bytemuck::cast_slice(values))?,
            false => floats::write(sink, values.iter())?,
        }
    }
    Ok(())
}
