//! Running what is refused otherwise.

#[derive(clap::Args, Clone, Copy, Debug)]
pub struct ForceArguments {
    /// Overwrite the folder's files, run an unstable time step until the watchdog ends it, and run an
    /// operator wider than the grid, or what can give nothing but zeros.
    #[arg(long = "force")]
    pub given: bool,
}
