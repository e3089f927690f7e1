//! SHA-256: of input files, which identifies them in a record, and of what a run keeps for a later
//! one.

use super::access;
use sha2::{Digest, Sha256};
use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::Path,
};

/// Bytes of a SHA-256.
pub const SUM: usize = 32;

/// Puts the SHA-256 of the bytes behind the first [`SUM`] there, by which [`unsealed`] finds damage.
pub fn seal(bytes: &mut [u8]) {
    let (sum, bytes) = bytes.split_at_mut(SUM);
    sum.copy_from_slice(&Sha256::digest(bytes));
}

/// The bytes behind their [`seal`]; `None` if they are damaged.
pub fn unsealed(sealed: &[u8]) -> Option<&[u8]> {
    let (digest, bytes) = sealed.split_at_checked(SUM)?;
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
