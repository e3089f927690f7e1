//! SHA-256: of input files, which identifies them in a record, and of what a run keeps for a later
//! one.

use super::access;
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
};

/// Bytes after their SHA-256, by which [`unsealed`] finds damage.
pub fn sealed(bytes: &[u8]) -> Vec<u8> {
    [&Sha256::digest(bytes)[..], bytes].concat()
}

/// The bytes that were [`sealed`]; `None` if they are damaged.
pub fn unsealed(sealed: &[u8]) -> Option<&[u8]> {
    let (digest, bytes) = sealed.split_at_checked(Sha256::output_size())?;
    (Sha256::digest(bytes)[..] == *digest).then_some(bytes)
}

/// SHA-256 of a file in hexadecimal.
pub fn sha256(path: &Path) -> io::Result<String> {
    sha256_of(access::open(path)?)
}

/// SHA-256 of an open file in hexadecimal.
pub fn sha256_of(file: File) -> io::Result<String> {
    let mut file = BufReader::with_capacity(1 << 20, file);
    let mut hasher = Sha256::new();
    loop {
        let block = file.fill_buf()?;
        if block.is_empty() {
            break;
        }
        hasher.update(block);
        let read = block.len();
        file.consume(read);
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
