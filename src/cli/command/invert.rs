//! `huygens invert`.

use crate::{
    cli::{
        failure::Failure,
        flags::{
            device::Splitting, observed::ObservedArguments, run::RunArguments,
            share::ShareArguments,
        },
    },
    operations::invert::InversionRun,
};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  huygens invert job.toml --observed field.sgy --out inverted\n  \
                        huygens invert job.toml --observed field.sgy --out inverted --resume\n\
                        The table [invert] of a job sets the bands, iterations and bounds; [gradient] sets how traces are compared."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) run: RunArguments,
    #[command(flatten)]
    observed: ObservedArguments,
    /// Resume the interrupted run in the folder.
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    splitting: Splitting,
}

pub(crate) fn run(
    Arguments { run, observed, resume, splitting }: &Arguments,
) -> Result<(), Failure> {
    let mut file = run.open()?;
    observed.apply_to(&mut file)?;
    run.run(&file, &ShareArguments::resumed(*resume, *splitting), InversionRun::prepare)
}
