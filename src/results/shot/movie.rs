//! The movies of the shots of a run.

use super::{figures, prefix};
use crate::results::{
    Results, ResultsError,
    movie::{Colours, Film, Reel, joined, parted},
};
use crate::{
    engine::SnapshotView,
    job::{Inputs, JobFile},
    render::{FigureSize, Planes, RenderError},
};
use image::RgbImage;
use ndarray::{ArrayView2, Axis};
use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Mutex, PoisonError},
};

/// The frames of the shots that are under way.
pub struct Reels<'a> {
    file: &'a JobFile,
    inputs: &'a Inputs,
    /// Where frames wait.
    folder: &'a Path,
    shots: Mutex<BTreeMap<usize, Reel>>,
}

impl<'a> Reels<'a> {
    /// Of a job's shots; their frames wait in a folder.
    pub fn new(file: &'a JobFile, inputs: &'a Inputs, folder: &'a Path) -> Self {
        Reels { file, inputs, folder, shots: Mutex::default() }
    }

    /// Takes what the pictures of a snapshot show of it, if it is a frame.
    pub fn hear(&self, shot: usize, snapshot: &SnapshotView<'_>) {
        let drawn = self.file.job.output.draws(shot, self.inputs.plan.shots.len());
        if drawn && self.inputs.frames.binary_search(&snapshot.step).is_ok() {
            let values = self.shown(shot, snapshot);
            let mut shots = self.shots.lock().unwrap_or_else(PoisonError::into_inner);
            let reel = shots.entry(shot).or_insert_with(|| Reel::new(self.folder));
            reel.push(snapshot.step, &values);
        }
    }

    /// The plane of a 2-D model, or three planes through a volume.
    fn shown(&self, shot: usize, snapshot: &SnapshotView<'_>) -> Vec<f32> {
        let field = snapshot.field.view();
        if !self.inputs.plan.grid.is_volume() {
            return field.index_axis(Axis(0), 0).iter().copied().collect();
        }
        let planes = Planes::of(field, figures::through(self.inputs, shot));
        joined(&planes.expect("a Plan has its sources, and a job its slices, in the model"))
    }

    /// Draws and writes the movie of a shot, of the frames up to a step where its field blew up.
    pub fn write(
        &self,
        results: &Results<'_>,
        (shot, until): (usize, Option<usize>),
    ) -> Result<(), ResultsError> {
        let reel = self.shots.lock().unwrap_or_else(PoisonError::into_inner).remove(&shot);
        let Some(mut reel) = reel else { return Ok(()) };
        until.into_iter().for_each(|until| reel.end_at(until));
        let until = until.map_or_else(String::new, |step| format!("-until-step{step}"));
        let film = Film {
            name: format!("{}movie{until}", prefix(&self.inputs.plan, shot)),
            title: figures::movie_title(self.file, self.inputs, shot),
            movie: self.file.job.output.movie,
            colours: Colours::Middle,
        };
        reel.write(results, &film, &|step, values, largest, size| {
            self.draw((shot, step), values, largest, size)
        })
    }

    /// A frame.
    fn draw(
        &self,
        (shot, step): (usize, usize),
        values: &[f32],
        largest: f32,
        size: FigureSize,
    ) -> Result<RgbImage, RenderError> {
        let (file, inputs) = (self.file, self.inputs);
        let (n, largest) = (inputs.plan.model_grid.n, Some(largest));
        if inputs.plan.grid.is_volume() {
            let planes = parted(values, n);
            return figures::three_planes(file, inputs, shot, step, planes, largest)?.draw(size);
        }
        let plane = ArrayView2::from_shape((n.x, n.z), values).expect("a plane of the model");
        figures::section(file, inputs, shot, step, plane, largest).draw(size)
    }
}
