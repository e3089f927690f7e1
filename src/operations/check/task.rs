//! What a task of a survey needs of a batch system.

use super::Report;
use crate::{
    imaging::Estimate,
    job::{Direct, Job, Rtm},
    run::Demand,
};
use std::num::NonZeroUsize;

/// Memory of a process beyond its arrays, bytes. A quarter is added to those, as they are predicted.
const PROCESS: u64 = 1 << 30;
/// Seconds before the first shot and after the last.
const AROUND: f64 = 300.0;
/// Safety factor of a task's time limit over the remembered rate, for slower runs and file output.
const SLOWER: f64 = 2.0;

/// What a task runs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub(crate) enum TaskCommand {
    /// Models the shots.
    Shot,
    /// Migrates them.
    Rtm,
    /// Differentiates their misfit.
    Gradient,
}

impl TaskCommand {
    /// The command.
    pub(crate) fn name(self) -> &'static str {
        match self {
            TaskCommand::Shot => "shot",
            TaskCommand::Rtm => "rtm",
            TaskCommand::Gradient => "gradient",
        }
    }

    /// The task of a job. The `[rtm]` of the job templates is all defaults and does not count.
    pub(crate) fn of(job: &Job) -> Self {
        let said = |rtm: &Rtm| serde_json::to_value(rtm).ok();
        let says = job.rtm.as_ref().is_some_and(|rtm| said(rtm) != said(&Rtm::default()));
        if says { TaskCommand::Rtm } else { TaskCommand::Shot }
    }
}

/// What a task needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TaskNeeds {
    /// Memory, bytes.
    pub(crate) bytes: u64,
    /// The time that it may take, s; unknown without a remembered rate.
    pub(crate) seconds: Option<f64>,
    /// True if it runs on a GPU.
    pub(crate) gpu: bool,
}

impl Report<'_> {
    /// The needs of one of so many tasks: the memory of the plan and, if a rate is remembered, a time
    /// limit.
    pub(crate) fn needs(&self, task: TaskCommand, tasks: NonZeroUsize) -> TaskNeeds {
        let held = self.demand(task.name()).map_or(0, Demand::bytes);
        let (bytes, seconds) = match (task, &self.migration) {
            (TaskCommand::Rtm, Some(migration)) => {
                let (kept, seconds) = self.of_migration(migration);
                (held.max(kept), seconds)
            }
            // How much longer than the shots it takes is not remembered.
            (TaskCommand::Gradient, _) => (held, None),
            _ => (held, self.seconds),
        };
        TaskNeeds {
            bytes: bytes / 4 * 5 + PROCESS,
            seconds: seconds.map(|seconds| SLOWER * seconds / tasks.get() as f64 + AROUND),
            gpu: !["cpu", "reference"].contains(&self.engine.engine.backend.as_str()),
        }
    }

    /// Bytes with which a migration of all shots keeps the same source wavefields, and its seconds.
    fn of_migration(&self, migration: &Estimate) -> (u64, Option<f64>) {
        let rtm = self.job.rtm.clone().unwrap_or_default();
        let chosen = migration.kept.iter().position(|cost| cost.taken).unwrap_or(0);
        let (kept, host) =
            migration.kept.get(chosen).map_or((0, 0), |cost| (cost.bytes, cost.host));
        // Half of a task's memory goes to saved wavefields, unless the job sets it, and always to
        // those in host memory.
        let bytes = 2 * if rtm.memory.is_some() { host } else { kept.max(host) };
        // The shots, and their direct waves.
        let modelled = [rtm.gathers.is_none(), rtm.direct == Direct::Modelled];
        let modelled = modelled.iter().filter(|is_modelled| **is_modelled).count() as f64;
        let modelled = modelled * self.seconds.unwrap_or(0.0);
        (bytes, migration.seconds.as_ref().map(|seconds| seconds[chosen] + modelled))
    }
}
