//! SEG-Y files, and models in other formats: those of others, our own, and what they say in two ways.

mod copies;
mod disagreements;
mod doubts;
mod given;
mod models;
mod peers;
mod places;
mod programs;
mod purposes;
mod written;

use huygens::io::segy::{Reader, ReaderOptions, SegyError};
use std::io::Cursor;

/// Reads bytes as a file.
pub fn open(bytes: &[u8]) -> Result<Reader<Cursor<&[u8]>>, SegyError> {
    Reader::new(Cursor::new(bytes), ReaderOptions::default())
}

/// The samples of all traces, one after the other.
pub fn samples<R: std::io::Read + std::io::Seek>(reader: &mut Reader<R>) -> Vec<f64> {
    let mut samples = Vec::new();
    while let Some(trace) = reader.next_trace().expect("a whole trace") {
        samples.extend_from_slice(trace.samples);
    }
    samples
}
