//! A job whose shots were observed.

use super::{
    device::{Devices, Splitting},
    job::JobArguments,
    output::OutputArguments,
};
use crate::cli::{engines, failure::Failure};
use huygens::{
    engine::{Engine, tune::Joining},
    job::{Gradient, JobFile},
    plan::Plan,
};
use std::{
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
};

#[derive(clap::Args)]
pub struct ObservedArguments {
    #[command(flatten)]
    job: JobArguments,
    /// What was recorded of the job's shots, instead of gradient.observed: .sgy, .su, .npz or .h5, or .npy of shape
    /// [shot][receiver][time].
    #[arg(long, value_name = "FILE")]
    observed: Option<PathBuf>,
    #[command(flatten)]
    device: Devices,
    #[command(flatten)]
    splitting: Splitting,
}

impl ObservedArguments {
    /// Opens the job with the overrides of the command line.
    pub fn open(&self, output: &OutputArguments) -> Result<JobFile, Failure> {
        let mut file = self.job.open()?;
        output.apply_to(&mut file);
        file.fields_on_host = Some(self.device.fields_on_host());
        if let Some(observed) = &self.observed {
            // Paths in a job are relative to its folder.
            let observed =
                std::path::absolute(observed).map_err(|error| Failure::input(error.to_string()))?;
            let keys = file.job.gradient.get_or_insert_with(Gradient::default);
            keys.observed = Some(observed.to_string_lossy().into_owned());
        }
        Ok(file)
    }

    /// Opens the engines that share the shots of a Plan, or the one over which each is split.
    pub fn engines(
        &self,
        plan: &Plan,
        stop: &Arc<AtomicBool>,
    ) -> Result<Vec<Box<dyn Engine>>, Failure> {
        let engines = self.device.open()?;
        let ghosts = self.device.ghosts(self.splitting.splits(&engines, plan))?;
        let fallback = self.device.fallback();
        let purpose = Joining { plan, split: ghosts, sends_back: true };
        engines::joined(engines, None, purpose, (fallback, stop))
    }
}
