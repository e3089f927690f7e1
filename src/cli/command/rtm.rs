//! `huygens rtm`.

use crate::{
    cli::{
        failure::Failure,
        flags::{run::RunArguments, share::ShareArguments},
    },
    operations::rtm::MigrationRun,
};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens rtm assets/jobs/rtm-salt.toml\n  \
                        huygens rtm job.toml --set rtm.smooth=200.0 --out image\n  \
                        huygens rtm job.toml --out shared --task 1/2, the same with 2/2, and then --merge\n\
                        The job's shots are migrated through its model: those of rtm.gathers or, without it, those that the job models.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) run: RunArguments,
    #[command(flatten)]
    pub(crate) share: ShareArguments,
}

pub(crate) fn run(
    Arguments { run, .. }: &Arguments,
    share: &ShareArguments,
) -> Result<(), Failure> {
    run.run(&run.open()?, share, MigrationRun::prepare)
}
