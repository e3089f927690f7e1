//! Sequences of numbers in files.

use super::ByteOrder;
use crate::room::make_room;
use rayon::prelude::*;
use std::io::{self, Read, Write};

/// The format of values in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    F32(ByteOrder),
    F64(ByteOrder),
}

impl Stored {
    /// Bytes of a value.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Stored::F32(_) => 4,
            Stored::F64(_) => 8,
        }
    }
}

/// The type that values are read as: f32, with f64 values rounded, or f64.
pub trait Value: Copy + Send {
    /// From a value of 4 bytes.
    fn of_single(value: f32) -> Self;
    /// From a value of 8 bytes.
    fn of_double(value: f64) -> Self;
}

impl Value for f32 {
    fn of_single(value: f32) -> Self {
        value
    }

    fn of_double(value: f64) -> Self {
        value as f32
    }
}

impl Value for f64 {
    fn of_single(value: f32) -> Self {
        value.into()
    }

    fn of_double(value: f64) -> Self {
        value
    }
}

/// Bytes that are read or written at once; blocks are decoded by all cores.
const BLOCK: usize = 8 << 20;

/// Reads `count` values of a source: they take their own memory and a block's. The caller has
/// checked that there are that many.
pub(super) fn read<T: Value>(
    mut source: impl Read,
    count: usize,
    stored: Stored,
) -> io::Result<Vec<T>> {
    let mut values = Vec::new();
    make_room(&mut values, count)?;
    let size = stored.bytes();
    let mut block = vec![0; BLOCK.min(count.saturating_mul(size))];
    while values.len() < count {
        let bytes = &mut block[..(count - values.len()).min(BLOCK / size) * size];
        source.read_exact(bytes)?;
        let (singles, doubles) = (bytes.as_chunks().0.par_iter(), bytes.as_chunks().0.par_iter());
        match stored {
            Stored::F32(ByteOrder::Little) => {
                values.par_extend(singles.map(|word| T::of_single(f32::from_le_bytes(*word))));
            }
            Stored::F32(ByteOrder::Big) => {
                values.par_extend(singles.map(|word| T::of_single(f32::from_be_bytes(*word))));
            }
            Stored::F64(ByteOrder::Little) => {
                values.par_extend(doubles.map(|word| T::of_double(f64::from_le_bytes(*word))));
            }
            Stored::F64(ByteOrder::Big) => {
                values.par_extend(doubles.map(|word| T::of_double(f64::from_be_bytes(*word))));
            }
        }
    }
    Ok(values)
}

/// Writes values in sequence, little-endian, block by block.
pub(super) fn write<'a>(
    sink: &mut dyn Write,
    mut values: impl Iterator<Item = &'a f32>,
) -> io::Result<()> {
    let mut block = Vec::with_capacity(BLOCK);
    loop {
        block.clear();
        values.by_ref().take(BLOCK / 4).for_each(|value| block.extend(value.to_le_bytes()));
        match block.is_empty() {
            true => return Ok(()),
            false => sink.write_all(&block)?,
        }
    }
}
