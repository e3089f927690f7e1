//! `huygens merge`: merges the outputs of a survey's tasks.

use crate::{
    cli::{
        failure::Failure,
        terminal::progress::{self, show},
    },
    run::TaskOutputs,
};
use std::{path::PathBuf, sync::Arc};

#[derive(clap::Args)]
#[command(after_help = "Example: huygens merge out\n\
                        Run it after all tasks: huygens shot survey.toml --out out --task 1/2, and the same with --task 2/2. \
                        The folders of the tasks stay; you may delete them afterwards.")]
pub(crate) struct Arguments {
    /// The folder that the tasks share.
    folder: PathBuf,
    /// Replace an earlier merge.
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { folder, force } = arguments;
    if TaskOutputs::complete(folder)?.is_some() && !force {
        progress::tell(TaskOutputs::completed(folder));
        return Ok(());
    }
    let outputs = TaskOutputs::read(folder)?;
    let shots = outputs.merge(*force, &show(&Arc::default()))?;
    let tasks = outputs.tasks.len();
    progress::tell(format_args!(
        "{shots} shots of {tasks} tasks merged; results in {}",
        folder.display()
    ));
    Ok(())
}
