//! `huygens gather convert`.

use super::file::{self, HeaderArguments};
use crate::cli::failure::Failure;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  huygens gather convert field.sgy field.npz --unit ft --records 12\n  \
                  huygens gather convert picks.npy picks.sgy --interval 0.002 --positions stations.csv\n\
                  Traces that start late have zeros before them; what lies before the shot is left out."
)]
pub struct Arguments {
    /// The file to read: .sgy, .su, .npz, .h5, or .npy with --positions and --interval.
    from: PathBuf,
    /// The file to write: .sgy, .su, .npz, .h5, or .npy with a .csv of its receivers beside it.
    to: PathBuf,
    #[command(flatten)]
    headers: HeaderArguments,
    /// Overwrite the file.
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments, quiet: bool) -> Result<(), Failure> {
    let Arguments { from, to, headers, force } = arguments;
    file::check(to, *force)?;
    let gathers = headers.read(from)?;
    file::write(to, &gathers, *force, quiet)
}
