//! The traces of recorded shots: in memory, or in several files that are read again one by one.

use super::of_array;
use crate::{
    io::{
        gather_file::{self, Given},
        model_file::Format,
    },
    job::JobError,
};
use ndarray::Array2;
use std::{
    collections::VecDeque,
    ops::{Deref, Range},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

/// Files whose shots are in memory at once. The shots of a batch are neighbours.
const AT_ONCE: usize = 3;

/// The gathers of the shots of a file.
type FileShots = Arc<[Array2<f32>]>;

/// The gathers of shots, `[receiver][sample]`.
#[derive(Debug)]
pub(crate) enum Stored {
    Held(Vec<Array2<f32>>),
    InFiles(InFiles),
}

/// The shots of several files.
#[derive(Debug)]
pub(crate) struct InFiles {
    pub(super) files: Vec<ShotFile>,
    pub(super) given: Given,
    /// Samples of each trace.
    pub(super) length: usize,
    /// The shots of some files by their numbers, the one used last in front.
    pub(super) kept: Mutex<VecDeque<(usize, FileShots)>>,
}

/// A file of shots.
#[derive(Debug)]
pub(crate) struct ShotFile {
    pub(super) path: PathBuf,
    /// Its shots in the survey.
    pub(super) shots: Range<usize>,
    /// Samples of all its traces.
    pub(super) samples: u64,
}

/// A gather, held as long as this.
pub(crate) enum ShotGather<'a> {
    Held(&'a Array2<f32>),
    OfFile(FileShots, usize),
}

impl Deref for ShotGather<'_> {
    type Target = Array2<f32>;

    fn deref(&self) -> &Array2<f32> {
        match self {
            ShotGather::Held(gather) => gather,
            ShotGather::OfFile(shots, index) => &shots[*index],
        }
    }
}

/// The part of all samples that is in memory at once where shots are in so many files.
pub(crate) fn held_of(samples: u64, files: usize) -> u64 {
    match files {
        0 | 1 => samples,
        // One more is being read.
        files => samples.div_ceil(files as u64) * files.min(AT_ONCE + 1) as u64,
    }
}

impl Stored {
    /// Samples in memory at once.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Stored::Held(gathers) => gathers.iter().map(|gather| gather.len() as u64).sum(),
            Stored::InFiles(all) => {
                let samples = all.files.iter().map(|file| file.samples).sum();
                held_of(samples, all.files.len())
            }
        }
    }

    pub(crate) fn shots(&self) -> usize {
        match self {
            Stored::Held(gathers) => gathers.len(),
            Stored::InFiles(all) => all.files.last().map_or(0, |file| file.shots.end),
        }
    }

    /// The gather of a shot; zero where the samples of its traces were not recorded.
    pub(crate) fn gather(
        &self,
        shot: usize,
        recorded: &[Vec<Range<usize>>],
    ) -> Result<ShotGather<'_>, JobError> {
        match self {
            Stored::Held(gathers) => Ok(ShotGather::Held(&gathers[shot])),
            Stored::InFiles(all) => {
                let number = all.files.partition_point(|file| file.shots.end <= shot);
                let file = &all.files[number];
                Ok(ShotGather::OfFile(all.shots_of(number, recorded)?, shot - file.shots.start))
            }
        }
    }
}

impl InFiles {
    fn shots_of(
        &self,
        number: usize,
        recorded: &[Vec<Range<usize>>],
    ) -> Result<FileShots, JobError> {
        // Others wait, as they are likely to need the same file.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().position(|(own, _)| *own == number);
        if let Some(found) = known.and_then(|at| kept.remove(at)) {
            kept.push_front(found.clone());
            return Ok(found.1);
        }
        kept.truncate(AT_ONCE - 1);
        let file = &self.files[number];
        let mut gathers = self.read(file)?;
        let recorded = &recorded[file.shots.clone()];
        let fits = |(gather, recorded): (&Array2<f32>, &Vec<_>)| {
            gather.dim() == (recorded.len(), self.length)
        };
        if gathers.len() != recorded.len() || !gathers.iter().zip(recorded).all(fits) {
            let message =
                format!("{} was changed during the run; start again", file.path.display());
            return Err(JobError::other(message));
        }
        for (gather, recorded) in gathers.iter_mut().zip(recorded) {
            super::keep_recorded(gather, recorded);
        }
        let gathers: FileShots = gathers.into();
        kept.push_front((number, gathers.clone()));
        Ok(gathers)
    }

    fn read(&self, ShotFile { path, .. }: &ShotFile) -> Result<Vec<Array2<f32>>, JobError> {
        let read = match Format::of(path) {
            Ok(Format::Npy) => of_array(path, true),
            _ => gather_file::read(path, &self.given)
                .map(|file| file.gathers.into_iter().map(|gather| gather.traces).collect())
                .map_err(|error| error.to_string()),
        };
        read.map_err(|error| JobError::other(format!("{}: {error}", path.display())))
    }
}
