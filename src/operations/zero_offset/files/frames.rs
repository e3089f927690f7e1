//! The snapshots and frames of an exploding-reflector run.

use crate::{
    acquisition::Recording,
    engine::SnapshotView,
    io::dir::FolderPath,
    job::{Inputs, JobFile},
    render::{Quantity, SnapshotFigure},
    results::{Caption, Colours, Cut, Film, Pictures, Results, ResultsError, Spooled},
};
use ndarray::{Array2, ArrayView2};

/// The snapshots and the frames of a run.
pub(crate) struct Frames<'a> {
    context: Context<'a>,
    reel: Spooled,
    /// Steps of the movie's frames, and of the job's snapshots, each ascending.
    frames: Vec<usize>,
    wanted: Vec<usize>,
    /// The plane shown of each snapshot, with its step.
    kept: Vec<(usize, Array2<f32>)>,
}

/// The direction of a field, and its model.
#[derive(Clone, Copy)]
struct Context<'a> {
    file: &'a JobFile,
    inputs: &'a Inputs,
    /// True for a section that runs backward, with steps counted from its end.
    back: bool,
}

impl<'a> Frames<'a> {
    /// Frames of a run of the inputs' Plan: backward from a section, or forward to make one. Frames
    /// are spooled to a folder.
    pub(crate) fn new(
        file: &'a JobFile,
        inputs: &'a Inputs,
        section: Option<&Recording>,
        folder: &FolderPath,
    ) -> Result<Self, ResultsError> {
        let time = &inputs.plan.time;
        let steps = |times: &[f64]| match section {
            Some(section) => time.steps_at(&section.back_at(times)),
            None => time.steps_at(times),
        };
        let duration = section.map_or(inputs.setup.time.duration, Recording::duration);
        let frames = steps(&file.frames(duration)?);
        file.check_frames(&frames, duration)?;
        let context = Context { file, inputs, back: section.is_some() };
        let wanted = steps(&file.job.output.snapshots);
        Ok(Frames { context, reel: Spooled::new(folder), frames, wanted, kept: Vec::new() })
    }

    /// Takes a snapshot.
    pub(crate) fn record(&mut self, snapshot: &SnapshotView<'_>) {
        let plane = self.context.cut().of(snapshot.field.view());
        if self.frames.binary_search(&snapshot.step).is_ok() {
            let values: Vec<f32> = plane.iter().copied().collect();
            self.reel.push(snapshot.step, &values);
        }
        if self.wanted.binary_search(&snapshot.step).is_ok() {
            self.kept.push((snapshot.step, plane.to_owned()));
        }
    }

    /// The pictures of the snapshots, each with its file name.
    pub(super) fn pictures(&self) -> Pictures<'_> {
        let mut pictures: Pictures<'_> = Vec::new();
        for (step, plane) in &self.kept {
            let figure = self.context.figure(*step, plane.view(), None);
            pictures.push((self.context.name(*step), Box::new(figure)));
        }
        pictures
    }

    /// Draws and writes the movie, if the job requests one.
    pub(crate) fn movie(self, results: &Results<'_>) -> Result<(), ResultsError> {
        let (context, n) = (self.context, self.context.inputs.plan.model_grid.n);
        let title = format!("{}, {}", context.file.medium_name(), context.what());
        let movie = context.file.job.output.movie;
        let film = Film { name: "movie".into(), title, movie, colours: Colours::Middle };
        self.reel.write_movie(results, &film, &|step, values, largest, size| {
            let plane = ArrayView2::from_shape((n.x, n.z), values).expect("a plane of the model");
            context.figure(step, plane, Some(largest)).draw(size)
        })
    }
}

impl<'a> Context<'a> {
    /// The plane shown of a field.
    fn cut(self) -> Cut {
        Cut::middle(&self.inputs.plan.model_grid)
    }

    fn what(self) -> &'static str {
        if self.back { "zero-offset section" } else { "forward from the reflectivity" }
    }

    /// The step of the section.
    fn step(self, step: usize) -> usize {
        if self.back { self.inputs.plan.time.steps - step } else { step }
    }

    fn name(self, step: usize) -> String {
        let back = if self.back { "back-" } else { "" };
        format!("snapshots/{back}t{:07}", self.step(step))
    }

    fn figure<'f>(
        self,
        step: usize,
        plane: ArrayView2<'f, f32>,
        largest: Option<f32>,
    ) -> SnapshotFigure<'f>
    where
        'a: 'f,
    {
        let back = if self.back { " back at" } else { "," };
        let at = self.inputs.plan.time.at(self.step(step));
        let title = format!("{}{back} t = {at:.3} s", self.what());
        // A section that is sent back has the unit of its recording.
        let quantity = if self.back { Quantity::AMPLITUDE } else { Quantity::REFLECTIVITY };
        let largest = largest.or_else(|| self.file.job.output.figures.largest());
        let caption = Caption {
            title,
            quantity,
            largest,
            marks: super::marks(self.inputs),
            ..Caption::default()
        };
        self.cut().map(plane, self.file, &self.inputs.model, caption)
    }
}
