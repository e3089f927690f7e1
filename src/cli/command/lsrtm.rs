//! `huygens lsrtm`.

use crate::{
    cli::{
        failure::Failure,
        flags::{device::Splitting, run::RunArguments, share::ShareArguments},
    },
    operations::lsrtm::LeastSquaresRun,
};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens lsrtm assets/jobs/lsrtm-layers.toml\n  \
                        huygens lsrtm job.toml --set rtm.smooth=200.0 --set lsrtm.iterations=20 --out image\n  \
                        huygens lsrtm job.toml --set rtm.smooth=200.0 --out image --resume\n\
                        In a job, [rtm] names the recorded traces, and sets their processing and the smoothing of the model; [model] is the \
                        migration model; [lsrtm] sets the iterations.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// Resume the interrupted run in the folder.
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    splitting: Splitting,
}

pub(crate) fn run(Arguments { run, resume, splitting }: &Arguments) -> Result<(), Failure> {
    let share = ShareArguments::resumed(*resume, *splitting);
    run.run(&run.open()?, &share, LeastSquaresRun::prepare)
}
