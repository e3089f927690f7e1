//! Arrays of the steps of a run, on the disk until they are written or drawn.

use super::ResultsError;
use crate::io::{
    dir::{Dir, FolderPath},
    spool::Spool,
};
use std::io;

/// Arrays of one length, each of a step, in the order of their steps.
pub(crate) struct Spooled {
    folder: FolderPath,
    /// Present from the first array on, whose length all share.
    spool: Option<io::Result<Spool>>,
    steps: Vec<usize>,
}

impl Spooled {
    /// Without arrays; they go to the disk of a folder.
    pub(crate) fn new(folder: &FolderPath) -> Self {
        Spooled { folder: folder.clone(), spool: None, steps: Vec::new() }
    }

    /// Takes the values at a step. [`Spooled::check`] and [`Spooled::read`] report its errors.
    pub(crate) fn push(&mut self, step: usize, values: &[f32]) {
        let spool = self.spool.get_or_insert_with(|| {
            Dir::open(self.folder.clone()).and_then(|folder| Spool::new(&folder, values.len()))
        });
        let Ok(taken) = spool else { return };
        match taken.push(values) {
            Ok(()) => self.steps.push(step),
            Err(error) => *spool = Err(error),
        }
    }

    /// The step of each array.
    pub(crate) fn steps(&self) -> &[usize] {
        &self.steps
    }

    /// Drops the arrays after a step.
    pub(crate) fn end_at(&mut self, step: usize) {
        self.steps.retain(|of| *of <= step);
    }

    /// Returns an error if an array was not written.
    pub(crate) fn check(&mut self) -> Result<(), ResultsError> {
        if let Some(Err(_)) = &self.spool
            && let Some(Err(source)) = self.spool.take()
        {
            return Err(self.error(source));
        }
        Ok(())
    }

    /// An array, counted from 0, with its step.
    pub(crate) fn read(&mut self, array: usize) -> Result<(usize, Vec<f32>), ResultsError> {
        self.check()?;
        let values = match &mut self.spool {
            Some(Ok(spool)) => spool.read(array),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        };
        match values {
            Ok(values) => Ok((self.steps[array], values)),
            Err(source) => Err(self.error(source)),
        }
    }

    fn error(&self, source: io::Error) -> ResultsError {
        ResultsError::Frames { folder: self.folder.path().display().to_string(), source }
    }
}
