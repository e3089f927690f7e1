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
                        huygens rtm job.toml --out shared --task 1/2\n  \
                        huygens rtm job.toml --out shared --task 2/2\n  \
                        huygens rtm job.toml --out shared --merge\n\
                        The recorded traces of rtm.gathers are migrated through the model of the job. Without rtm.gathers, the shots of \
                        the job are modelled first.")]
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
