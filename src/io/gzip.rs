//! Files packed by gzip.

use flate2::bufread::MultiGzDecoder;
use std::{
    fs::File,
    io::{self, BufReader, ErrorKind, Read, Seek},
    path::Path,
};

/// Files up to this size may be unpacked from any number of bytes.
const SMALL: u64 = 256 << 20;
/// A larger file may be this many times as large as it is packed; traces rarely reach 10.
const MOST: u64 = 100;

/// True if the ending of a file says so.
pub fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"))
}

/// Unpacks a file into a temporary one without a name, in the system's folder for these.
pub fn unpacked(packed: File) -> io::Result<File> {
    let most = SMALL.max(packed.metadata()?.len().saturating_mul(MOST));
    let into = tempfile::tempfile().map_err(|error| {
        let folder = std::env::temp_dir();
        let said = format!("no file to unpack it into, in the folder of TMPDIR: {error}");
        io::Error::new(error.kind(), format!("{}: {said}", folder.display()))
    })?;
    unpack(BufReader::new(packed), into, most)
}

fn unpack(packed: impl io::BufRead, mut into: File, most: u64) -> io::Result<File> {
    let mut unpacked = MultiGzDecoder::new(packed).take(most.saturating_add(1));
    let length = io::copy(&mut unpacked, &mut into)?;
    if length > most {
        let message =
            format!("more than {most} bytes come out of it, the most of a file of its size");
        return Err(io::Error::new(ErrorKind::InvalidData, message));
    }
    into.rewind()?;
    Ok(into)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    #[test]
    fn a_file_comes_out_whole_and_no_larger_than_it_may() {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&[7; 1000]).expect("packed");
        let packed = packed.finish().expect("packed");
        let unpack =
            |bytes: &[u8], most| unpack(bytes, tempfile::tempfile().expect("a file"), most);
        for (bytes, length) in [(packed.clone(), 1000), ([&packed[..], &packed].concat(), 2000)] {
            let mut out = Vec::new();
            let read = unpack(&bytes, length).expect("unpacked").read_to_end(&mut out);
            assert_eq!((read.expect("read") as u64, out), (length, vec![7; length as usize]));
            let said = unpack(&bytes, length - 1).expect_err("too much").to_string();
            assert!(said.contains(&format!("more than {} bytes", length - 1)), "{said}");
        }
        for end in 0..packed.len() {
            assert!(unpack(&packed[..end], 1000).is_err(), "cut at {end}");
        }
    }
}
