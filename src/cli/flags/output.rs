//! What becomes of the results of a run.

use super::picture::FigureArguments;
use crate::job::JobFile;
use std::path::PathBuf;

/// The flags that say what becomes of the results.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct OutputArguments {
    /// Folder for the results, created if it is missing. A folder with other files needs --force. Without --out, the folder
    /// is `out` (`located` for locate), and a new run replaces results of the same job there.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) figure: FigureArguments,
    /// Draw no pictures and no movies.
    #[arg(long)]
    no_pictures: bool,
    /// Write where the time went: trace.json for chrome://tracing and Perfetto, and timeline.png.
    #[arg(long)]
    pub(crate) trace: bool,
    /// Print the record of the run (run.json) on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

impl OutputArguments {
    /// The given folder, or a command's default.
    pub(crate) fn path(&self, otherwise: &str) -> PathBuf {
        self.out.clone().unwrap_or_else(|| otherwise.into())
    }

    /// Applies the overrides to the job.
    pub(crate) fn apply_to(&self, file: &mut JobFile) {
        if self.no_pictures {
            file.job.output.pictures = Some(false);
        }
    }

    /// True if no folder is given.
    pub(crate) fn is_default(&self) -> bool {
        self.out.is_none()
    }
}
