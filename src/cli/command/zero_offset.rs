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
    /// Send a section back to the reflectivity, its first sample at t = 0: a .sgy or .su, which says where its traces
    /// are and how far its samples are apart, or a .npy of shape [receiver][time], which has the job's receivers and
    /// interval.
    #[arg(long, value_name = "SECTION")]
    migrate: Option<PathBuf>,
}

pub(crate) fn run(Arguments { run, migrate }: &Arguments) -> Result<(), Failure> {
    let share = ShareArguments::default();
    run.run(&run.open()?, &share, |file| ZeroOffsetRun::prepare(file, migrate.as_deref()))
}
