//! The frames of one movie.

use super::{Results, ResultsError};
use crate::{
    io::{gif, png, spool::Spool},
    job::{Movie, MovieFormat},
    render::{FigureSize, RenderError, wave_scale},
};
use image::RgbImage;
use ndarray::{ArrayView1, Axis};
use rayon::prelude::*;
use std::{
    io,
    path::{Path, PathBuf},
};

/// Frames that are drawn side by side, two a core and at least so many, and so are in memory.
const AT_ONCE: usize = 8;

/// The frames of a movie, in the order in which they are shown.
pub struct Reel {
    /// Where frames wait.
    folder: PathBuf,
    /// There once the first frame is, whose length all have.
    spool: Option<io::Result<Spool>>,
    /// The step of each frame.
    frames: Vec<usize>,
}

/// What becomes of a reel.
pub struct Film {
    /// Of the file, without its ending.
    pub name: String,
    pub title: String,
    /// How it is shown; none where no movie is asked for.
    pub movie: Option<Movie>,
    pub colours: Colours,
}

/// Where the colours of all frames end.
#[derive(Clone, Copy)]
pub enum Colours {
    /// Half of the frames that are not silent would by themselves end lower: for waves that leave a source, whose first
    /// moments would pale all the others.
    Middle,
    /// None would by itself end higher: for waves that close in on one.
    Highest,
    /// The last frame by itself ends there: for what builds up.
    Last,
}

/// Draws what was taken at a step, with colours that end at a value, in a size.
pub type Draw<'a> =
    dyn Fn(usize, &[f32], f32, FigureSize) -> Result<RgbImage, RenderError> + Sync + 'a;

impl Reel {
    /// Without frames; those that come wait on the disk of a folder.
    pub fn new(folder: &Path) -> Self {
        Reel { folder: folder.to_owned(), spool: None, frames: Vec::new() }
    }

    /// Takes what is shown of the field at a step. What goes wrong is told with the movie.
    pub fn push(&mut self, step: usize, values: &[f32]) {
        let spool = self.spool.get_or_insert_with(|| Spool::new(&self.folder, values.len()));
        let Ok(taken) = spool else { return };
        match taken.push(values) {
            Ok(()) => self.frames.push(step),
            Err(error) => *spool = Err(error),
        }
    }

    /// Frames that it has.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Leaves out what comes after a step.
    pub fn end_at(&mut self, step: usize) {
        self.frames.retain(|frame| *frame <= step);
    }

    /// Draws and writes the movie, if it moves; its frames share where their colours end, and have half as many pixels each way
    /// as pictures.
    pub fn write(
        self,
        results: &Results<'_>,
        film: &Film,
        draw: &Draw<'_>,
    ) -> Result<(), ResultsError> {
        let (Some(spool), Some(movie)) = (self.spool, film.movie) else {
            return Ok(());
        };
        let waiting = |source| {
            let folder = self.folder.display().to_string();
            ResultsError::Frames { folder, source }
        };
        let mut spool = spool.map_err(waiting)?;
        if self.frames.len() < 2 {
            return Ok(());
        }
        let size = results.size.halved();
        let about = results.about(&film.title, size);
        let (mut apng, mut gif) = (Vec::new(), Vec::new());
        let mut drawn = || -> Result<(), ResultsError> {
            let count = self.frames.len();
            let at_once = AT_ONCE.max(2 * rayon::current_num_threads());
            let mut frame = |k: usize| -> Result<(usize, Vec<f32>), ResultsError> {
                Ok((self.frames[k], spool.read(k).map_err(waiting)?))
            };
            let mut ends = Vec::with_capacity(count);
            for first in (0..count).step_by(at_once) {
                let frames = (first..count.min(first + at_once)).map(&mut frame);
                let frames = frames.collect::<Result<Vec<_>, ResultsError>>()?;
                let end = |(_, values): &(usize, Vec<f32>)| {
                    wave_scale(ArrayView1::from(values).insert_axis(Axis(0)))
                };
                ends.par_extend(frames.par_iter().map(end));
            }
            let largest = film.colours.end(ends);
            let draw = |(step, values): &(usize, Vec<f32>)| draw(*step, values, largest, size);
            let shape = draw(&frame(0)?).map_err(ResultsError::failed)?.dimensions();
            let mut as_png = match movie.format {
                MovieFormat::Gif => None,
                MovieFormat::Apng | MovieFormat::Both => {
                    Some(png::Animation::new(&mut apng, shape, count as u32, movie.rate, &about))
                }
            };
            let mut as_gif = match movie.format {
                MovieFormat::Apng => None,
                MovieFormat::Gif | MovieFormat::Both => {
                    Some(gif::Animation::new(&mut gif, movie.rate))
                }
            };
            let shown = (results.show)("frame", count);
            let (is_png, is_gif) = (as_png.is_some(), as_gif.is_some());
            let compressed = |frame: &(usize, Vec<f32>)| {
                let picture = draw(frame)?;
                let png = is_png.then(|| png::Frame::new(&picture));
                Ok((png, is_gif.then(|| gif::Frame::new(&picture))))
            };
            for first in (0..count).step_by(at_once) {
                let frames = (first..count.min(first + at_once)).map(&mut frame);
                let frames = frames.collect::<Result<Vec<_>, ResultsError>>()?;
                let drawn: Result<Vec<_>, RenderError> =
                    frames.par_iter().map(compressed).collect();
                for (png, gif) in drawn.map_err(ResultsError::failed)? {
                    as_png
                        .iter_mut()
                        .zip(png)
                        .for_each(|(animation, frame)| animation.push(&frame));
                    as_gif.iter_mut().zip(gif).for_each(|(animation, frame)| animation.push(frame));
                    if shown.one_more().is_break() {
                        return Err(ResultsError::Stopped);
                    }
                }
            }
            as_png.into_iter().for_each(png::Animation::finish);
            as_gif.into_iter().for_each(gif::Animation::finish);
            Ok(())
        };
        drawn()?;
        let files = [("png", apng), ("gif", gif)];
        for (ending, bytes) in files.iter().filter(|(_, bytes)| !bytes.is_empty()) {
            results.folder.write(&format!("{}.{ending}", film.name), bytes)?;
        }
        Ok(())
    }
}

impl Colours {
    /// Where they end, of where those of each frame would.
    fn end(self, mut ends: Vec<f32>) -> f32 {
        if let (Colours::Last, Some(last)) = (self, ends.last()) {
            return *last;
        }
        ends.retain(|end| *end > 0.0 && end.is_finite());
        ends.sort_unstable_by(f32::total_cmp);
        let end = match self {
            Colours::Middle => ends.get(ends.len() / 2),
            Colours::Highest | Colours::Last => ends.last(),
        };
        end.copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_and_the_first_moments_do_not_set_the_colours_of_waves_that_leave() {
        let ends = || vec![0.0, 0.0, 900.0, 3.0, 1.0, 2.0, 2.5];
        assert_eq!(Colours::Middle.end(ends()), 2.5);
        assert_eq!(Colours::Highest.end(ends()), 900.0);
        assert_eq!(Colours::Last.end(vec![9.0, 2.0]), 2.0);
        assert_eq!(Colours::Middle.end(vec![0.0, f32::NAN]), 0.0);
        assert_eq!(Colours::Highest.end(vec![0.0, f32::NAN]), 0.0);
    }
}
