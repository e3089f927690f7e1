//! What is seen of the field on its way.

use super::figures;
use crate::cli::{
    failure::Failure,
    movie::{Colours, Film, Reel},
};
use huygens::{
    engine::SnapshotView,
    io::folder::OutputFolder,
    job::{Inputs, JobFile},
    render::{FigureSize, SnapshotFigure},
    workflow::recording::Recording,
};
use ndarray::{Array2, ArrayView2};
use std::{
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

/// The snapshots and the frames of a run.
pub struct Seen<'a> {
    way: Way<'a>,
    reel: Reel,
    /// Steps of the movie's frames, and of the snapshots that the job asks for, each ascending.
    frames: Vec<usize>,
    wanted: Vec<usize>,
    /// What is shown of each snapshot, with its step.
    kept: Vec<(usize, Array2<f32>)>,
}

/// Which way a field goes, and through what.
#[derive(Clone, Copy)]
struct Way<'a> {
    file: &'a JobFile,
    inputs: &'a Inputs,
    /// Whether it is a section that goes back, whose steps count from its end.
    back: bool,
}

impl<'a> Seen<'a> {
    /// Of a run whose Plan the inputs have, of a section that goes back or of one that is made. Frames wait in a folder.
    pub fn new(
        file: &'a JobFile,
        inputs: &'a Inputs,
        section: Option<&Recording>,
        folder: &Path,
    ) -> Result<Self, Failure> {
        let time = &inputs.plan.time;
        let steps = |times: &[f64]| match section {
            Some(section) => time.steps_at(&section.back_at(times)),
            None => time.steps_at(times),
        };
        let duration = section.map_or(file.job.time.duration, Recording::duration);
        let frames = steps(&file.frames(duration)?);
        file.check_frames(&frames, duration)?;
        let way = Way { file, inputs, back: section.is_some() };
        let wanted = steps(&file.job.output.snapshots);
        Ok(Seen { way, reel: Reel::new(folder), frames, wanted, kept: Vec::new() })
    }

    /// Takes what is shown of a snapshot.
    pub fn hear(&mut self, snapshot: &SnapshotView<'_>) {
        let grid = &self.way.inputs.plan.model_grid;
        let plane = figures::shown(grid, snapshot.field.view());
        if self.frames.binary_search(&snapshot.step).is_ok() {
            let values: Vec<f32> = plane.iter().copied().collect();
            self.reel.push(snapshot.step, &values);
        }
        if self.wanted.binary_search(&snapshot.step).is_ok() {
            self.kept.push((snapshot.step, plane.to_owned()));
        }
    }

    /// The pictures of the snapshots, each with the name of its file.
    pub fn pictures(&self) -> Vec<(String, SnapshotFigure<'_>)> {
        let way = self.way;
        let all = self.kept.iter().map(|(step, plane)| (*step, plane.view()));
        all.map(|(step, plane)| (way.name(step), way.figure(step, plane, None))).collect()
    }

    /// Draws and writes the movie, if the job asks for one.
    pub fn movie(
        self,
        folder: &OutputFolder,
        size: FigureSize,
        stop: &Arc<AtomicBool>,
    ) -> Result<(), Failure> {
        let (way, n) = (self.way, self.way.inputs.plan.model_grid.n);
        let title = format!("{}, {}", way.file.model_name(), way.what());
        let (name, colours) = ("movie".into(), Colours::Middle);
        let (file, movie) = (way.file, way.file.job.output.movie);
        let film = Film { name, title, file, movie, size, colours, stop };
        self.reel.write(folder, &film, &|step, values, largest, size| {
            let plane = ArrayView2::from_shape((n.x, n.z), values).expect("a plane of the model");
            way.figure(step, plane, Some(largest)).draw(size)
        })
    }
}

impl<'a> Way<'a> {
    fn what(self) -> &'static str {
        if self.back { "zero-offset section" } else { "forward from the reflectivity" }
    }

    /// The step of the section.
    fn step(self, step: usize) -> usize {
        if self.back { self.inputs.plan.time.steps - step } else { step }
    }

    fn name(self, step: usize) -> String {
        let back = if self.back { "back-" } else { "" };
        format!("snapshots/{back}t{:07}.png", self.step(step))
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
        let what = format!("{}{back} t = {at:.3} s", self.what());
        figures::map(self.file, self.inputs, plane, largest, &what)
    }
}
