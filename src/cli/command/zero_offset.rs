//! `huygens zero-offset`.

use crate::{
    cli::{
        failure::Failure,
        flags::{run::RunArguments, share::ShareArguments},
    },
    operations::zero_offset::ZeroOffsetRun,
};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens zero-offset --out section\n  \
                        huygens zero-offset --migrate section/section.npy --out image\n\
                        Every reflector of the model explodes at t = 0 and velocities are halved. The model, operator, sides, time and \
                        receivers come from the job. The first source's wavelet sets the band of the section; its position is \
                        ignored. The top absorbs, whatever the job says.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// Migrate a section whose first sample is at t = 0: a .sgy or .su with its own positions and interval, or a .npy of
    /// shape [receiver][time] with the receivers and the interval of the job.
    #[arg(long, value_name = "SECTION")]
    migrate: Option<PathBuf>,
}

pub(crate) fn run(Arguments { run, migrate }: &Arguments) -> Result<(), Failure> {
    let share = ShareArguments::default();
    run.run(&run.open()?, &share, |file| ZeroOffsetRun::prepare(file, migrate.as_deref()))
}
