//! The movie of waves on their way back.

use super::figures::Shown;
use crate::results::{
    Results, ResultsError,
    movie::{Colours, Film, Reel, joined},
};
use crate::{
    engine::SnapshotView,
    grid::{Axes, Grid},
    job::{Back, JobFile},
    plan::Plan,
    render::{FigureSize, Planes, ThreePlaneFigure},
};
use ndarray::Axis;
use std::path::Path;

/// The frames of a run back through one model, and which snapshots are pictures.
pub struct Movie<'a> {
    file: &'a JobFile,
    reel: Reel,
    /// Times of a run back, s: of its frames, and of the snapshots that the job asks for.
    times: [Vec<f64>; 2],
    /// The steps of both, ascending.
    frames: Vec<usize>,
    snapshots: Vec<usize>,
    /// Groups of receivers, whose fields are shown added up, and the sum of a step as far as it is known.
    groups: usize,
    sum: Vec<f32>,
    /// Where a model is a volume, the node that its three planes go through.
    at: Option<Axes<usize>>,
}

impl<'a> Movie<'a> {
    /// Of frames at some times of the recording; they wait in a folder.
    pub fn new(
        file: &'a JobFile,
        back: &Back,
        plan: &Plan,
        times: &[f64],
        (size, folder): (FigureSize, &Path),
    ) -> Result<Self, ResultsError> {
        let (grid, recording) = (&plan.model_grid, &back.recording);
        let mut at = None;
        if grid.is_volume() && !times.is_empty() {
            size.check(ThreePlaneFigure::LEAST)
                .map_err(|error| ResultsError::Size(error.to_string()))?;
            at = Some(through(file, back, grid)?);
        }
        let times = [times, &file.job.output.snapshots].map(|times| recording.back_at(times));
        let (reel, groups) = (Reel::new(folder), plan.together());
        let (frames, snapshots, sum) = (Vec::new(), Vec::new(), Vec::new());
        let mut movie = Movie { file, reel, times, frames, snapshots, groups, sum, at };
        movie.is_of(plan);
        file.check_frames(&movie.frames, recording.duration())?;
        Ok(movie)
    }

    /// Whose fields are to come.
    pub fn is_of(&mut self, plan: &Plan) {
        [self.frames, self.snapshots] =
            self.times.each_ref().map(|times| plan.time.steps_at(times));
    }

    /// Takes what is shown of a snapshot, if it is a frame, and says whether it is a picture. Those of the groups follow
    /// each other.
    pub fn hear(&mut self, snapshot: &SnapshotView<'_>) -> bool {
        if self.frames.binary_search(&snapshot.step).is_ok() {
            let values = self.shown(snapshot);
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

    /// The plane of a 2-D model, or three planes through a volume.
    fn shown(&self, snapshot: &SnapshotView<'_>) -> Vec<f32> {
        let field = snapshot.field.view();
        match self.at {
            None => field.index_axis(Axis(0), 0).iter().copied().collect(),
            Some(at) => joined(&Planes::of(field, at).expect("a node of the model")),
        }
    }

    /// Draws and writes it.
    pub fn write(self, shown: &Shown<'_>, results: &Results<'_>) -> Result<(), ResultsError> {
        let (name, title) = ("movie".into(), shown.movie_title());
        let colours = Colours::Highest;
        let movie = self.file.job.output.movie;
        let film = Film { name, title, movie, colours };
        let at = self.at;
        self.reel.write(results, &film, &|step, values, largest, size| {
            shown.frame(step, values, at, largest)?.draw(size)
        })
    }
}

/// The node that the three planes of a volume go through: the first slice that the job names along each axis, else the
/// job's first source, else the middle. What is found is known only when the frames are.
fn through(file: &JobFile, back: &Back, grid: &Grid) -> Result<Axes<usize>, ResultsError> {
    let (slices, source) = (file.slices(grid)?, back.sources.first());
    let node = |slices: &[usize], source: Option<f64>, h: f64, n: usize| {
        let source = source.map(|at| ((at / h).round() as usize).min(n - 1));
        slices.first().copied().or(source).unwrap_or(n / 2)
    };
    let (h, n) = (grid.h, grid.n);
    Ok(Axes {
        z: node(&slices.z, source.map(|at| at.z), h.z, n.z),
        x: node(&slices.x, source.map(|at| at.x), h.x, n.x),
        y: node(&slices.y, source.map(|at| at.y), h.y, n.y),
    })
}
