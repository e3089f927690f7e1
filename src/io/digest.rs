//! SHA-256 of input files, which identifies them in a record.

use super::access;
use sha2::{Digest, Sha256};
use std::{
    io::{self, BufRead, BufReader},
    path::Path,
};

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
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
