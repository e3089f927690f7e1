//! SHA-256 of input files, which identifies them in a record.

use super::{access, piece::hex};
use sha2::{Digest, Sha256};
use std::{
    io::{self, BufRead, BufReader},
    path::Path,
};

/// SHA-256 of bytes in hexadecimal.
pub fn sha256_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// SHA-256 of a file in hexadecimal.
pub fn sha256(path: &Path) -> io::Result<String> {
    let mut file = BufReader::with_capacity(1 << 20, access::open(path)?);
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
    Ok(hex(&hasher.finalize()))
}
