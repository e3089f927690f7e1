//! The pictures of a run's results.

use super::{
    panels::{self, Panels},
    record::RunRecord,
};
use crate::{
    cli::{
        failure::Failure,
        terminal::{progress, shell::file_name},
    },
    grid::{Axes, Position},
    io::{model_file::Format, npy, rsf},
    job::Inputs,
    model::{ModelQuantity, VelocityModel},
    ndarray::{Array3, ArrayD, Axis, Ix2, Ix3},
    operations::{
        locate::{
            Ellipse,
            files::{Focus, focus_figure, scaled},
        },
        rtm::files::clip,
        shot::{
            ShotResult,
            files::{gather_figure, snapshot_figure},
        },
        zero_offset::files::section_figure,
    },
    plan::Condition,
    render::{
        Figure, FocusFigure, GatherFigure, LeastSize, Marks, ModelFigure, PageFigure, Quantity,
        RenderError, ThreePlaneFigure, model_figure,
    },
    results::{Caption, Cut},
    run::counted,
};
use serde_json::Value;
use std::path::Path;

/// What is drawn, and how it is chosen.
pub(super) struct Wanted<'a> {
    pub(super) path: &'a Path,
    /// Number of a snapshot, from 1.
    pub(super) number: Option<usize>,
    pub(super) percentile: Option<f64>,
    /// Value at the ends of the colours.
    pub(super) largest: Option<f32>,
    pub(super) title: Option<&'a str>,
}

/// Takes a figure and its least size.
type Save<'s> = dyn FnOnce(&dyn Figure, LeastSize) -> Result<(), Failure> + 's;

impl RunRecord {
    /// Draws a result as its run does.
    pub(super) fn draw(
        &self,
        wanted: &Wanted<'_>,
        save: impl FnOnce(&dyn Figure, LeastSize) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let reading = progress::doing(format!("reading {}", wanted.path.display()));
        let values = read(wanted.path)?;
        let model = self.file.model(&mut Vec::new())?;
        drop(reading);
        let _drawing = progress::doing("drawing");
        let stem = wanted.path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let save: Box<Save<'_>> = Box::new(save);
        let drawn = RunResult { record: self, wanted, model: &model };
        match stem {
            "focus" => drawn.focus(values, save),
            "section" => drawn.section(values, save),
            _ if stem.starts_with("gather") => drawn.gather(values, save),
            _ if stem.starts_with("snapshots") || is_of_snapshots(wanted.path) => {
                drawn.snapshot(values, save)
            }
            _ if stem.starts_with("offsets") || stem.starts_with("angles") => {
                drawn.panels(stem, values, save)
            }
            _ => drawn.map(stem, values, save),
        }
    }
}

/// The values of a .npy or .rsf.
fn read(path: &Path) -> Result<ArrayD<f32>, Failure> {
    match Format::of(path) {
        Ok(Format::Rsf) => Ok(rsf::read(path).map_err(Failure::input)?.values),
        _ => npy::read(path).map_err(Failure::input),
    }
}

/// True for a snapshot of a volume, in a folder of them.
fn is_of_snapshots(path: &Path) -> bool {
    path.parent().and_then(Path::file_name).is_some_and(|name| name == "snapshots")
}

/// The number of a shot, from 0: that of the folder of its files.
fn shot_of(path: &Path) -> usize {
    let mut names = path.ancestors().filter_map(|folder| folder.file_name()?.to_str());
    let number = names.find_map(|name| name.strip_prefix("shot")?.parse::<usize>().ok());
    number.map_or(0, |number| number.saturating_sub(1))
}

/// A result, its run and its model.
struct RunResult<'a> {
    record: &'a RunRecord,
    wanted: &'a Wanted<'a>,
    model: &'a VelocityModel,
}

