//! The options of a run.

use super::{Task, record::is_of};
use crate::{
    io::{
        dir::FolderPath,
        folder::{Earlier, FolderError, OutputFolder},
    },
    job::Job,
};
use std::{path::PathBuf, time::Instant};

/// The options of a run.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// The folder of the results.
    pub(crate) out: PathBuf,
    /// The folder of a record and what becomes of its files; `None` for `out` itself.
    pub(crate) place: Option<(FolderPath, Earlier)>,
    /// True for the default folder, in which results of the same job are replaced.
    pub(crate) is_default: bool,
    /// Overwrites what is there.
    pub(crate) force: bool,
    /// Goes on with an earlier run that did not end.
    pub(crate) resume: bool,
    /// The share of the shots, if not all.
    pub(crate) task: Option<Task>,
    /// Makes the results of all from those of the tasks.
    pub(crate) merge: bool,
    /// When the command began.
    pub(crate) began: Instant,
}

/// An earlier run, whose files a new one may replace.
pub(crate) struct EarlierRun<'r> {
    /// Its command.
    pub(crate) command: &'r str,
    /// Its job.
    pub(crate) job: &'r Job,
    /// The name of its record.
    pub(crate) record: &'r str,
    /// Its folders.
    pub(crate) folders: &'r [FolderPath],
}

impl EarlierRun<'_> {
    /// What becomes of the files in the folders: with `force` they are overwritten; in a folder that nobody named, those of
    /// this run are replaced.
    pub(crate) fn existing(&self, force: bool, is_default: bool) -> Result<Earlier, FolderError> {
        if force {
            return Ok(Earlier::IsOverwritten);
        }
        for folder in self.folders {
            OutputFolder::recover(folder.clone())?;
        }
        let is_it = |folder: &FolderPath| is_of(folder, self.record, self.command, self.job);
        let is_replaced = is_default && self.folders.iter().all(is_it);
        Ok(if is_replaced { Earlier::IsReplaced } else { Earlier::Stays })
    }
}
