//! `huygens job new`: a starting job file.

use super::Destination;
use crate::{
    cli::failure::Failure,
    job::examples::{EXAMPLES, Example, STARTERS},
};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// The 2-D template, with every valid key.
const PLANE: &str = include_str!("../../../../assets/templates/plane.toml");
/// The 3-D template, likewise.
const VOLUME: &str = include_str!("../../../../assets/templates/volume.toml");

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens job new job.toml\n  \
                        huygens job new volume.toml --3d\n  \
                        huygens job new locate.toml --template locate\n  \
                        huygens job new --template sadahiro-source-1 | less\n\
                        The file runs as it is: huygens shot job.toml")]
pub(crate) struct Arguments {
    #[command(flatten)]
    to: Destination,
    /// A volume instead of a plane.
    #[arg(long = "3d")]
    volume: bool,
    /// A short job to start from, or one of the jobs that ship with the program.
    #[arg(long, value_name = "NAME", value_parser = example(), conflicts_with = "volume")]
    template: Option<&'static Example>,
}

/// Jobs of papers by their authors; the names of their files work as well.
const BY_AUTHOR: [(&str, &str); 5] = [
    ("sep138", "al-theyab-clapp"),
    ("sep138-gathers", "al-theyab-clapp-gathers"),
    ("thesis", "sadahiro-source-2"),
    ("thesis-source-1", "sadahiro-source-1"),
    ("thesis-source-3", "sadahiro-source-3"),
];

/// A bundled job, by name.
fn example() -> impl TypedValueParser<Value = &'static Example> {
    let named = |job: &Example| BY_AUTHOR.iter().find(|(file, _)| *file == job.name);
    let all = || STARTERS.iter().chain(EXAMPLES);
    let names = all().map(move |job| {
        let value = PossibleValue::new(named(job).map_or(job.name, |(_, author)| *author));
        value.alias(job.name).help(job.about())
    });
    PossibleValuesParser::new(names).try_map(move |name| {
        let file =
            BY_AUTHOR.iter().find(|(_, author)| *author == name).map_or(&*name, |(file, _)| *file);
        all().find(|job| job.name == file).ok_or("no such job")
    })
}

/// A template whose first lines name the file that it is written to.
fn renamed(text: &str, template: Option<&Example>, file: &str) -> String {
    let own = format!("{}.toml", template.map_or("job", |example| example.name));
    let file = match file.contains(char::is_whitespace) {
        true => format!("\"{file}\""),
        false => file.to_owned(),
    };
    let mut is_head = true;
    let lines = text.split_inclusive('\n').map(|line| {
        is_head &= line.starts_with('#');
        let words = line.split_inclusive(' ').map(|word| {
            let name = word.trim_end();
            let shipped = name.strip_prefix("assets/jobs/").unwrap_or(name);
            if shipped == own { word.replace(name, &file) } else { word.to_owned() }
        });
        if is_head && line.starts_with("#   huygens") { words.collect() } else { line.to_owned() }
    });
    lines.collect()
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let text = match arguments.template {
        Some(example) => example.text,
        None if arguments.volume => VOLUME,
        None => PLANE,
    };
    let text = match arguments.to.named() {
        Some(file) => renamed(text, arguments.template, &file.display().to_string()),
        None => text.to_owned(),
    };
    arguments.to.write(&text, |file| {
        let file = file.display();
        match arguments.template {
            Some(_) if text.lines().any(|line| line.starts_with("#   huygens")) => {
                format!("{file} is written; its first lines say how to run it")
            }
            Some(_) => format!("{file} is written; huygens shot {file} runs it"),
            None => format!(
                "{file} is written; huygens check {file} says what it would do, huygens shot {file} runs it"
            ),
        }
    })
}

#[cfg(test)]
mod tests;
