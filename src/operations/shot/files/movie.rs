//! The movies of the shots of a run.

use super::{figures, prefix};
use crate::{
    engine::SnapshotView,
    io::dir::FolderPath,
    job::{Inputs, JobFile},
    render::Backdrop,
    results::{Caption, Colours, Film, Results, ResultsError, Spooled},
};
use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

/// The frames of the shots in progress.
pub(crate) struct Reels<'a> {
    file: &'a JobFile,
    inputs: &'a Inputs,
    /// The spool folder.
    folder: &'a FolderPath,
    shots: Mutex<BTreeMap<usize, Spooled>>,
}

impl<'a> Reels<'a> {
    /// Reels for a job's shots, spooled to a folder.
    pub(crate) fn new(file: &'a JobFile, inputs: &'a Inputs, folder: &'a FolderPath) -> Self {
        Reels { file, inputs, folder, shots: Mutex::default() }
    }

    /// Takes a snapshot if it is a frame.
    pub(crate) fn hear(&self, shot: usize, snapshot: &SnapshotView<'_>) {
        let drawn = self.file.job.output.draws(shot, self.inputs.plan.shots.len());
        if drawn && self.inputs.frames.binary_search(&snapshot.step).is_ok() {
            let values = figures::view(self.inputs, shot).values(snapshot.field.view());
            let mut shots = self.shots.lock().unwrap_or_else(PoisonError::into_inner);
            let reel = shots.entry(shot).or_insert_with(|| Spooled::new(self.folder));
            reel.push(snapshot.step, &values);
        }
    }

    /// Draws and writes the movie of a shot, with the frames up to the step at which its field blew
    /// up.
    pub(crate) fn write(
        &self,
        results: &Results<'_>,
        shot: usize,
        until: Option<usize>,
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
        let (view, backdrop) = (figures::view(self.inputs, shot), Backdrop::default());
        reel.write_movie(results, &film, &|step, values, largest, size| {
            let caption = figures::caption(self.file, &self.inputs.plan, shot, step);
            let caption = Caption { largest: Some(largest), backdrop: backdrop.clone(), ..caption };
            view.of_values(values, &self.inputs.model, caption)?.draw(size)
        })
    }
}
