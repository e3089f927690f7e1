//! Running what is refused otherwise.

#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct ForceArguments {
    /// Overwrite the folder's files, and run jobs that are refused because their results would mean nothing
    /// (docs/job.md, "What is refused").
    #[arg(long = "force")]
    pub(crate) given: bool,
}
