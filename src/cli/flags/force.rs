//! Running what is refused otherwise.

#[derive(clap::Args, Clone, Copy, Debug)]
pub struct ForceArguments {
    /// Overwrite the folder's files, and run what is refused because its result would mean nothing: an
    /// unstable time step, until the watchdog ends it, an operator wider than the grid, nothing but zeros, velocities
    /// in km/s or cm/s, fewer than 2.5 points per wavelength, receivers within a cell or far off the line of a 2-D
    /// model, and a duration in milliseconds.
    #[arg(long = "force")]
    pub given: bool,
}
