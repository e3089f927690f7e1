//! The image as it is stacked, shot by shot.

use super::Output;
use crate::results::{Colours, Film, ResultsError, Spooled};
use crate::{io::dir::FolderPath, job::ImageMovie, operations::rtm::Stack, single::Single};
use ndarray::ArrayView2;

/// The frames of the movie that a job requests.
pub(crate) struct Movie {
    reel: Spooled,
    /// Shots per frame.
    every: usize,
    all: usize,
    /// The unit of all frames, that of the first.
    unit: Option<f64>,
}

impl Movie {
    /// A movie of `all` shots, with frames spooled to a folder.
    pub(crate) fn new(output: &Output<'_>, folder: &FolderPath, all: usize) -> Option<Self> {
        let wanted =
            output.migrated.rtm.movie.filter(|_| output.results.file.job.output.draws(0, 1))?;
        let (every, unit) = (wanted.every.max(1), None);
        Some(Movie { reel: Spooled::new(folder), every, all, unit })
    }

    /// Takes the image stacked so far, by the first condition.
    pub(crate) fn hear(&mut self, output: &Output<'_>, stack: &Stack) {
        let shots = stack.shots();
        if !(shots.is_multiple_of(self.every) || shots == self.all) {
            return;
        }
        if let Some(stacked) = stack.images(&output.scale) {
            let image = output.migrated.image(&stacked, output.migrated.rtm.conditions[0]);
            let unit = *self.unit.get_or_insert_with(|| Single::of(&image).unit);
            let image = image.mapv(|value| (value / unit) as f32);
            let shown: Vec<f32> = output.shown(&image).iter().copied().collect();
            self.reel.push(shots, &shown);
        }
    }

    /// Draws and writes the movie; all frames have the colour range of the last.
    pub(crate) fn write(self, output: &Output<'_>) -> Result<(), ResultsError> {
        let (n, of) = (output.migrated.plan.survey_grid().n, self.all);
        if self.reel.steps().len() < 2 {
            tracing::warn!(
                "rtm.movie takes two frames or more, and this run has {}; it is left out",
                self.reel.steps().len()
            );
            return Ok(());
        }
        let film = Film {
            name: "movie".into(),
            title: format!("{}, the image shot by shot", output.results.file.medium_name()),
            movie: output.migrated.rtm.movie.map(ImageMovie::as_movie),
            colours: Colours::Last,
        };
        self.reel.write_movie(output.results, &film, &|shots, values, largest, size| {
            let shown = ArrayView2::from_shape((n.x, n.z), values).expect("a plane of the model");
            let what = format!("image of {shots} of {of} shots");
            output.figure(&what, shown, output.middle(), Some(largest)).draw(size)
        })
    }
}
