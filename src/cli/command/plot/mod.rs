//! `huygens plot`: any result of a run, model or traces as the picture that the run draws.

mod record;
mod stored;

use super::{
    gather::{
        depth,
        drawn::{Drawn, of_records},
    },
    model::input::{self, FileArguments},
};
use crate::{
    cli::{
        failure::Failure,
        flags::picture::{FigureArguments, LookArguments},
        terminal::{picture, progress, shell::file_name},
    },
    io::{
        gather_file::{self, Given},
        model_file::Format,
        segy::Overrides,
    },
    job::Figures,
    model::ModelQuantity,
    render::{Marks, ModelFigure, ThreePlaneFigure, model_figure},
};
use record::RunRecord;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  huygens plot out/snapshots.npy --number 3 --out wave.png\n  \
                  huygens plot rtm/image.npy --colours grey --clip 98 --out image.pdf\n  \
                  huygens plot field.sgy --figure-size 8.4x7cm --dpi 300 --out column.png\n\
                  The job of a result is read from run.json or focus.json, in its folder or up to two folders above. For files that \
                  state no axes or positions, use huygens model plot or huygens gather plot with their flags.")]
pub(crate) struct Arguments {
    /// A result of a run, a model (or builtin:NAME) or a file of traces.
    file: PathBuf,
    /// The picture: .png, .svg or .pdf.
    #[arg(long, value_name = "PICTURE")]
    out: PathBuf,
    /// Which snapshot of several, counted from 1 [default: the last]
    #[arg(long, value_name = "NUMBER")]
    number: Option<usize>,
    /// The title, in place of the usual one.
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Clip values beyond this percentile.
    #[arg(
        long,
        visible_alias = "percentile",
        value_name = "PERCENT",
        allow_negative_numbers = true,
        value_parser = percentile
    )]
    clip: Option<f64>,
    /// Value at the ends of the colours of fields and gathers, so that pictures can be compared.
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true, conflicts_with = "clip")]
    largest: Option<f64>,
    /// Folder that relative paths in the run's job begin at [default: the working folder, the run's folder or the one above
    /// it, whichever holds the model]
    #[arg(long, value_name = "DIR")]
    job_folder: Option<PathBuf>,
    #[command(flatten)]
    figure: FigureArguments,
    #[command(flatten)]
    look: LookArguments,
    /// Overwrite the picture.
    #[arg(long)]
    force: bool,
}

fn percentile(text: &str) -> Result<f64, String> {
    let percent = text.parse().ok().filter(|of: &f64| *of > 0.0 && *of <= 100.0);
    percent.ok_or_else(|| "give a percentile above 0, to 100".into())
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { file, out, force, .. } = arguments;
    picture::may_write(out, *force)?;
    let is_array = matches!(Format::of(file), Ok(Format::Npy | Format::Rsf));
    let record = match is_array {
        true => RunRecord::beside(file, arguments.job_folder.as_deref())?,
        false => None,
    };
    let Some(mut record) = record else { return arguments.alone() };
    let figures = &mut record.file.job.output.figures;
    *figures = arguments.over(std::mem::take(figures));
    arguments.draw(&record)
}

impl Arguments {
    /// The settings of a job with those of the command line in their place.
    fn over(&self, job: Figures) -> Figures {
        let job = Figures {
            clip: self.clip.or(job.clip),
            largest: self.largest.or(job.largest.filter(|_| self.clip.is_none())),
            title: self.title.clone().or(job.title),
            ..job
        };
        self.look.over(job)
    }

    /// Draws a file that stands for itself.
    fn alone(&self) -> Result<(), Failure> {
        let (path, figures) = (self.file.as_path(), self.over(Figures::default()));
        let name = self.title.clone().unwrap_or_else(|| file_name(path));
        let is_traces = Format::of(path).is_ok_and(Format::is_traces);
        let overrides = Overrides::default();
        let records = match is_traces {
            true if depth::is_of_depth(path, None, overrides)? => {
                Some(vec![depth::read(path, None, overrides)?])
            }
            true => Some(of_records(path, read(path).map_err(Failure::input)?, false)?),
            false => match Format::of(path) {
                Ok(Format::Npz | Format::Hdf5) => {
                    read(path).ok().map(|gathers| of_records(path, gathers, false)).transpose()?
                }
                _ => None,
            },
        };
        if let Some(shown) = records {
            let drawn = Drawn { figures, title: name, wiggles: false };
            return drawn.save(shown, &self.figure, &self.out, self.force);
        }
        let model = input::model(path, &FileArguments::default())?;
        let _drawing = progress::doing("drawing");
        let is_volume = model.grid().is_volume();
        let least = if is_volume { ThreePlaneFigure::LEAST } else { ModelFigure::LEAST };
        let size = self.figure.over(&figures, least)?;
        let (quantity, marks) = (ModelQuantity::Velocity, Marks::default());
        let figure = model_figure(&model, quantity, name, None, marks).map_err(Failure::run)?;
        picture::save(&self.out, figure.as_ref(), size, self.force)
    }
}

fn read(path: &Path) -> Result<Vec<crate::io::segy::Gather>, String> {
    let read = gather_file::read(path, &Given::default());
    let read = read.map_err(|error| format!("{}: {error}", path.display()))?;
    for warning in &read.warnings {
        tracing::warn!("{}: {warning}", path.display());
    }
    Ok(read.gathers)
}