impl RunResult<'_> {
    fn is_volume(&self) -> bool {
        self.model.grid().is_volume()
    }

    fn title(&self, usual: &str) -> String {
        self.wanted.title.unwrap_or(usual).to_owned()
    }

    /// Returns an error for an array of another shape than the job gives it.
    fn unlike(&self, shape: &[usize]) -> Failure {
        let n = self.model.grid().n;
        let nodes = match self.is_volume() {
            true => format!("{} x {} x {} nodes along y, x and z", n.y, n.x, n.z),
            false => format!("{} x {} nodes along x and z", n.x, n.z),
        };
        Failure::input(format!(
            "{} has the shape {shape:?}, and the model of its run {nodes}; move the file beside the record of its own run, or draw it \
             with huygens model plot",
            self.wanted.path.display()
        ))
    }

    /// The inputs of the job, whose shots are placed.
    fn inputs(&self) -> Result<(Inputs, usize), Failure> {
        let inputs = self.record.file.inputs()?;
        let shot = shot_of(self.wanted.path).min(inputs.plan.shots.len().saturating_sub(1));
        Ok((inputs, shot))
    }

    /// A field of the model as `[y][x][z]`.
    fn field(&self, values: ArrayD<f32>) -> Result<Array3<f32>, Failure> {
        let shape = values.shape().to_vec();
        let whole = if self.is_volume() { values } else { values.insert_axis(Axis(0)) };
        match whole.into_dimensionality::<Ix3>() {
            Ok(field) if field.dim() == self.model.grid().shape() => Ok(field),
            _ => Err(self.unlike(&shape)),
        }
    }

    fn least(&self, plane: LeastSize) -> LeastSize {
        if self.is_volume() { ThreePlaneFigure::LEAST } else { plane }
    }

    fn saved<'f>(
        &self,
        figure: Result<Box<dyn Figure + 'f>, RenderError>,
        least: LeastSize,
        save: Box<Save<'_>>,
    ) -> Result<(), Failure> {
        let mut figure = figure.map_err(|error| Failure::input(error.to_string()))?;
        if let Some(title) = self.wanted.title {
            figure.retitle(title.to_owned());
        }
        save(figure.as_ref(), least)
    }

    fn gather(&self, values: ArrayD<f32>, save: Box<Save<'_>>) -> Result<(), Failure> {
        let (inputs, shot) = self.inputs()?;
        let receivers = inputs.plan.shots[shot].asked.receivers.len();
        let shape = values.shape().to_vec();
        let gather = values.into_dimensionality::<Ix2>().ok();
        let gather =
            gather.filter(|of| of.nrows() == receivers).ok_or_else(|| self.unlike(&shape))?;
        let result = ShotResult { shot, gather, snapshots: Vec::new(), until: None };
        let figure = gather_figure(&self.record.file, &inputs, &result);
        let title = self.title(&figure.title);
        let largest = self.wanted.largest;
        save(&GatherFigure { title, largest, ..figure }, GatherFigure::LEAST)
    }

    fn section(&self, values: ArrayD<f32>, save: Box<Save<'_>>) -> Result<(), Failure> {
        let (inputs, _) = self.inputs()?;
        let shape = values.shape().to_vec();
        let section = values.into_dimensionality::<Ix2>().map_err(|_| self.unlike(&shape))?;
        let interval = inputs.plan.time.interval();
        let figure = section_figure(&self.record.file, &inputs, &section, interval);
        let title = self.title(&figure.title);
        save(&GatherFigure { title, ..figure }, GatherFigure::LEAST)
    }

    fn snapshot(&self, mut values: ArrayD<f32>, save: Box<Save<'_>>) -> Result<(), Failure> {
        let (inputs, shot) = self.inputs()?;
        let stem = self.wanted.path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let step = match stem.strip_prefix('t').and_then(|step| step.parse().ok()) {
            Some(step) => step,
            None => {
                let count = values.shape().first().copied().unwrap_or(0);
                let number = self.wanted.number.unwrap_or(count);
                if number == 0 || number > count {
                    let name = file_name(self.wanted.path);
                    let message = format!(
                        "{name} has {}; give --number from 1 to {count}, not {number}",
                        counted(count, "snapshot")
                    );
                    return Err(Failure::input(message));
                }
                values.index_axis_inplace(Axis(0), number - 1);
                inputs.snapshots.get(number - 1).copied().unwrap_or_default()
            }
        };
        let field = self.field(values)?;
        let mut file = self.record.file.clone();
        if let Some(percent) = self.wanted.percentile {
            file.job.output.figures.largest = Some(percentile(field.iter(), percent));
        }
        let figure = snapshot_figure(&file, &inputs, shot, step, field.view());
        let least = self.least(ModelFigure::LEAST);
        self.saved(figure, least, save)
    }

    fn focus(&self, values: ArrayD<f32>, save: Box<Save<'_>>) -> Result<(), Failure> {
        let shape = values.shape().to_vec();
        let is_plane = values.ndim() == 2;
        let field = match is_plane {
            true => self.field(values)?,
            false => values.into_dimensionality::<Ix3>().map_err(|_| self.unlike(&shape))?,
        };
        if field.dim() != self.model.grid().shape() {
            return Err(self.unlike(&shape));
        }
        let json = &self.record.json;
        let found = json["found"].as_array().map_or(&[][..], Vec::as_slice);
        let focus = |found: &Value| {
            let extent = &found["extent"];
            let number = |name: &str| extent[name].as_f64().unwrap_or(0.0);
            let (zx, zy, xy) = (number("zx"), number("zy"), number("xy"));
            let at = position(&found["at"]);
            Focus { at, extent: Ellipse { half: position(&extent["half"]), zx, zy, xy } }
        };
        let foci: Vec<_> = found.iter().map(focus).collect();
        let highest = found.first().and_then(|found| found["value"].as_f64());
        let map = scaled(&field, highest.map(|value| value as f32));
        let energy = self
            .record
            .file
            .job
            .locate
            .as_ref()
            .is_some_and(|_| json["focus"].to_string().contains("energy"));
        let condition =
            if energy { Condition::Energy { quarter: 1 } } else { Condition::Amplitude };
        let marks = Marks { found: foci.iter().map(|of| of.at).collect(), ..Marks::default() };
        let name = self.record.file.medium_name();
        let figure = focus_figure(&name, self.model, map.view(), condition, &foci, marks);
        let least = self.least(FocusFigure::LEAST);
        self.saved(figure, least, save)
    }

    /// Offset or angle gathers as panels.
    fn panels(&self, stem: &str, values: ArrayD<f32>, save: Box<Save<'_>>) -> Result<(), Failure> {
        let shape = values.shape().to_vec();
        let gathers = values.into_dimensionality::<Ix3>().map_err(|_| self.unlike(&shape))?;
        let (_, nx, nz) = gathers.dim();
        let grid = self.model.grid();
        if (nx, nz) != (grid.n.x, grid.n.z) {
            return Err(self.unlike(&shape));
        }
        let Some(rtm) = &self.record.file.job.rtm else { return Err(self.unlike(&shape)) };
        let offsets = rtm.offsets.as_ref();
        let (axis, across) = panels::axis(stem, gathers.dim().0, grid.h, rtm);
        let usual = format!("{}, {stem}", self.record.file.medium_name());
        let figures = &self.record.file.job.output.figures;
        let panels = Panels {
            gathers: gathers.view(),
            axis,
            across,
            drawn: offsets.map_or(&[], |offsets| offsets.drawn.as_slice()),
            h: grid.h,
            title: self.title(&usual),
            largest: figures.largest(),
            percentile: self.wanted.percentile,
        };
        let page = panels.page();
        let least = PageFigure::least(page.panels.len(), page.columns, page.least);
        save(&page, least)
    }

    /// A field over the model, or a model.
    fn map(&self, stem: &str, values: ArrayD<f32>, save: Box<Save<'_>>) -> Result<(), Failure> {
        let field = self.field(values)?;
        let (file, grid) = (&self.record.file, self.model.grid());
        let is_model = self.record.command == "invert" && !stem.starts_with("gradient");
        if is_model {
            let model = VelocityModel::volume(field, grid.h).map_err(Failure::input)?;
            let title = self.title(&format!("{}, {stem}", file.medium_name()));
            let (quantity, marks) = (ModelQuantity::Velocity, Marks::default());
            let figure = model_figure(&model, quantity, title, None, marks);
            return self.saved(figure, self.least(ModelFigure::LEAST), save);
        }
        let quantity = match stem {
            "reflectivity" => Quantity::REFLECTIVITY,
            _ if stem.starts_with("gradient") => Quantity::GRADIENT,
            _ => Quantity::IMAGE,
        };
        let cut = Cut::middle(grid);
        let shown = cut.of(field.view());
        let largest = match (file.job.output.figures.largest(), self.wanted.percentile) {
            (Some(largest), _) => Some(largest),
            (None, Some(percent)) => Some(percentile(shown.iter(), percent) as f32),
            (None, None) => clip(shown),
        };
        let caption =
            Caption { title: stem.to_owned(), quantity, largest, marks: Marks::default() };
        let mut figure = cut.map(shown, file, self.model, caption);
        figure.title = self.title(&figure.title);
        save(&figure, ModelFigure::LEAST)
    }
}

/// The percentile of the sizes above 0, or 1 without any.
pub(super) fn percentile<'v>(values: impl Iterator<Item = &'v f32>, percent: f64) -> f64 {
    let mut sizes: Vec<f32> = values.map(|value| value.abs()).filter(|size| *size > 0.0).collect();
    let Some(last) = sizes.len().checked_sub(1) else { return 1.0 };
    let at = ((sizes.len() as f64 * percent / 100.0) as usize).min(last);
    f64::from(*sizes.select_nth_unstable_by(at, f32::total_cmp).1)
}

fn position(json: &Value) -> Position {
    let of = |axis: &str| json[axis].as_f64().unwrap_or(0.0);
    Axes { z: of("z"), x: of("x"), y: of("y") }
}
