//! The snapshots of the shots of a run, on the disk until their shot is written: together they may
//! exceed memory.

use crate::{
    engine::{Snapshot, SnapshotView},
    io::dir::FolderPath,
    job::Inputs,
    results::{ResultsError, Spooled},
};
use ndarray::Array3;
use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{Mutex, PoisonError},
};

/// Bytes of the snapshots that are drawn at once, or of one.
pub(crate) const DRAWN: usize = 64 << 20;

/// The snapshots of the shots in progress.
pub(crate) struct Snapshots<'a> {
    inputs: &'a Inputs,
    /// The spool folder.
    folder: &'a FolderPath,
    shots: Mutex<BTreeMap<usize, Spooled>>,
}

impl<'a> Snapshots<'a> {
    /// Of a job's shots, spooled to a folder.
    pub(crate) fn new(inputs: &'a Inputs, folder: &'a FolderPath) -> Self {
        Snapshots { inputs, folder, shots: Mutex::default() }
    }

    /// Takes a snapshot if the job asks for it. Errors are reported when the shot is written.
    pub(crate) fn hear(&self, shot: usize, snapshot: &SnapshotView<'_>) {
        if self.inputs.snapshots.binary_search(&snapshot.step).is_ok() {
            let values = snapshot.field.as_standard_layout();
            let values = values.as_slice().expect("it is in standard layout");
            let mut shots = self.shots.lock().unwrap_or_else(PoisonError::into_inner);
            let of_shot = shots.entry(shot).or_insert_with(|| Spooled::new(self.folder));
            of_shot.push(snapshot.step, values);
        }
    }

    /// The snapshots of a shot, up to the step at which its field blew up.
    pub(crate) fn take(&self, shot: usize, until: Option<usize>) -> OfShot {
        let mut shots = self.shots.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = shots.remove(&shot);
        let mut spooled = taken.unwrap_or_else(|| Spooled::new(self.folder));
        until.into_iter().for_each(|until| spooled.end_at(until));
        OfShot { shot, shape: self.inputs.plan.survey_grid().shape(), spooled }
    }
}

/// The snapshots of a shot.
pub(crate) struct OfShot {
    shot: usize,
    /// Of each, `[y][x][z]`.
    pub(crate) shape: (usize, usize, usize),
    spooled: Spooled,
}

impl OfShot {
    /// Their number.
    pub(crate) fn count(&self) -> usize {
        self.spooled.steps().len()
    }

    /// Returns an error if one was not kept.
    pub(crate) fn check(&mut self) -> Result<(), ResultsError> {
        self.spooled.check()
    }

    /// One of them, counted from 0.
    pub(crate) fn read(&mut self, index: usize) -> Result<Snapshot, ResultsError> {
        let (step, values) = self.spooled.read(index)?;
        let field = Array3::from_shape_vec(self.shape, values).map_err(ResultsError::failed)?;
        Ok(Snapshot { shot: self.shot, step, field })
    }

    /// The parts that are drawn together.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (count, (y, x, z)) = (self.count(), self.shape);
        let together = (DRAWN / (size_of::<f32>() * x * y * z).max(1)).max(1);
        (0..count).step_by(together).map(move |first| first..count.min(first + together))
    }
}
