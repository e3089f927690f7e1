//! Files packed by gzip, and how much may come out of packed files of any format.

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

/// The most bytes that deflate unpacks from one, and those of a small array that is packed better.
const DEFLATE: (u64, u64) = (1032, 1 << 16);

/// The most bytes that are unpacked from so many.
pub(super) fn most(packed: u64) -> u64 {
    let possible = packed.saturating_mul(DEFLATE.0).saturating_add(DEFLATE.1);
    SMALL.max(packed.saturating_mul(MOST)).min(possible)
}

/// True if the ending of a file says so.
pub(crate) fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"))
}

/// Unpacks a file into a temporary one without a name, in the system's folder for these.
pub(crate) fn unpacked(packed: File) -> io::Result<File> {
    let most = most(packed.metadata()?.len());
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
    fn a_small_file_may_be_packed_better_than_a_large_one() {
        assert_eq!(most(1000), 1_032_000 + 65_536);
        assert_eq!(most(400_000), 256 << 20);
        assert_eq!(most(1 << 30), 100 << 30);
        assert_eq!(most(u64::MAX), u64::MAX);
    }

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
