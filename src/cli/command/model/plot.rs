//! `huygens model plot`.

use super::{
    built::each,
    input::{self, FileArguments},
};
use crate::{
    cli::{
        failure::Failure,
        flags::picture::{FigureArguments, LookArguments},
        terminal::{picture, progress, shell::file_name},
    },
    grid::{Grid, PerAxis, Position},
    job::{Figures, OneOrEach},
    render::{Marks, ModelFigure, ThreePlaneFigure, VelocityRange, model_figure},
};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens model plot salt.rsf --out salt.png\n  \
                        huygens model plot builtin:salt --source x=6000,z=1000 --out survey.png\n\
                        A volume is shown in three planes through its middle.")]
pub(crate) struct Arguments {
    /// The file, or builtin:NAME.
    model: PathBuf,
    #[command(flatten)]
    file: FileArguments,
    /// Mark a source with a star, metres, such as x=6000,z=1000; may be repeated.
    #[arg(long = "source", value_name = "POSITION")]
    sources: Vec<PerAxis<f64>>,
    /// Values at the ends of the colours, m/s or kg/m3, so that pictures of several models can be compared, such as
    /// 1500,4500 [default: the smallest and the largest]
    #[arg(long, value_name = "FROM,TO", value_parser = range)]
    range: Option<VelocityRange>,
    /// The picture: .png, .svg or .pdf.
    #[arg(long, value_name = "PICTURE")]
    out: PathBuf,
    #[command(flatten)]
    figure: FigureArguments,
    #[command(flatten)]
    look: LookArguments,
    /// Overwrite the picture.
    #[arg(long)]
    force: bool,
}

fn range(text: &str) -> Result<VelocityRange, String> {
    let ends = text.split_once(',').and_then(|(from, to)| {
        let (slowest, fastest): (f32, f32) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        let is_range = slowest.is_finite() && fastest.is_finite() && slowest < fastest;
        is_range.then_some(VelocityRange { slowest, fastest })
    });
    ends.ok_or_else(|| "give the smaller and the larger in m/s or kg/m3, such as 1500,4500".into())
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let out = &arguments.out;
    picture::may_write(out, arguments.force)?;
    let model = input::model(&arguments.model, &arguments.file)?;
    let _drawing = progress::doing("drawing");
    let (grid, title) = (model.grid(), file_name(&arguments.model));
    let least = if grid.is_volume() { ThreePlaneFigure::LEAST } else { ModelFigure::LEAST };
    let size = arguments.figure.over(&arguments.look.over(Figures::default()), least)?;
    let marks = Marks { sources: arguments.sources(grid)?, ..Marks::default() };
    let figure = model_figure(&model, arguments.file.quantity, title, arguments.range, marks)
        .map_err(Failure::run)?;
    picture::save(out, figure.as_ref(), size, arguments.force)
}

impl Arguments {
    /// The positions to mark, which must lie in the model.
    fn sources(&self, grid: &Grid) -> Result<Vec<Position>, Failure> {
        let source = |given: &PerAxis<f64>| {
            let at = each("--source", OneOrEach::Each(*given), grid.is_volume())?;
            let at = Position { y: given.y.unwrap_or(0.0), ..at };
            let refused = |error| Failure::input(format!("--source: {error}"));
            grid.in_nodes(at).map(|_| at).map_err(refused)
        };
        self.sources.iter().map(source).collect()
    }
}
