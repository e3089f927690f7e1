//! `huygens gather qc`: what shows the quality of recorded traces, on one page and in a table.

mod table;

use super::headers::HeaderArguments;
use crate::{
    cli::{
        failure::Failure,
        flags::picture::{FigureArguments, LookArguments},
        terminal::{picture, progress, say::print, shell::file_name},
    },
    job::Figures,
    results::quality::{self, Survey},
};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  huygens gather qc field.sgy\n  huygens gather qc field.sgy --unit ft --out field.pdf\n\
                  The page has a base map, the fold, the offsets, mean spectra, the nearest trace of each record, and amplitude over \
                  offset. The table of headers is printed."
)]
pub(crate) struct Arguments {
    /// The file.
    file: PathBuf,
    #[command(flatten)]
    headers: HeaderArguments,
    /// The page: .png, .svg or .pdf.
    #[arg(long, value_name = "PICTURE", default_value = "qc.png")]
    out: PathBuf,
    /// Clip samples of the near traces beyond this percentile.
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    clip: Option<f64>,
    #[command(flatten)]
    figure: FigureArguments,
    #[command(flatten)]
    look: LookArguments,
    /// Overwrite the page.
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { file, headers, out, clip, .. } = arguments;
    picture::may_write(out, arguments.force)?;
    let figures = arguments.look.over(Figures { clip: *clip, ..Figures::default() });
    let size = arguments.figure.over(&figures, quality::least())?;
    let gathers = headers.read(file)?;
    if gathers.iter().all(|gather| gather.traces.is_empty()) {
        return Err(Failure::input(format!("{} has no trace", file.display())));
    }
    let examining = progress::doing("examining the traces");
    let survey = Survey::of(&gathers);
    let near = survey.near_traces(&gathers);
    let page = quality::page(file_name(file), &survey, &near, &figures);
    drop(examining);
    picture::save(out, &page, size, arguments.force)?;
    print(table::table(&survey))
}
