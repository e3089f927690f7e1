//! Running what is refused otherwise.

#[derive(clap::Args, Clone, Copy, Debug)]
pub struct ForceArguments {
    /// Overwrite the folder's files, and accept jobs that are refused because their results would mean nothing
    /// (docs/job.md, "What is refused").
    #[arg(long = "force")]
    pub given: bool,
}
