//! `huygens gather plot`.

use super::{depth, headers::HeaderArguments};
use crate::{
    cli::{
        failure::Failure,
        flags::picture::FigureArguments,
        terminal::{
            picture::{self, about},
            progress::{self, tell},
            shell::file_name,
        },
    },
    io::{png, segy::Overrides, whole},
    job::Figures,
    ndarray::Array2,
    operations::shot::files::{PlacedBy, along},
    render::{GatherFigure, Quantity, SampleAxis, WiggleFigure},
    results::gain,
};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  huygens gather plot field.sgy --out field.png --agc 0.5 --wiggles\n  \
                        huygens gather plot field.sgy --records 12 --gain 2 --clip 99 --out record-12.png\n\
                        huygens gather plot rtm/image.sgy --out image.png\n\
                        Of several records the first of those chosen is drawn; of depths in a volume the middle line."
)]
pub(crate) struct Arguments {
    /// The file.
    file: PathBuf,
    #[command(flatten)]
    headers: HeaderArguments,
    /// The picture.
    #[arg(long, value_name = "PNG")]
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
    /// Overwrite the picture.
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let out = &arguments.out;
    picture::may_write(out, arguments.force)?;
    let Arguments { gain: power, agc, clip, .. } = *arguments;
    let figures = Figures { gain: power, agc, clip, ..Figures::default() };
    let least = if arguments.wiggles { WiggleFigure::LEAST } else { GatherFigure::LEAST };
    let size = arguments.figure.over(figures, least)?;
    let shown = arguments.shown()?;
    let _drawing = progress::doing("drawing");
    let (positions, across) = shown.positions;
    let figure = GatherFigure {
        traces: shown.traces.view(),
        quantity: Quantity::AMPLITUDE,
        samples: shown.samples,
        interval: shown.interval,
        positions,
        across: across.into(),
        title: format!("{}{}", file_name(&arguments.file), shown.which),
        gain: gain(&figures),
    };
    let about = about(&figure.title, size);
    let drawn = match arguments.wiggles {
        true => WiggleFigure { gather: figure }.draw(size),
        false => figure.draw(size),
    };
    let bytes = png::bytes(&drawn.map_err(|error| Failure::input(error.to_string()))?, &about);
    whole::write(out, &bytes, arguments.force)?;
    if let Some(of) = shown.of {
        tell(format_args!("{of} is drawn"));
    }
    tell(format_args!("{} is written", out.display()));
    Ok(())
}

/// The traces that are drawn.
pub(crate) struct Shown {
    /// `[x][z]` or `[x][time]`.
    pub(crate) traces: Array2<f32>,
    pub(crate) samples: SampleAxis,
    /// Metres or seconds between samples.
    pub(crate) interval: f64,
    /// Position of each trace, metres, or 1000 times its number, and the label of the axis.
    pub(crate) positions: (Vec<f64>, &'static str),
    /// Their name, for the title.
    pub(crate) which: String,
    /// Their name among several, if there are.
    pub(crate) of: Option<String>,
}

impl Arguments {
    /// Reads them: a plane of depths, or else the first record.
    fn shown(&self) -> Result<Shown, Failure> {
        let overrides = self.headers.overrides();
        if depth::is_of_depth(&self.file, self.depth, overrides)? {
            return self.of_depth(overrides);
        }
        let mut gathers = self.headers.read(&self.file)?;
        let count = gathers.len();
        if count == 0 {
            return Err(Failure::input(format!("{} has no record", self.file.display())));
        }
        let gather = gathers.swap_remove(0);
        Ok(Shown {
            samples: SampleAxis::Time,
            interval: gather.interval,
            positions: along(&gather.receivers, PlacedBy::recorded(&[gather.source])),
            traces: gather.traces,
            which: format!(", record {}", gather.record),
            of: (count > 1).then(|| format!("record {} of {count}", gather.record)),
        })
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
