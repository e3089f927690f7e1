//! Plain f32 of a file, nothing around them.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

/// Order of the bytes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

/// Bytes of a file; an error where it is no plain file, which might never end.
pub(super) fn length(path: &Path) -> io::Result<u64> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is no plain file"));
    }
    Ok(metadata.len())
}

/// All bytes of a plain file.
pub(super) fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    length(path)?;
    std::fs::read(path)
}

/// `count` values from a place in a file on. The caller knows that so many are there.
pub(super) fn read(path: &Path, from: u64, count: usize, order: ByteOrder) -> io::Result<Vec<f32>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut values = Vec::with_capacity(count);
    let mut block = vec![0; (4 * count).clamp(4, 1 << 20)];
    while values.len() < count {
        let bytes = &mut block[..(4 * (count - values.len())).min(1 << 20)];
        file.read_exact(bytes)?;
        let value = |word: &[u8]| {
            let word = [word[0], word[1], word[2], word[3]];
            match order {
                ByteOrder::Little => f32::from_le_bytes(word),
                ByteOrder::Big => f32::from_be_bytes(word),
            }
        };
        values.extend(bytes.chunks_exact(4).map(value));
    }
    Ok(values)
}

/// Values in a row, little-endian.
pub(super) fn bytes<'a>(values: impl ExactSizeIterator<Item = &'a f32>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 * values.len());
    for value in values {
        bytes.extend(value.to_le_bytes());
    }
    bytes
}
