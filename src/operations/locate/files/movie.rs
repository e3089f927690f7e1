//! The movie of backpropagated waves.

use super::Shown;
use crate::{
    engine::SnapshotView,
    grid::Axes,
    io::dir::FolderPath,
    job::JobFile,
    operations::locate::Back,
    plan::Plan,
    render::{Backdrop, FigureSize, ThreePlaneFigure},
    results::{Caption, Colours, Cut, Film, Results, ResultsError, Spooled, View},
};

/// The frames of a backward run through one model, and the snapshots drawn as pictures.
pub(crate) struct Movie<'a> {
    file: &'a JobFile,
    reel: Spooled,
    /// Times of the backward run, s: of its frames, and of the job's snapshots.
    times: [Vec<f64>; 2],
    /// The steps of both, ascending.
    frames: Vec<usize>,
    snapshots: Vec<usize>,
    /// Groups of receivers, whose fields are shown as a sum, and the partial sum of a step.
    groups: usize,
    sum: Vec<f32>,
    /// The planes shown; in a volume through the first slice that the job names along each axis,
    /// else the job's first source, else the centre: the frames are taken before a source is
    /// located.
    view: View,
}

impl<'a> Movie<'a> {
    /// A movie of frames at given times of the recording, spooled in a folder.
    pub(crate) fn new(
        file: &'a JobFile,
        back: &Back,
        plan: &Plan,
        times: &[f64],
        size: FigureSize,
        folder: &FolderPath,
    ) -> Result<Self, ResultsError> {
        let (grid, recording) = (&plan.model_grid, &back.recording);
        let view = match grid.is_volume() && !times.is_empty() {
            true => {
                let size = size.check(ThreePlaneFigure::LEAST);
                size.map_err(|error| ResultsError::Size(error.to_string()))?;
                let middle = |n: usize, h: f64| (n / 2) as f64 * h;
                let middle = || Axes {
                    z: middle(grid.n.z, grid.h.z),
                    x: middle(grid.n.x, grid.h.x),
                    y: middle(grid.n.y, grid.h.y),
                };
                let at = back.sources.first().copied().unwrap_or_else(middle);
                View::through(&file.slices(grid)?, at, grid)
            }
            false => View::Plane(Cut::middle(grid)),
        };
        let times = [times, &file.job.output.snapshots].map(|times| recording.back_at(times));
        let (reel, groups) = (Spooled::new(folder), plan.set_size());
        let (frames, snapshots, sum) = (Vec::new(), Vec::new(), Vec::new());
        let mut movie = Movie { file, reel, times, frames, snapshots, groups, sum, view };
        movie.is_of(plan);
        file.check_frames(&movie.frames, recording.duration())?;
        Ok(movie)
    }

    /// Sets the Plan of the fields to come.
    pub(crate) fn is_of(&mut self, plan: &Plan) {
        [self.frames, self.snapshots] =
            self.times.each_ref().map(|times| plan.time.steps_at(times));
    }

    /// Takes a snapshot if it is a frame, and returns true if it is a picture. Those of the groups
    /// are consecutive.
    pub(crate) fn hear(&mut self, snapshot: &SnapshotView<'_>) -> bool {
        if self.frames.binary_search(&snapshot.step).is_ok() {
            let values = self.view.values(snapshot.field.view());
            match snapshot.shot {
                0 => self.sum = values,
                _ => self.sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value),
            }
            if snapshot.shot + 1 == self.groups {
                self.reel.push(snapshot.step, &self.sum);
            }
        }
        self.snapshots.binary_search(&snapshot.step).is_ok()
    }

    /// Draws and writes the movie.
    pub(crate) fn write(
        self,
        shown: &Shown<'_>,
        results: &Results<'_>,
    ) -> Result<(), ResultsError> {
        let (title, movie) = (shown.movie_title(), self.file.job.output.movie);
        let film = Film { name: "movie".into(), title, movie, colours: Colours::Highest };
        let (view, backdrop) = (self.view, Backdrop::default());
        self.reel.write_movie(results, &film, &|step, values, largest, size| {
            let backdrop = backdrop.clone();
            let caption = Caption { largest: Some(largest), backdrop, ..shown.caption(step) };
            view.of_values(values, shown.model, caption)?.draw(size)
        })
    }
}
