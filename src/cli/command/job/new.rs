//! `huygens job new`: a starting job file.

use super::Destination;
use crate::cli::failure::Failure;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use huygens::job::examples::{EXAMPLES, Example};

/// The 2-D template, with every valid key.
const PLANE: &str = include_str!("../../../../assets/templates/plane.toml");
/// The 3-D template, likewise.
const VOLUME: &str = include_str!("../../../../assets/templates/volume.toml");

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens job new job.toml\n  \
                        huygens job new volume.toml --3d\n  \
                        huygens job new --template thesis-source-1 | less\n\
                        The file runs as it is: huygens shot job.toml")]
pub struct Arguments {
    #[command(flatten)]
    to: Destination,
    /// Of a volume instead of a plane.
    #[arg(long = "3d")]
    volume: bool,
    /// One of the jobs that ship with the program instead, as it is.
    #[arg(long, value_name = "NAME", value_parser = example(), conflicts_with = "volume")]
    template: Option<&'static Example>,
}

/// A bundled job, by name.
fn example() -> impl TypedValueParser<Value = &'static Example> {
    let names = EXAMPLES.iter().map(|job| PossibleValue::new(job.name).help(job.about()));
    PossibleValuesParser::new(names)
        .try_map(|name| EXAMPLES.iter().find(|job| job.name == name).ok_or("no such job"))
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let text = match arguments.template {
        Some(example) => example.text,
        None if arguments.volume => VOLUME,
        None => PLANE,
    };
    arguments.to.write(text, |file| {
        let file = file.display();
        format!("{file} is written; huygens check {file} says what it would do, huygens shot {file} runs it")
    })
}

#[cfg(test)]
mod tests;
