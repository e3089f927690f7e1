//! The Slurm array script of a survey.

use super::Arguments;
use crate::{
    cli::{failure::Failure, terminal::shell::quoted},
    operations::check::{Report, TaskCommand},
};
use std::num::NonZeroUsize;

const GIB: u64 = 1 << 30;

/// The script, with the memory of the plan and, if a rate is remembered, a time limit.
pub(crate) fn script(
    arguments: &Arguments,
    report: &Report<'_>,
    task: TaskCommand,
    tasks: NonZeroUsize,
) -> Result<String, Failure> {
    let Arguments { job, device, .. } = arguments;
    let shots = report.sources.len();
    let Some(path) = &job.job else {
        return Err(Failure::input("--slurm is of a job file, and none is given; name it"));
    };
    if shots < 2 || tasks.get() > shots {
        return Err(Failure::input(format!(
            "the job has {shots} shots, which do not make {tasks} tasks; give as many tasks as \
             shots or fewer, of a job with 2 shots or more"
        )));
    }
    let observes = report.job.gradient.as_ref().is_some_and(|keys| keys.observed.is_some());
    if task == TaskCommand::Gradient && !observes {
        return Err(Failure::input(
            "a gradient is of observed traces, and the job names none; give gradient.observed",
        ));
    }
    let needs = report.needs(task, tasks);
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut lines = vec![
        "#!/bin/bash".to_owned(),
        format!("#SBATCH --job-name={}", job_name(&name)),
        format!("#SBATCH --array=1-{tasks}"),
    ];
    if needs.gpu {
        lines.push("#SBATCH --gres=gpu:1".into());
    }
    lines.push("#SBATCH --cpus-per-task=4".into());
    lines.push(format!("#SBATCH --mem={}G", needs.bytes.div_ceil(GIB)));
    if let Some(seconds) = needs.seconds {
        lines.push(format!("#SBATCH --time={}", (seconds / 60.0).ceil()));
    }
    lines.push("#SBATCH --requeue".into());
    let (out, of_job) = (quoted(&name), job.words().join(" "));
    let on = [job.words(), device.words()].concat().join(" ");
    let command = task.name();
    let merge = match task {
        TaskCommand::Shot => format!("merge {out}"),
        _ => format!("{command} {of_job} --out {out} --merge"),
    };
    lines.push(format!(
        "srun huygens {command} {on} --out {out} --task $SLURM_ARRAY_TASK_ID/{tasks}"
    ));
    lines.push(format!("# When all are done: huygens {merge}"));
    Ok(lines.join("\n"))
}

/// A name for Slurm, which reads its comments by rules of its own: only characters that mean nothing
/// to it.
fn job_name(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-+.".contains(c);
    name.chars().map(|c| if plain(c) { c } else { '_' }).collect()
}
