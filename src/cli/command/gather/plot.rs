//! `huygens gather plot`.

use super::{
    depth,
    drawn::{Drawn, Shown, of_records},
    headers::HeaderArguments,
};
use crate::{
    cli::{
        failure::Failure,
        flags::picture::{FigureArguments, LookArguments},
        terminal::{picture, shell::file_name},
    },
    io::segy::Overrides,
    job::Figures,
};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  huygens gather plot field.sgy --out field.png --agc 0.5 --wiggles\n  \
                        huygens gather plot field.sgy --records 12 --gain 2 --clip 99 --out record-12.png\n  \
                        huygens gather plot rtm/image.sgy --out image.png\n\
                        Draws the first record, or those of --records beside each other. Of a volume in depth it draws the middle \
                        line."
)]
pub(crate) struct Arguments {
    /// The file.
    file: PathBuf,
    #[command(flatten)]
    headers: HeaderArguments,
    /// The picture: .png, .svg or .pdf.
    #[arg(long, value_name = "PICTURE")]
    out: PathBuf,
    /// Metres between samples of a depth file. Not needed for models and images that huygens wrote.
    #[arg(long, value_name = "METRES", allow_negative_numbers = true, value_parser = depth_interval, conflicts_with = "interval")]
    depth: Option<f64>,
    /// Multiply samples by this power of their time, or depth.
    #[arg(long, value_name = "POWER", allow_negative_numbers = true)]
    gain: Option<f64>,
    /// Divide samples by the root mean square of a window of this length around them: seconds, or metres of depth.
    #[arg(long, value_name = "LENGTH", allow_negative_numbers = true)]
    agc: Option<f64>,
    /// Clip samples beyond this percentile.
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    clip: Option<f64>,
    /// Draw wiggles instead of shades of grey.
    #[arg(long)]
    wiggles: bool,
    #[command(flatten)]
    figure: FigureArguments,
    #[command(flatten)]
    look: LookArguments,
    /// Overwrite the picture.
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let out = &arguments.out;
    picture::may_write(out, arguments.force)?;
    let Arguments { gain: power, agc, clip, .. } = *arguments;
    let figures = Figures { gain: power, agc, clip, ..Figures::default() };
    let shown = Drawn {
        figures: arguments.look.over(figures),
        title: file_name(&arguments.file),
        wiggles: arguments.wiggles,
    };
    // A wrong setting is reported before a large file is read.
    shown.size(&arguments.figure, 1)?;
    shown.save(arguments.shown()?, &arguments.figure, out, arguments.force)
}

impl Arguments {
    /// Reads them: a plane of depths, or else the records that are chosen, by default the first.
    fn shown(&self) -> Result<Vec<Shown>, Failure> {
        let overrides = self.headers.overrides();
        if depth::is_of_depth(&self.file, self.depth, overrides)? {
            return Ok(vec![self.of_depth(overrides)?]);
        }
        let gathers = self.headers.read(&self.file)?;
        let several = self.headers.records.is_some();
        of_records(&self.file, gathers, several)
    }

    fn of_depth(&self, overrides: Overrides) -> Result<Shown, Failure> {
        if !self.headers.are_of_headers() {
            return Err(Failure::input(format!(
                "samples of {} are depths, of no record or time; leave --records, --start, \
                 --kill, --positions and --source out; give --interval if they are times",
                self.file.display()
            )));
        }
        depth::read(&self.file, self.depth, overrides)
    }
}

fn depth_interval(text: &str) -> Result<f64, String> {
    let metres = text.parse().ok().filter(|of: &f64| of.is_finite() && *of > 0.0);
    metres.ok_or_else(|| "give metres above 0".into())
}
