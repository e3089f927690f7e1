//! A survey as an array of Slurm's tasks, on this machine.

use crate::run::{Outcome, cargo, root, run};
use std::process::Command;

const PROGRAMS: [&str; 4] = ["slurmctld", "slurmd", "sbatch", "munged"];

/// Runs tests/slurm/array.sh; with `install` Debian's Slurm is installed where it is missing.
pub fn test(install: bool) -> Outcome {
    let found = |program: &&str| {
        let looked = Command::new("sh").args(["-c", &format!("command -v {program}")]).output();
        looked.is_ok_and(|output| output.status.success())
    };
    if let Some(missing) = PROGRAMS.iter().find(|program| !found(program)) {
        if !install {
            return Err(format!("Slurm was not tried: there is no {missing}; install slurm-wlm"));
        }
        let packages = ["slurmctld", "slurmd", "slurm-client", "munge"];
        run(Command::new("apt-get")
            .args(["install", "--yes", "--no-install-recommends"])
            .args(packages))?;
    }
    run(&mut cargo(&["build"]))?;
    let built = root().join("target/debug/huygens");
    let folder = root().join("tests/slurm");
    run(Command::new(folder.join("array.sh")).arg(built).arg(folder.join("survey.toml")))
}
