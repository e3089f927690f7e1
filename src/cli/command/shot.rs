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
#[command(after_help = "Examples:\n  huygens shot\n  huygens shot --movie\n  \
                        huygens shot job.toml --backend vulkan --out salt\n  \
                        huygens shot job.toml --model velocity.npy --spacing 12.5 --axes xz\n  \
                        huygens shot assets/jobs/salt3d.toml --out salt3d")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// Draw a movie of the wave, with 41 frames unless the job has output.movie.
    #[arg(long, conflicts_with = "no_pictures")]
    movie: bool,
    /// Kernel that steps the field on a GPU, instead of the fastest; `huygens tune` lists them.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Number of slabs into which a GPU cuts the wavefield, instead of the fewest that fit. Results are the same, bit for
    /// bit.
    #[arg(long, value_name = "COUNT")]
    slabs: Option<usize>,
    #[command(flatten)]
    pub(crate) share: ShareArguments,
}

pub(crate) fn run(arguments: &Arguments, share: &ShareArguments) -> Result<(), Failure> {
    let Arguments { run, movie, kernel, slabs, .. } = arguments;
    let choice = KernelChoice { kernel: kernel.clone(), slabs: *slabs };
    let mut file = run.open()?;
    file.with_movie(*movie);
    run.run_with(&file, share, choice, ShotRun::prepare)
}
