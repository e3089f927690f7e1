//! The Slurm array script of a survey.

use super::report::Report;
use crate::cli::{
    flags::{device::Device, job::JobArguments},
    terminal::{failure::Failure, shell::quoted},
};
use clap::ValueEnum;
use huygens::{
    job::{Direct, Job, Rtm},
    workflow::rtm::Estimate,
};
use std::num::NonZeroUsize;

const GIB: u64 = 1 << 30;
/// Memory of a process beyond the arrays of its plan, bytes.
const PROGRAM: u64 = GIB;
/// Seconds before the first shot and after the last.
const AROUND: f64 = 300.0;
/// Safety factor of a task's time limit over the remembered rate, for slower runs and file output.
const SLOWER: f64 = 2.0;

/// What a task runs.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub enum TaskCommand {
    /// Models the shots.
    Shot,
    /// Migrates them.
    Rtm,
}

impl TaskCommand {
    /// The task of a job. The `[rtm]` of the job templates is all defaults and does not count.
    pub fn of(job: &Job) -> Self {
        let said = |rtm: &Rtm| serde_json::to_value(rtm).ok();
        let says = job.rtm.as_ref().is_some_and(|rtm| said(rtm) != said(&Rtm::default()));
        if says { TaskCommand::Rtm } else { TaskCommand::Shot }
    }
}

/// Bytes and seconds of a migration of all shots.
fn of_migration(report: &Report<'_>, migration: &Estimate) -> (u64, Option<f64>) {
    let rtm = report.job.rtm.clone().unwrap_or_default();
    let chosen = migration.kept.iter().position(|cost| cost.taken).unwrap_or(0);
    let (kept, host) = migration.kept.get(chosen).map_or((0, 0), |cost| (cost.bytes, cost.host));
    let all = migration.memory.iter().map(|array| array.bytes).sum::<u64>() + kept + host;
    // Half of a task's memory goes to saved wavefields, unless the job sets it, and always to those
    // in host memory.
    let bytes = all.max(2 * if rtm.memory.is_some() { host } else { kept.max(host) });
    // The shots, and their direct waves.
    let modelled = [rtm.gathers.is_none(), rtm.direct == Direct::Modelled];
    let modelled = modelled.iter().filter(|is_modelled| **is_modelled).count() as f64;
    let modelled = modelled * report.seconds.unwrap_or(0.0);
    (bytes, migration.seconds.as_ref().map(|seconds| seconds[chosen] + modelled))
}

/// The script, with the memory of the plan and, if a rate is remembered, a time limit.
pub fn script(
    (job, device): (&JobArguments, &Device),
    report: &Report<'_>,
    (task, tasks): (TaskCommand, NonZeroUsize),
) -> Result<String, Failure> {
    let shots = report.sources.len();
    let Some(path) = &job.job else {
        return Err(Failure::input(("--slurm is of a job file, and none is given", "name it")));
    };
    if shots < 2 || tasks.get() > shots {
        return Err(Failure::input((
            format!("the job has {shots} shots, which do not make {tasks} tasks"),
            "give as many tasks as shots or fewer, of a job with 2 shots or more",
        )));
    }
    let of_shots = report.memory.iter().map(|array| array.bytes).sum::<u64>();
    let (bytes, seconds) = match &report.migration {
        Some(migration) if task == TaskCommand::Rtm => {
            let (bytes, seconds) = of_migration(report, migration);
            (bytes.max(of_shots), seconds)
        }
        _ => (of_shots, report.seconds),
    };
    let bytes = bytes + PROGRAM;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut lines = vec![
        "#!/bin/bash".to_owned(),
        format!("#SBATCH --job-name={}", quoted(&name)),
        format!("#SBATCH --array=1-{tasks}"),
    ];
    if report.engine.engine.backend != "cpu" && report.engine.engine.backend != "reference" {
        lines.push("#SBATCH --gres=gpu:1".into());
    }
    lines.push("#SBATCH --cpus-per-task=4".into());
    lines.push(format!("#SBATCH --mem={}G", bytes.div_ceil(GIB)));
    if let Some(seconds) = seconds {
        let minutes = (SLOWER * seconds / tasks.get() as f64 + AROUND) / 60.0;
        lines.push(format!("#SBATCH --time={}", minutes.ceil()));
    }
    lines.push("#SBATCH --requeue".into());
    let (out, of_job) = (quoted(&name), job.words().join(" "));
    let on = [job.words(), device.words()].concat().join(" ");
    let (command, merge) = match task {
        TaskCommand::Shot => ("shot", format!("merge {out}")),
        TaskCommand::Rtm => ("rtm", format!("rtm {of_job} --out {out} --merge")),
    };
    lines.push(format!(
        "srun huygens {command} {on} --out {out} --task $SLURM_ARRAY_TASK_ID/{tasks}"
    ));
    lines.push(format!("# When all are done: huygens {merge}"));
    Ok(lines.join("\n"))
}
