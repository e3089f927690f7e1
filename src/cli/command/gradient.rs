//! `huygens gradient`.

use crate::{
    cli::{
        failure::Failure,
        flags::{observed::ObservedArguments, run::RunArguments, share::ShareArguments},
    },
    operations::gradient::GradientRun,
};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  huygens gradient job.toml --observed field.sgy --out gradient\n  \
                        huygens gradient job.toml --observed field.sgy --out shared --task 1/2\n  \
                        huygens gradient job.toml --observed field.sgy --out shared --task 2/2\n  \
                        huygens gradient job.toml --observed field.sgy --out shared --merge\n\
                        The table [gradient] of a job sets how traces are compared, and whether the derivative is with respect to velocity or slowness."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) run: RunArguments,
    #[command(flatten)]
    observed: ObservedArguments,
    #[command(flatten)]
    pub(crate) share: ShareArguments,
}

pub(crate) fn run(arguments: &Arguments, share: &ShareArguments) -> Result<(), Failure> {
    let Arguments { run, observed, .. } = arguments;
    let mut file = run.open()?;
    observed.apply_to(&mut file)?;
    run.run(&file, share, GradientRun::prepare)
}
