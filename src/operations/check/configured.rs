//! The operations that a job configures, or has input files for.

use super::TaskCommand;
use crate::{
    job::{FileNames, JobError, JobFile},
    operations::{
        GradientRun, InversionRun, LeastSquaresRun, LocationRun, MigrationRun, ShotRun,
        ZeroOffsetRun,
    },
    run::{Operation, PreparedJob},
};
use std::path::Path;

/// The operations that a job configures, or has input files for, before they run.
pub(crate) struct Configured<'a> {
    /// The shots; `None` of a job that only locates.
    pub(crate) shots: Option<ShotRun<'a>>,
    /// The others.
    pub(crate) others: Vec<Box<dyn Operation + 'a>>,
    /// What is to be warned of in recordings that are sent back.
    pub(crate) doubts: Vec<String>,
}

impl<'a> Configured<'a> {
    /// Reads and checks what is there of their files; `section` is to be migrated by `zero-offset`.
    pub(crate) fn of(
        file: &'a JobFile,
        section: Option<&Path>,
        task: TaskCommand,
    ) -> Result<Self, JobError> {
        let job = match section {
            Some(_) => PreparedJob::new(file),
            None => PreparedJob::heard(file),
        }?;
        let mut others: Vec<Box<dyn Operation + 'a>> = Vec::new();
        let mut doubts = Vec::new();
        let migrates = task == TaskCommand::Rtm || file.job.rtm.is_some();
        if migrates {
            others.push(Box::new(MigrationRun::check(job.clone())?));
        }
        if file.job.lsrtm.is_some() {
            others.push(Box::new(LeastSquaresRun::check(job.clone())?));
        }
        if file.job.gradient.is_some() {
            others.push(Box::new(GradientRun::check(job.clone())?));
        }
        if file.job.invert.is_some() {
            others.push(Box::new(InversionRun::check(job.clone())?));
        }
        let located = file.job.locate.as_ref().and_then(|keys| keys.gather.clone());
        let located = located.map(FileNames::One);
        if file.gathers_to_check("locate.gather", located.as_ref(), "locate").is_some() {
            let (located, of_recordings) = LocationRun::check(file)?;
            others.push(Box::new(located));
            doubts = of_recordings;
        }
        if let Some(path) = section {
            let run = ZeroOffsetRun::of(job.clone(), Some(path))?;
            for warning in run.of_waves() {
                tracing::warn!("{}: {warning}", path.display());
            }
            others.push(Box::new(run));
        }
        Ok(Configured { shots: Some(ShotRun::of(job)), others, doubts })
    }

    /// The location of the sources of a recording alone.
    pub(crate) fn to_locate(file: &'a JobFile) -> Result<Self, JobError> {
        let (located, doubts) = LocationRun::check(file)?;
        Ok(Configured { shots: None, others: vec![Box::new(located)], doubts })
    }

    /// The job that the report is of.
    pub(crate) fn job(&self) -> &PreparedJob<'_> {
        match &self.shots {
            Some(shots) => shots.job(),
            None => self.others[0].job(),
        }
    }
}
