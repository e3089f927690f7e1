//! `huygens job schema`: the JSON schema of a job file, for editors.

use super::Destination;
use crate::{cli::failure::Failure, job};

#[derive(clap::Args)]
#[command(after_help = "Example: huygens job schema job.schema.json\n\
                        If the first line of a job is  #:schema ./job.schema.json  , editors with taplo or tombi complete \
                        and check it (docs/job.md).")]
pub(crate) struct Arguments {
    #[command(flatten)]
    to: Destination,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(&job::schema()).map_err(Failure::run)?;
    arguments.to.write(&(text + "\n"), |file| format!("{} is written", file.display()))
}
