//! `huygens shot`.

use crate::{
    cli::{
        face::KernelChoice,
        failure::Failure,
        flags::{run::RunArguments, share::ShareArguments},
    },
    operations::shot::ShotRun,
};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens shot\n  \
                        huygens shot job.toml --backend vulkan --out salt\n  \
                        huygens shot job.toml --model velocity.npy --spacing 12.5 --axes xz\n  \
                        huygens shot assets/jobs/salt3d.toml --out salt3d")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// The kernel that steps the field on a GPU, one of those that `huygens tune` lists, instead of the fastest.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Slabs into which a GPU cuts the wavefield along its slowest axis, instead of the fewest that fit its bindings. Results
    /// are the same, bit for bit.
    #[arg(long, value_name = "COUNT")]
    slabs: Option<usize>,
    #[command(flatten)]
    pub(crate) share: ShareArguments,
}

pub fn run(arguments: &Arguments, share: &ShareArguments) -> Result<(), Failure> {
    let Arguments { run, kernel, slabs, .. } = arguments;
    let choice = KernelChoice { kernel: kernel.clone(), slabs: *slabs };
    run.run_with(&run.open()?, share, choice, ShotRun::prepare)
}
