//! `huygens gather plot`.

use super::file::HeaderArguments;
use crate::cli::{
    failure::Failure,
    flags::picture::FigureArguments,
    terminal::{
        picture::{self, about},
        progress::{self, tell},
        shell::file_name,
    },
};
use huygens::{
    io::{png, whole},
    job::Figures,
    render::{GatherFigure, Quantity, WiggleFigure},
    results::{gain, shot::along},
};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  huygens gather plot field.sgy --out field.png --agc 0.5 --wiggles\n  \
                        huygens gather plot field.sgy --records 12 --gain 2 --clip 99 --out record-12.png\n\
                        Of several records the first of those chosen is drawn."
)]
pub struct Arguments {
    /// The file.
    file: PathBuf,
    #[command(flatten)]
    headers: HeaderArguments,
    /// The picture.
    #[arg(long, value_name = "PNG")]
    out: PathBuf,
    /// Multiply samples by this power of their time.
    #[arg(long, value_name = "POWER", allow_negative_numbers = true)]
    gain: Option<f64>,
    /// Divide samples by the root mean square of a window of this length around them, s.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    agc: Option<f64>,
    /// Clip samples beyond this percentile.
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    clip: Option<f64>,
    /// Draw wiggles, not shades of grey.
    #[arg(long)]
    wiggles: bool,
    #[command(flatten)]
    figure: FigureArguments,
    /// Overwrite the picture.
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let out = &arguments.out;
    picture::may_write(out, arguments.force)?;
    let Arguments { gain: power, agc, clip, .. } = *arguments;
    let figures = Figures { gain: power, agc, clip, ..Figures::default() };
    let least = if arguments.wiggles { WiggleFigure::LEAST } else { GatherFigure::LEAST };
    let size = arguments.figure.over(figures, least)?;
    let gathers = arguments.headers.read(&arguments.file)?;
    let Some(gather) = gathers.first() else {
        return Err(Failure::input(format!("{} has no record", arguments.file.display())));
    };
    let _drawing = progress::doing("drawing");
    let file = file_name(&arguments.file);
    let (positions, across) = along(&gather.receivers, &[gather.source]);
    let figure = GatherFigure {
        traces: gather.traces.view(),
        quantity: Quantity::AMPLITUDE,
        interval: gather.interval,
        positions,
        across: across.into(),
        title: format!("{file}, record {}", gather.record),
        gain: gain(&figures),
    };
    let about = about(&figure.title, size);
    let drawn = match arguments.wiggles {
        true => WiggleFigure { gather: figure }.draw(size),
        false => figure.draw(size),
    };
    let bytes = png::bytes(&drawn.map_err(|error| Failure::input(error.to_string()))?, &about);
    whole::write(out, &bytes, arguments.force)?;
    if gathers.len() > 1 {
        tell(format_args!("record {} of {} is drawn", gather.record, gathers.len()));
    }
    tell(format_args!("{} is written", out.display()));
    Ok(())
}
