//! The checks of the gathers that a job names, before it runs.

use crate::{
    io::model_file::Format,
    job::{Inputs, JobError, JobFile},
    operations::{
        locate::Doubt,
        rtm::{Migrated, Resampling},
    },
};
use std::{fs, path::Path};

/// Trace files longer than this, bytes, are checked by their headers alone.
const SHORT: u64 = 256 << 20;

/// The findings of [`JobFile::check_gathers`].
#[derive(Default)]
pub struct CheckedGathers {
    /// Doubts about a recording that is to be sent back.
    pub doubts: Vec<Doubt>,
    /// Samples of the traces that are to be migrated, if they are there.
    pub migrated: Option<u64>,
    /// Files that are missing, with the command that reads them.
    pub missing: Vec<MissingGather>,
}

/// A file that a run may still create.
#[derive(Debug, thiserror::Error)]
#[error("{path} is not there yet: huygens {command} needs it ({key})")]
pub struct MissingGather {
    key: &'static str,
    path: String,
    command: &'static str,
}

impl JobFile {
    /// Checks the gathers that a job names, if their files exist: a run may still create the others. Warns
    /// of contradictions.
    pub fn check_gathers(
        &self,
        inputs: &mut Inputs,
        migrated: Option<&Migrated>,
    ) -> Result<CheckedGathers, JobError> {
        let is_there =
            |name: &Option<String>| name.as_ref().is_some_and(|name| self.path(name).exists());
        let missing = self.missing_gathers(migrated);
        let mut found = CheckedGathers { missing, ..CheckedGathers::default() };
        if self.job.locate.as_ref().is_some_and(|locate| is_there(&locate.gather)) {
            found.doubts = self.inputs_to_locate()?.1;
        }
        if let Some(migrated) = migrated.filter(|of| is_there(&of.rtm.gathers)) {
            found.migrated = self.check_migrated(inputs, migrated)?;
        }
        if self.job.invert.is_some() {
            self.bounds(inputs)?;
        }
        if self.job.gradient.as_ref().is_some_and(|keys| is_there(&keys.observed)) {
            self.check_observed(inputs)?;
        }
        Ok(found)
    }

    /// The files of gathers that the job names and that do not exist.
    fn missing_gathers(&self, migrated: Option<&Migrated>) -> Vec<MissingGather> {
        let job = &self.job;
        let observes = if job.invert.is_some() { "invert" } else { "gradient" };
        let located = job.locate.as_ref().and_then(|keys| keys.gather.as_ref());
        let migrated = migrated.and_then(|of| of.rtm.gathers.as_ref());
        let observed = job.gradient.as_ref().and_then(|keys| keys.observed.as_ref());
        let named = [
            ("locate.gather", located, "locate"),
            ("rtm.gathers", migrated, "rtm"),
            ("gradient.observed", observed, observes),
        ];
        let missing = |(key, name, command): (&'static str, Option<&String>, &'static str)| {
            let path = self.path(name?);
            (!path.exists()).then(|| MissingGather {
                key,
                path: path.display().to_string(),
                command,
            })
        };
        named.into_iter().filter_map(missing).collect()
    }

    /// Returns the samples of all traces, if they are there.
    fn check_migrated(
        &self,
        inputs: &mut Inputs,
        migrated: &Migrated,
    ) -> Result<Option<u64>, JobError> {
        let Some(name) = &migrated.rtm.gathers else { return Ok(None) };
        let (path, plan) = (self.path(name), &migrated.plan);
        if is_long(&path) {
            let (interval, samples) =
                self.check_headers_of(("rtm.gathers", &path), plan, inputs)?;
            if inputs.plan.time.dt <= interval {
                self.check_band(interval)?;
                let traces: usize = plan.shots.iter().map(|shot| shot.receivers.len()).sum();
                return Ok(Some((traces * samples) as u64));
            }
        }
        let Some(recorded) = self.recorded(plan, inputs)? else { return Ok(None) };
        let resampling = Resampling::new(recorded.interval, plan);
        for shot in 0..recorded.gathers.len() {
            let traces = recorded.of_shot(shot);
            let traces = migrated.conditioning(shot).apply_to(traces, &resampling, (plan, shot));
            traces.map_err(|error| JobError::other(format!("shot {}: {error}", shot + 1)))?;
        }
        Ok(Some(recorded.size()))
    }

    fn check_observed(&self, inputs: &mut Inputs) -> Result<(), JobError> {
        let Some(name) = self.job.gradient.as_ref().and_then(|keys| keys.observed.as_ref()) else {
            return Ok(());
        };
        let path = self.path(name);
        if is_long(&path) {
            self.check_headers_of(("gradient.observed", &path), &inputs.plan, inputs)?;
        } else if self.job.invert.is_some() {
            // Its step is shorter.
            let (mut inputs, bounds) = self.inputs_to_invert()?;
            let observations = self.observations(&mut inputs)?;
            self.inversion(observations, (&inputs, bounds))?;
        } else {
            self.observations(inputs)?;
        }
        Ok(())
    }
}

/// True for a long file of traces: only its headers are read.
fn is_long(path: &Path) -> bool {
    let traces = [Format::Segy, Format::Su, Format::Npz, Format::Hdf5];
    let has_headers = Format::of(path).is_ok_and(|format| traces.contains(&format));
    has_headers && fs::metadata(path).is_ok_and(|file| file.len() > SHORT)
}
