//! The checks of what a migration reads, before it runs.

use super::{Migrated, RecordedTraces, Resampling};
use crate::{
    job::{Inputs, JobError, JobFile},
    operations::recorded::held_of,
    run::PreparedJob,
};

impl Migrated {
    /// The migration of the shots of a job.
    pub(super) fn of(job: &PreparedJob<'_>) -> Result<Self, JobError> {
        job.file.migrated(&job.inputs.setup, job.inputs.plan.time.dt)
    }
}

impl JobFile {
    /// Checks the recording that a job names, unless a run may still create it; the samples of all traces. Of a long file only the
    /// headers are read.
    pub(crate) fn check_migrated(
        &self,
        inputs: &mut Inputs,
        migrated: &Migrated,
    ) -> Result<Option<u64>, JobError> {
        let named = migrated.rtm.gathers.as_ref();
        let Some(file) = self.gathers_to_check("rtm.gathers", named, "rtm") else {
            return Ok(None);
        };
        let plan = &migrated.plan;
        if file.is_long {
            let (interval, samples) =
                self.check_headers_of("rtm.gathers", &file.paths, plan, inputs)?;
            if inputs.plan.time.dt <= interval {
                self.check_band(interval)?;
                let traces: usize = plan.shots.iter().map(|shot| shot.receivers.len()).sum();
                return Ok(Some(held_of((traces * samples) as u64, file.paths.len())));
            }
        }
        let Some(recorded) = self.recorded(plan, inputs)? else { return Ok(None) };
        let resampling = Resampling::new(recorded.interval, plan);
        for shot in 0..recorded.shots() {
            let (gather, samples) = (recorded.gather(shot)?, &recorded.samples[shot]);
            let traces = RecordedTraces { gather: &gather, samples };
            let traces = migrated.conditioning(shot).apply_to(traces, &resampling, plan, shot);
            traces.map_err(|error| JobError::other(format!("shot {}: {error}", shot + 1)))?;
        }
        Ok(Some(recorded.size()))
    }
}
