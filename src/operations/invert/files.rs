//! The files of an inversion: the model after each iteration, the misfit, and both as pictures.

use super::Inverted;
use crate::{
    io::{
        folder::is_inside,
        journal::Piece,
        npy,
        png::{Animation, Frame},
    },
    job::ImageFormat,
    model::{ModelQuantity, VelocityModel},
    render::{
        Across, Curve, CurveFigure, Line, Marks, ModelFigure, PageFigure, Plane, Quantity,
        VelocityRange,
    },
    results::{Caption, Cut, MapFiles, Results, ResultsError, ValueLabel, written},
};
use ndarray::{Array2, ArrayView2, Axis, Ix2};
use rayon::prelude::*;

/// Frames a second.
const RATE: u16 = 4;
/// What the header of the last model as SEG-Y begins with.
const HEADING: &str = "INVERTED MODEL";
/// The name of the picture of the job's model.
const START: &str = "start";

/// The destination, and the model at the start.
pub(crate) struct Output<'a> {
    /// The folder.
    pub(crate) results: &'a Results<'a>,
    /// The job's model.
    pub(crate) start: &'a VelocityModel,
}

impl Output<'_> {
    /// Writes the model after an iteration, the `number`th over all bands, and the misfit so far; returns its file.
    pub(crate) fn iteration(
        &self,
        done: &Inverted,
        number: usize,
        model: &VelocityModel,
    ) -> Result<Piece, ResultsError> {
        let name = format!("models/{:02}-{:03}", done.band + 1, done.iterations());
        let velocity = model.velocity().to_owned();
        let piece = self.results.piece(number, &format!("{name}.npy"), written(&velocity))?;
        self.results.picture(&name, &mut self.figure(&name, middle(model), None))?;
        self.misfits(&done.misfits)?;
        Ok(piece)
    }

    /// Writes the last model in these formats, and draws all.
    pub(crate) fn last(
        &self,
        model: &VelocityModel,
        misfits: &[Vec<f64>],
        formats: &[ImageFormat],
    ) -> Result<(), ResultsError> {
        let (results, grid, placement) = (self.results, model.grid(), *self.start.placement());
        let maps = MapFiles { results, formats, grid, placement, heading: HEADING };
        let label = ValueLabel { label: "Velocity", unit: "m/s" };
        maps.write("model", label, "velocity, m/s", &model.velocity().to_owned())?;
        self.misfits(misfits)?;
        self.pictures(model)?;
        self.compared(model)
    }

    /// Draws the first model, the last, and what it changed.
    fn compared(&self, last: &VelocityModel) -> Result<(), ResultsError> {
        let [first, shown] = [self.start, last].map(middle);
        let change = &shown - &first;
        let all = || first.iter().chain(&shown).copied();
        let range = VelocityRange {
            slowest: all().fold(f32::INFINITY, f32::min),
            fastest: all().fold(0.0, f32::max),
        };
        let largest = change.iter().fold(0.0f32, |largest, v| largest.max(v.abs()));
        let cut = Cut::middle(self.start.grid());
        let model = |title: &str, velocity| {
            let title = title.to_owned();
            Box::new(ModelFigure { title, ..self.figure("", velocity, Some(range)) })
        };
        let caption = Caption {
            title: "result minus start".into(),
            quantity: Quantity::VELOCITY_DIFFERENCE,
            largest: (largest > 0.0).then_some(largest),
            ..Caption::default()
        };
        let size = self.start.grid().last();
        let page = PageFigure {
            title: format!("{}, before and after the inversion", self.results.file.medium_name()),
            panels: vec![
                model("start", first),
                model("result", shown),
                Box::new(cut.figure(change.view(), self.start, caption)),
            ],
            columns: 3,
            least: ModelFigure::LEAST,
            height: (0.8 * size.z / size.x + 0.5).clamp(0.6, 1.5),
        };
        self.results.page("compared", page)
    }

    fn title(&self, name: &str) -> String {
        let name = name.trim_start_matches("models/");
        let model = self.results.file.medium_name();
        match name {
            START => format!("{model}, before the inversion"),
            name => format!("{model}, inverted: {name}"),
        }
    }

    fn figure<'f>(
        &self,
        name: &str,
        velocity: ArrayView2<'f, f32>,
        range: Option<VelocityRange>,
    ) -> ModelFigure<'f> {
        let title = self.title(name);
        let (plane, grid) = (Plane::Xz, self.start.grid());
        let (extent, marks, dots) = (plane.extent(grid.last()), Marks::default(), Vec::new());
        let quantity = ModelQuantity::Velocity;
        ModelFigure { plane, quantity, velocity, range, extent, title, marks, dots }
    }

    /// Writes the misfit of each iteration as a list and as a picture, over that of the band's start.
    fn misfits(&self, misfits: &[Vec<f64>]) -> Result<(), ResultsError> {
        let lines = misfits.iter().enumerate().flat_map(|(band, of)| {
            of.iter().enumerate().map(move |(k, j)| format!("{},{k},{j:e}\n", band + 1))
        });
        let text: String =
            std::iter::once("band,iteration,misfit\n".to_owned()).chain(lines).collect();
        self.results.folder.replace("misfits.csv", text.as_bytes())?;
        let curves = misfits.iter().enumerate().filter(|(_, of)| of.len() > 1).map(|(band, of)| {
            let first = of[0].max(f64::MIN_POSITIVE);
            let points = of.iter().enumerate().map(|(k, j)| (k as f64, j / first)).collect();
            Curve { name: format!("band {}", band + 1), points, line: Line::Solid }
        });
        // As many as a chart has colours.
        let curves: Vec<_> = curves.take(8).collect();
        if curves.is_empty() {
            return Ok(());
        }
        let mut figure = CurveFigure {
            title: format!("{}, misfit", self.results.file.medium_name()),
            subtitle: "over that at the start of its band".into(),
            across: "Iteration".into(),
            up: "Misfit".into(),
            ticks: Across::Linear,
            log: false,
            curves,
            lines: Vec::new(),
        };
        self.results.replace("misfit", &mut figure)
    }

    /// Draws all models, the start too, in the colours of one range, and one after another. Pictures
    /// of iterations were drawn before that range was known, and are replaced.
    fn pictures(&self, last: &VelocityModel) -> Result<(), ResultsError> {
        if !self.results.draws() {
            return Ok(());
        }
        let folder = &self.results.folder;
        let names: Vec<String> = folder.files().into_iter().filter(|name| is_model(name)).collect();
        let mut models = vec![(START.to_owned(), middle(self.start).to_owned())];
        for name in &names {
            models.push((name.trim_end_matches(".npy").to_owned(), self.read(name)?));
        }
        models.push(("model".to_owned(), middle(last).to_owned()));
        let all = || models.iter().flat_map(|(_, model)| model.iter().copied());
        let (slowest, fastest) = (all().fold(f32::INFINITY, f32::min), all().fold(0.0, f32::max));
        let range = VelocityRange { slowest, fastest };
        let figure = |(name, model): &'_ (String, Array2<f32>)| {
            let mut figure = self.figure(name, model.view(), Some(range));
            self.results.drawn(name, &mut figure, self.results.size)
        };
        let drawn = models.par_iter().map(figure).collect::<Result<Vec<_>, _>>()?;
        for (name, bytes) in drawn.iter().flatten() {
            folder.replace(name, bytes)?;
        }
        // The last model is that of the last iteration.
        models.pop();
        if names.is_empty() { Ok(()) } else { self.animation(&models, range) }
    }

    /// The middle plane of a model of this run.
    fn read(&self, name: &str) -> Result<Array2<f32>, ResultsError> {
        let bytes = self.results.folder.staged().bytes(name).map_err(ResultsError::failed)?;
        let array = npy::parse::<f32>(name, &bytes).map_err(ResultsError::failed)?;
        let array = match array.ndim() {
            3 => array.index_axis(Axis(0), array.shape()[0] / 2).to_owned(),
            _ => array,
        };
        array.into_dimensionality::<Ix2>().map_err(ResultsError::failed)
    }

    fn animation(
        &self,
        models: &[(String, Array2<f32>)],
        range: VelocityRange,
    ) -> Result<(), ResultsError> {
        let size = self.results.size.halved();
        let drawn = |(name, model): &(String, Array2<f32>)| {
            self.figure(name, model.view(), Some(range)).draw(size)
        };
        let frames: Result<Vec<_>, _> = models.par_iter().map(drawn).collect();
        let frames = frames.map_err(ResultsError::failed)?;
        let about = self.results.about(&self.title("model by model"), size);
        let (mut bytes, shape, count) = (Vec::new(), frames[0].size(), frames.len() as u32);
        let mut animation = Animation::new(&mut bytes, shape.into(), count, RATE, &about);
        let frames: Vec<_> = frames.par_iter().map(Frame::new).collect();
        frames.iter().for_each(|frame| animation.push(frame));
        animation.finish();
        Ok(self.results.folder.write("inversion.apng", &bytes)?)
    }
}

/// The middle plane y = const.
fn middle(model: &VelocityModel) -> ArrayView2<'_, f32> {
    let velocity = model.velocity();
    let plane = velocity.len_of(Axis(0)) / 2;
    velocity.index_axis_move(Axis(0), plane)
}

/// Whether a file of the folder is the model of an iteration.
fn is_model(name: &str) -> bool {
    is_inside(name) && name.starts_with("models/") && name.ends_with(".npy")
}
