//! The options of a run.

use super::{Task, record::is_of};
use crate::{
    io::{
        dir::FolderPath,
        folder::{Earlier, FolderError, OutputFolder, RUN},
    },
    job::{Job, JobFile},
};
use std::{path::PathBuf, time::Instant};

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Order {
    /// The folder of the results.
    pub out: PathBuf,
    /// The folder of a record and what becomes of its files; `None` for `out` itself.
    pub place: Option<(FolderPath, Earlier)>,
    /// True for the default folder, in which results of the same job are replaced.
    pub is_default: bool,
    /// Overwrites what is there.
    pub force: bool,
    /// Goes on with an earlier run that did not end.
    pub resume: bool,
    /// The share of the shots, if not all.
    pub task: Option<Task>,
    /// Makes the results of all from those of the tasks.
    pub merge: bool,
    /// When the command began.
    pub began: Instant,
}

impl Order {
    pub(super) fn existing(&self, command: &str, file: &JobFile) -> Result<Earlier, FolderError> {
        let (folder, asked) = ([FolderPath::from(&self.out)], (self.force, self.is_default));
        existing(asked, (command, &file.job), (RUN, &folder))
    }
}

/// What becomes of the files that these folders have: with `force` they are overwritten; in a folder that nobody named, those
/// of an earlier run of the same command and job, which `record` lists, are replaced.
///
/// # Errors
///
/// A folder that cannot be read.
pub fn existing(
    (force, is_default): (bool, bool),
    (command, job): (&str, &Job),
    (record, folders): (&str, &[FolderPath]),
) -> Result<Earlier, FolderError> {
    if force {
        return Ok(Earlier::IsOverwritten);
    }
    for folder in folders {
        OutputFolder::recover(folder.clone())?;
    }
    let same = || folders.iter().all(|folder| is_of(folder, record, command, job));
    Ok(if is_default && same() { Earlier::IsReplaced } else { Earlier::Stays })
}
