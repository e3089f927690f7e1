//! Arrays of one length, kept on disk until they are read again, one in memory at a time.

use super::dir::Dir;
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
};

/// An unnamed file, which is deleted with this.
#[derive(Debug)]
pub struct Spool {
    file: File,
    /// Values per array.
    length: usize,
    arrays: usize,
}

impl Spool {
    /// On the disk of a folder, for arrays of `length` values.
    pub fn new(folder: &Dir, length: usize) -> io::Result<Self> {
        Ok(Spool { file: folder.unnamed_file()?, length, arrays: 0 })
    }

    /// Appends an array.
    /// Fails for an array of another length.
    pub fn push(&mut self, values: &[f32]) -> io::Result<()> {
        if values.len() != self.length {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.file.seek(SeekFrom::Start(self.start(self.arrays)))?;
        self.file.write_all(bytemuck::cast_slice(values))?;
        self.arrays += 1;
        Ok(())
    }

    /// Reads an array, counted from 0.
    /// Fails past the last array.
    pub fn read(&mut self, array: usize) -> io::Result<Vec<f32>> {
        if array >= self.arrays {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut values = vec![0.0; self.length];
        self.file.seek(SeekFrom::Start(self.start(array)))?;
        self.file.read_exact(bytemuck::cast_slice_mut(&mut values))?;
        Ok(values)
    }

    fn start(&self, array: usize) -> u64 {
        (array * self.length * size_of::<f32>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_read_in_any_order_and_leave_nothing() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let mut spool = Spool::new(&Dir::open(folder.path())?, 3)?;
        for k in 0..4 {
            spool.push(&[k as f32, -1.5, f32::MAX])?;
        }
        assert_eq!(spool.read(2)?, [2.0, -1.5, f32::MAX]);
        assert_eq!(spool.read(0)?[0], 0.0);
        spool.push(&[9.0; 3])?;
        assert_eq!((spool.read(3)?[0], spool.read(4)?), (3.0, vec![9.0; 3]));
        assert!(spool.read(5).is_err() && spool.push(&[1.0]).is_err());
        drop(spool);
        assert_eq!(folder.path().read_dir()?.count(), 0);
        Ok(())
    }
}
