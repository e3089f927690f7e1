//! The bytes of a shot in the files of a folder, with their checksum.

use super::{
    dir::Dir,
    folder::{FolderError, OutputFolder},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{Read, Seek, SeekFrom};

/// A part of a file that belongs to a shot, or the whole file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The file, within the folder.
    pub file: String,
    /// Its first byte.
    pub from: u64,
    /// Its length.
    pub bytes: u64,
    /// SHA-256, in hexadecimal, of the number of its first shot, a line feed and its bytes.
    pub sum: String,
}

impl Piece {
    /// For bytes of a shot, counted from 1, that are a whole file, or lie in one from a byte on; 0
    /// stands for bytes that all shots share.
    pub fn new(shot: usize, file: impl Into<String>, from: u64, bytes: &[u8]) -> Self {
        Piece { file: file.into(), from, bytes: bytes.len() as u64, sum: sum(shot, bytes) }
    }

    /// Its bytes, if they are unchanged and those of this shot.
    pub fn read(&self, shot: usize, folder: &Dir) -> Option<Vec<u8>> {
        let mut file = folder.file(&self.file).ok()?;
        let end = self.from.checked_add(self.bytes)?;
        if file.metadata().ok()?.len() < end {
            return None;
        }
        let mut bytes = vec![0; usize::try_from(self.bytes).ok()?];
        file.seek(SeekFrom::Start(self.from)).ok()?;
        file.read_exact(&mut bytes).ok()?;
        (sum(shot, &bytes) == self.sum).then_some(bytes)
    }
}

fn sum(shot: usize, bytes: &[u8]) -> String {
    hex(&sum_of(shot).chain_update(bytes).finalize())
}

/// The checksum of a piece of a shot, before its bytes.
fn sum_of(shot: usize) -> Sha256 {
    Sha256::new_with_prefix(format!("{shot}\n"))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a file, or the part of one that belongs to a shot, a little at a time, so that memory
/// never holds all of its bytes.
#[derive(Debug)]
pub struct PieceWriter<'a> {
    folder: &'a OutputFolder,
    file: String,
    from: u64,
    bytes: u64,
    /// `None` without a journal.
    sum: Option<Sha256>,
}

impl<'a> PieceWriter<'a> {
    /// Of a new file, in place of one that an earlier run has left.
    pub fn whole(folder: &'a OutputFolder, file: impl Into<String>) -> Result<Self, FolderError> {
        let file = file.into();
        folder.create(&file)?;
        Ok(PieceWriter::part(folder, file, 0))
    }

    /// Of a part of a file from a byte on.
    pub fn part(folder: &'a OutputFolder, file: impl Into<String>, from: u64) -> Self {
        PieceWriter { folder, file: file.into(), from, bytes: 0, sum: None }
    }

    /// Computes the checksum of a piece of this shot, as [`Piece::new`] does.
    #[must_use]
    pub fn of_shot(self, shot: usize) -> Self {
        PieceWriter { sum: Some(sum_of(shot)), ..self }
    }

    /// Writes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), FolderError> {
        let file = self.file.as_str();
        let _span = tracing::info_span!(target: "timeline", "writing files", file).entered();
        self.folder.write_part(&self.file, self.from + self.bytes, bytes)?;
        self.bytes += bytes.len() as u64;
        self.sum.iter_mut().for_each(|sum| sum.update(bytes));
        Ok(())
    }

    /// The piece; `None` without a checksum.
    pub fn end(self) -> Option<Piece> {
        let PieceWriter { file, from, bytes, sum, .. } = self;
        sum.map(|sum| Piece { file, from, bytes, sum: hex(&sum.finalize()) })
    }
}
