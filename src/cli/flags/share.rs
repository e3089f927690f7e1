//! The flags --resume, --task and --merge.

use super::device::Splitting;
use crate::{cli::failure::Failure, run::Task};

/// Flags for resuming a run, and for dividing it into tasks.
#[derive(clap::Args, Clone, Default)]
pub(crate) struct ShareArguments {
    /// Resume an interrupted run: the result equals that of an uninterrupted one, byte for byte.
    #[arg(long)]
    pub(crate) resume: bool,
    /// Do only the shots of task I of N, such as 3/16, or $SLURM_ARRAY_TASK_ID in a Slurm array. All tasks have the same --out.
    /// An interrupted task resumes, and a finished one is skipped; --merge joins the results.
    #[arg(long, value_name = "I/N", conflicts_with = "resume")]
    pub(crate) task: Option<Task>,
    /// Join the results of the tasks in the folder. They equal those of one run, bit for bit.
    #[arg(long, conflicts_with_all = ["resume", "task"])]
    pub(crate) merge: bool,
    #[command(flatten)]
    pub(crate) splitting: Splitting,
}

impl ShareArguments {
    /// Of a run that has no tasks.
    pub(crate) fn resumed(resume: bool, splitting: Splitting) -> Self {
        ShareArguments { resume, splitting, ..ShareArguments::default() }
    }

    /// Returns an error for flags that a job with one shot does not take.
    pub(crate) fn check_unused(&self) -> Result<(), Failure> {
        let flag = match (self.resume, self.task, self.merge) {
            (true, ..) => "--resume",
            (_, Some(_), _) => "--task",
            (.., true) => "--merge",
            _ => return Ok(()),
        };
        Err(Failure::input(format!(
            "{flag} applies only to surveys, and this job has one shot; leave it out, or give \
             [survey] or several [[shot]]s"
        )))
    }

    /// To merge what the ranks have done.
    pub(crate) fn to_merge() -> Self {
        ShareArguments { merge: true, ..ShareArguments::default() }
    }
}
