//! What has been told of the files of a job.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// Files and kinds of warnings; copies of a job share them.
#[derive(Clone, Debug, Default)]
pub struct Told(Arc<Mutex<BTreeSet<(PathBuf, String)>>>);

impl Told {
    /// True for the first warning of this kind of a file.
    pub fn is_new(&self, path: &Path, kind: &str) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.insert((path.to_owned(), kind.to_owned()))
    }
}
