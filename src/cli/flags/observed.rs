//! A job whose shots were observed.

use super::{device::Devices, job::JobArguments, output::OutputArguments};
use crate::cli::failure::Failure;
use huygens::job::{Gradient, JobFile};
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct ObservedArguments {
    #[command(flatten)]
    job: JobArguments,
    /// What was recorded of the job's shots, instead of gradient.observed: .sgy, .su, .npz or .h5, or .npy of shape
    /// [shot][receiver][time].
    #[arg(long, value_name = "FILE")]
    observed: Option<PathBuf>,
    #[command(flatten)]
    pub device: Devices,
}

impl ObservedArguments {
    /// Opens the job with the overrides of the command line.
    pub fn open(&self, output: &OutputArguments) -> Result<JobFile, Failure> {
        let mut file = self.job.open()?;
        output.apply_to(&mut file);
        if let Some(observed) = &self.observed {
            // Paths in a job are relative to its folder.
            let observed =
                std::path::absolute(observed).map_err(|error| Failure::input(error.to_string()))?;
            let keys = file.job.gradient.get_or_insert_with(Gradient::default);
            keys.observed = Some(observed.to_string_lossy().into_owned());
        }
        Ok(file)
    }
}
