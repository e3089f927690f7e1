//! Warnings of files that are shown once.

use super::JobFile;
use std::{
    collections::BTreeSet,
    fmt::Display,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// Files and the kinds of their warnings that were shown; copies of a job share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct WarnedOnce(Arc<Mutex<BTreeSet<(PathBuf, String)>>>);

impl JobFile {
    /// True for the first warning of this kind of a file: several parts of a command may read it.
    pub(crate) fn is_first_warning(&self, path: &Path, kind: &str) -> bool {
        let mut warned = self.warned.0.lock().unwrap_or_else(PoisonError::into_inner);
        warned.insert((path.to_owned(), kind.to_owned()))
    }

    /// Warns of a file, once of each kind.
    pub(crate) fn warn_once(&self, path: &Path, kind: &str, message: impl Display) {
        if self.is_first_warning(path, kind) {
            tracing::warn!("{}: {message}", path.display());
        }
    }
}
