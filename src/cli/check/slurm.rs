//! The script of a survey as an array of Slurm's tasks.

use super::report::Report;
use crate::cli::{device::Device, failure::Failure, job::JobArguments, picture::quoted};
use std::num::NonZeroUsize;

const GIB: u64 = 1 << 30;
/// What a process takes beside the arrays of its plan, bytes.
const PROGRAM: u64 = GIB;
/// Seconds before the first shot and after the last.
const AROUND: f64 = 300.0;
/// A task may take so many times what the remembered rate says, and its files.
const SLOWER: f64 = 2.0;

/// The script, with the memory of the plan and, where a rate is remembered, a limit of time.
pub fn script(
    (job, device): (&JobArguments, &Device),
    report: &Report<'_>,
    tasks: NonZeroUsize,
) -> Result<String, Failure> {
    let shots = report.sources.len();
    let Some(path) = &job.job else {
        return Err(Failure::input("--slurm is of a job file, and none is given; name it"));
    };
    if shots < 2 || tasks.get() > shots {
        return Err(Failure::input(format!(
            "the job has {shots} shots, which do not make {tasks} tasks; give as many tasks as shots or fewer, of a job with 2 shots or more"
        )));
    }
    let bytes = report.memory.iter().map(|array| array.bytes).sum::<u64>() + PROGRAM;
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
    if let Some(seconds) = report.seconds {
        let minutes = (SLOWER * seconds / tasks.get() as f64 + AROUND) / 60.0;
        lines.push(format!("#SBATCH --time={}", minutes.ceil()));
    }
    lines.push("#SBATCH --requeue".into());
    let out = quoted(&name);
    lines.push(format!(
        "srun huygens shot {} --out {out} --task $SLURM_ARRAY_TASK_ID/{tasks}",
        [job.words(), device.words()].concat().join(" ")
    ));
    lines.push(format!("# When all are done: huygens merge {out}"));
    Ok(lines.join("\n"))
}
