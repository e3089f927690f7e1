//! The observed traces of a job's shots.

use super::job::absolute;
use crate::{
    cli::failure::Failure,
    job::{FileNames, JobFile},
};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct ObservedArguments {
    /// Recorded traces of the job's shots, instead of gradient.observed: .sgy, .su, .npz or .h5, or .npy of shape
    /// [shot][receiver][time]; or a pattern such as 'shots*.sgy'.
    #[arg(long, value_name = "FILE")]
    observed: Option<PathBuf>,
}

impl ObservedArguments {
    /// Applies the override to the job.
    pub(crate) fn apply_to(&self, file: &mut JobFile) -> Result<(), Failure> {
        let Some(observed) = &self.observed else { return Ok(()) };
        file.job.gradient.get_or_insert_default().observed =
            Some(FileNames::One(absolute(observed)?));
        Ok(())
    }
}
