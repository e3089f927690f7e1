//! `huygens gather plot`.

use super::{depth, headers::HeaderArguments};
use crate::{
    cli::{
        failure::Failure,
        flags::picture::{FigureArguments, LookArguments},
        terminal::{
            picture,
            progress::{self, tell},
            shell::file_name,
        },
    },
    io::segy::{Gather, Overrides},
    job::Figures,
    ndarray::Array2,
    operations::shot::files::{PlacedBy, along},
    render::{Figure, FigureSize, GatherFigure, PageFigure, Quantity, SampleAxis, WiggleFigure},
    results::gain,
};
use std::path::{Path, PathBuf};

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

/// How traces are drawn.
pub(crate) struct Drawn {
    pub(crate) figures: Figures,
    pub(crate) title: String,
    pub(crate) wiggles: bool,
}

/// Maximum number of records in one picture.
const MOST: usize = 12;

impl Drawn {
    fn size(&self, figure: &FigureArguments, records: usize) -> Result<FigureSize, Failure> {
        let least = match (records, self.wiggles) {
            (1, true) => WiggleFigure::LEAST,
            (1, false) => GatherFigure::LEAST,
            _ => PageFigure::least(records, columns(records), GatherFigure::LEAST),
        };
        Ok(figure.over(self.figures, least)?)
    }

    /// Draws traces, several records beside each other.
    pub(crate) fn save(
        &self,
        mut shown: Vec<Shown>,
        figure: &FigureArguments,
        out: &Path,
        force: bool,
    ) -> Result<(), Failure> {
        let _drawing = progress::doing("drawing");
        let all = shown.len();
        if all > MOST {
            tell(format_args!("the first {MOST} of {all} records are drawn; --records chooses"));
            shown.truncate(MOST);
        }
        let size = self.size(figure, shown.len())?;
        let alone = shown.len() == 1;
        let panels = shown.iter().map(|shown| {
            let (positions, across) = shown.positions.clone();
            let which = shown.which.trim_start_matches(", ");
            let gather = GatherFigure {
                traces: shown.traces.view(),
                quantity: Quantity::AMPLITUDE,
                samples: shown.samples,
                interval: shown.interval,
                positions,
                across: across.into(),
                title: match alone {
                    true => format!("{}{}", self.title, shown.which),
                    false => which.to_owned(),
                },
                gain: gain(&self.figures),
                largest: self.figures.largest(),
                zero_line: false,
            };
            match self.wiggles {
                true => Box::new(WiggleFigure { gather }) as Box<dyn Figure + '_>,
                false => Box::new(gather) as Box<dyn Figure + '_>,
            }
        });
        let mut panels: Vec<_> = panels.collect();
        let figure: Box<dyn Figure + '_> = match alone {
            true => panels.remove(0),
            false => {
                let records = panels.len();
                Box::new(page(self.title.clone(), panels, records))
            }
        };
        picture::save(out, figure.as_ref(), size, force)?;
        for of in shown.iter().filter_map(|shown| shown.of.as_ref()) {
            tell(format_args!("{of} is drawn"));
        }
        Ok(())
    }
}

/// Records in a row.
fn columns(records: usize) -> usize {
    records.clamp(1, 3)
}

/// Records beside each other.
fn page(title: String, panels: Vec<Box<dyn Figure + '_>>, records: usize) -> PageFigure<'_> {
    let columns = columns(records);
    PageFigure { title, panels, columns, least: GatherFigure::LEAST, height: 1.1 }
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

/// The records of a file, or the first.
pub(crate) fn of_records(
    path: &Path,
    gathers: Vec<Gather>,
    several: bool,
) -> Result<Vec<Shown>, Failure> {
    let count = gathers.len();
    if count == 0 {
        return Err(Failure::input(format!("{} has no record", path.display())));
    }
    let shown = gathers.into_iter().take(if several { count } else { 1 });
    let shown = shown.map(|gather| Shown {
        samples: SampleAxis::Time,
        interval: gather.interval,
        positions: along(&gather.receivers, PlacedBy::recorded(&[gather.source])),
        traces: gather.traces,
        which: format!(", record {}", gather.record),
        of: (count > 1 && !several).then(|| format!("record {} of {count}", gather.record)),
    });
    Ok(shown.collect())
}

fn depth_interval(text: &str) -> Result<f64, String> {
    let metres = text.parse().ok().filter(|of: &f64| of.is_finite() && *of > 0.0);
    metres.ok_or_else(|| "give metres above 0".into())
}
