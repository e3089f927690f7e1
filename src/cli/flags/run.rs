//! The flags of a run of a job.

use super::{
    device::Devices, force::ForceArguments, job::JobArguments, output::OutputArguments,
    share::ShareArguments,
};
use crate::{
    cli::{
        face::{KernelChoice, Terminal},
        failure::Failure,
        ranks::{self, Ranks},
        session::planning,
        terminal::{
            progress::{end_on_ctrl_c, tell},
            say::print,
        },
    },
    job::{JobError, JobFile},
    run::{self, Ended, Operation, Order},
};
use std::{sync::Mutex, time::Instant};

/// The flags of a run whose shots several devices can share.
#[derive(clap::Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    job: JobArguments,
    #[command(flatten)]
    pub(crate) device: Devices,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
    #[command(flatten)]
    pub(crate) force: ForceArguments,
}

impl RunArguments {
    /// Opens the job with the overrides of the command line.
    pub(crate) fn open(&self) -> Result<JobFile, Failure> {
        let mut file = self.job.open()?;
        self.apply_to(&mut file);
        Ok(file)
    }

    /// [`JobArguments::open_many`].
    pub(crate) fn open_many(&self, is_enough: bool) -> Result<(JobFile, Vec<String>), Failure> {
        let (mut file, others) = self.job.open_many(is_enough)?;
        self.apply_to(&mut file);
        Ok((file, others))
    }

    fn apply_to(&self, file: &mut JobFile) {
        self.output.apply_to(file);
        file.forced = self.force.given;
        file.fields_on_host = Some(self.device.fields_on_host());
    }

    /// Prepares an operation, and takes it through the life of a run.
    pub(crate) fn run<'a, O: Operation>(
        &self,
        file: &'a JobFile,
        share: &ShareArguments,
        prepare: impl FnOnce(&'a JobFile) -> Result<O, JobError>,
    ) -> Result<(), Failure> {
        self.run_with(file, share, KernelChoice::default(), prepare)
    }

    /// [`RunArguments::run`], with a kernel and slabs.
    pub(crate) fn run_with<'a, O: Operation>(
        &self,
        file: &'a JobFile,
        share: &ShareArguments,
        choice: KernelChoice,
        prepare: impl FnOnce(&'a JobFile) -> Result<O, JobError>,
    ) -> Result<(), Failure> {
        let began = Instant::now();
        let terminal = self.terminal(file, share, choice);
        let reading = planning();
        let mut operation = prepare(file)?;
        drop(reading);
        if !operation.can_resume() {
            share.check_unused()?;
        }
        let order = Order {
            out: self.output.path("out"),
            place: None,
            is_default: self.output.is_default(),
            // The ranks of a merge have done the tasks themselves.
            force: self.force.given || share.merge && ranks::all().is_some(),
            resume: share.resume,
            task: share.task,
            merge: share.merge,
            began,
        };
        self.carry_out(&mut operation, file, order, &terminal)
    }

    /// The terminal for runs of a job, one after the other; the engines of the first open meanwhile.
    pub(crate) fn terminal(
        &self,
        file: &JobFile,
        share: &ShareArguments,
        choice: KernelChoice,
    ) -> Terminal<'_> {
        let ends = end_on_ctrl_c();
        // A driver takes as long to open as a small job to plan.
        let opening = if share.merge { None } else { self.device.begin_to_open() };
        Terminal {
            arguments: self,
            splitting: share.splitting,
            figures: file.job.output.figures.clone(),
            choice,
            ends,
            opening: Mutex::new(opening),
        }
    }

    /// Takes an operation through the life of a run, and tells its end.
    pub(crate) fn carry_out(
        &self,
        operation: &mut dyn Operation,
        file: &JobFile,
        order: Order,
        terminal: &Terminal<'_>,
    ) -> Result<(), Failure> {
        let is_merged = order.merge;
        let said = match run::run(operation, file, order, terminal)? {
            Ended::Elsewhere => return Ok(()),
            Ended::Already(reason) => reason,
            Ended::BlownUp { record, error } => {
                if self.output.json {
                    print(record)?;
                }
                return Err(error.into());
            }
            Ended::Done { record, summary, folder } => {
                // The record of a rank's share is followed by that of the merge.
                let speaks = |ranks: &Ranks| ranks.is_first() && (is_merged || !ranks.have_tasks());
                if self.output.json && ranks::all().is_none_or(speaks) {
                    let whole = || format!("the results are whole, in {}", folder.display());
                    print(record).map_err(|failure| failure.with_note(whole()))?;
                }
                summary
            }
        };
        tell(said);
        Ok(())
    }
}
