//! The job of an operation, read and planned.

use crate::job::{Inputs, JobError, JobFile};

/// A job, with its Plan and what went into it. A clone shares models and shots.
#[derive(Clone)]
pub struct PreparedJob<'a> {
    /// The job.
    pub(crate) file: &'a JobFile,
    /// Its Plan, and the files that it reads.
    pub inputs: Inputs,
}

impl<'a> PreparedJob<'a> {
    /// Reads what a job names for its shots.
    pub fn new(file: &'a JobFile) -> Result<Self, JobError> {
        Ok(PreparedJob { file, inputs: file.inputs()? })
    }

    /// [`PreparedJob::new`]; also returns an error if no receiver can record anything.
    pub(crate) fn heard(file: &'a JobFile) -> Result<Self, JobError> {
        let job = PreparedJob::new(file)?;
        file.check_heard(&job.inputs.plan)?;
        Ok(job)
    }

    /// Warnings about its shots.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let warnings = self.file.warnings(&self.inputs).into_iter();
        warnings.map(|warning| warning.to_string()).collect()
    }
}
