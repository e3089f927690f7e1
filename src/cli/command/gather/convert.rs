//! `huygens gather convert`.

use super::file::FromTo;
use crate::{
    cli::{
        failure::Failure,
        terminal::progress::{self, tell},
    },
    io::{
        gather_file,
        model_file::Format,
        segy::{ByteOrder, CopySpec, LengthUnit, SegyError, copy, copy_su},
        whole,
    },
    program::PROGRAM,
};
use std::{io, path::Path};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  huygens gather convert field.sgy field.npz --unit ft --records 12\n  \
                  huygens gather convert picks.npy picks.sgy --interval 0.002 --positions stations.csv\n\
                  From .sgy and .su to .sgy and .su every header is kept, unless --start, --records or --kill is given. Otherwise \
                  traces that start late have zeros before them, and what lies before the shot is left out."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    files: FromTo,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let files @ FromTo { from, to, headers, .. } = &arguments.files;
    files.may_write()?;
    headers.check_apart_from(to)?;
    let is_su = |path: &Path| matches!(Format::of(path), Ok(Format::Su));
    let copies = headers.are_of_headers() && is_traces(from) && is_traces(to);
    if copies && is_su(from) && !is_su(to) && headers.overrides().unit.is_none() {
        tracing::warn!(
            "{}: a .su names no unit of its lengths: they are taken for metres, unless --unit says otherwise",
            from.display()
        );
    }
    if copies {
        return copied(files);
    }
    files.write(&headers.read(from)?)
}

fn is_traces(path: &Path) -> bool {
    Format::of(path).is_ok_and(Format::is_traces)
}

/// Copies traces, a block in memory at a time.
fn copied(FromTo { from, to, headers, force }: &FromTo) -> Result<(), Failure> {
    let refused = |error| Failure::input(format!("{}: {error}", from.display()));
    let mut reader = gather_file::open(from, headers.overrides()).map_err(refused)?;
    let is_su = matches!(Format::of(to), Ok(Format::Su));
    let order = is_su.then_some(ByteOrder::Little);
    let text = vec![format!("Traces written by {PROGRAM}")];
    if is_su && reader.layout().unit != Some(LengthUnit::Metre) && !reader.is_su() {
        let unit = match reader.layout().unit {
            Some(_) => "in feet",
            None => "in a unit that the file does not say",
        };
        tracing::warn!(
            "{}: lengths are {unit}, and stay so: a .su names no unit, and is read as metres without --unit",
            from.display()
        );
    }
    let spec = CopySpec { order, text, ..CopySpec::default() };
    let mut wrong = None;
    let made = progress::writing(to, |stopped| {
        whole::make_unless(stopped, to, *force, |sink| {
            let copied = match is_su {
                true => copy_su(&mut reader, sink, spec).map(drop),
                false => copy(&mut reader, sink, spec).map(drop),
            };
            copied.map_err(|error| match error {
                SegyError::Write(error) => error,
                other => io::Error::other(wrong.insert(other).to_string()),
            })
        })
    });
    if let Some(error) = wrong {
        return Err(refused(error));
    }
    made?;
    for warning in reader.warnings() {
        tracing::warn!("{}: {warning}", from.display());
    }
    tell(format_args!("{} is written", to.display()));
    Ok(())
}
