//! The frames of one movie.

use super::{Results, ResultsError, spooled::Spooled};
use crate::picture::Picture;
use crate::{
    io::{gif, png},
    job::{Movie, MovieFormat},
    render::{FigureSize, RenderError, wave_scale},
};
use ndarray::{ArrayView1, Axis};
use rayon::prelude::*;
use std::ops::Range;

/// Minimum number of frames drawn at once and so in memory; otherwise two per core.
const AT_ONCE: usize = 8;

/// What a movie shows, and its name.
pub(crate) struct Film {
    /// File name without the extension.
    pub(crate) name: String,
    pub(crate) title: String,
    /// Movie settings; none if no movie is requested.
    pub(crate) movie: Option<Movie>,
    pub(crate) colours: Colours,
}

/// The colour range that all frames share.
#[derive(Clone, Copy)]
pub(crate) enum Colours {
    /// The median of the ranges of the non-silent frames: for waves that leave a source, whose
    /// first moments would pale all the others.
    Middle,
    /// The largest range of any frame: for waves that converge on a source.
    Highest,
    /// The range of the last frame: for a field that builds up.
    Last,
}

/// Draws the values taken at a step, with a colour limit, in a size.
pub(crate) type Draw<'a> =
    dyn Fn(usize, &[f32], f32, FigureSize) -> Result<Picture, RenderError> + Sync + 'a;

impl Spooled {
    /// Draws and writes the movie if it has more than one frame; frames share a colour range, and
    /// have half as many pixels each way as pictures.
    pub(crate) fn write_movie(
        mut self,
        results: &Results<'_>,
        film: &Film,
        draw: &Draw<'_>,
    ) -> Result<(), ResultsError> {
        let Some(movie) = film.movie else { return Ok(()) };
        self.check()?;
        if self.steps().len() < 2 {
            return Ok(());
        }
        let size = results.size.halved();
        let about = results.about(&film.title, size);
        let (mut apng, mut gif) = (Vec::new(), Vec::new());
        let count = self.steps().len();
        let given = results.file.job.output.figures.largest();
        let largest = match given {
            Some(largest) => largest,
            None => film.colours.end(self.ends()?),
        };
        let draw = |(step, values): &(usize, Vec<f32>)| draw(*step, values, largest, size);
        let shape = draw(&self.read(0)?).map_err(ResultsError::failed)?.size();
        let (is_png, is_gif) =
            (movie.format != MovieFormat::Gif, movie.format != MovieFormat::Apng);
        let mut as_png = is_png.then(|| {
            png::Animation::new(&mut apng, shape.into(), count as u32, movie.rate, &about)
        });
        let mut as_gif = is_gif.then(|| gif::Animation::new(&mut gif, movie.rate));
        let shown = (results.show)("frame", count);
        let compressed = |frame: &(usize, Vec<f32>)| {
            let picture = draw(frame)?;
            let png = is_png.then(|| png::Frame::new(&picture));
            Ok((png, is_gif.then(|| gif::Frame::new(&picture))))
        };
        for part in self.parts() {
            let drawn: Result<Vec<_>, RenderError> =
                self.frames(part)?.par_iter().map(compressed).collect();
            for (png, gif) in drawn.map_err(ResultsError::failed)? {
                as_png.iter_mut().zip(png).for_each(|(animation, frame)| animation.push(&frame));
                as_gif.iter_mut().zip(gif).for_each(|(animation, frame)| animation.push(frame));
                if shown.one_more().is_break() {
                    return Err(ResultsError::Stopped);
                }
            }
        }
        as_png.into_iter().for_each(png::Animation::finish);
        as_gif.into_iter().for_each(gif::Animation::finish);
        drop(shown);
        let files = [("apng", apng), ("gif", gif)];
        for (ending, bytes) in files.iter().filter(|(_, bytes)| !bytes.is_empty()) {
            // A journal that vouches for its shot has no sum of it.
            results.folder.replace(&format!("{}.{ending}", film.name), bytes)?;
        }
        Ok(())
    }

    /// Frames that are in memory at once.
    fn parts(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let count = self.steps().len();
        let at_once = AT_ONCE.max(2 * rayon::current_num_threads());
        (0..count).step_by(at_once).map(move |first| first..count.min(first + at_once))
    }

    fn frames(&mut self, part: Range<usize>) -> Result<Vec<(usize, Vec<f32>)>, ResultsError> {
        part.map(|frame| self.read(frame)).collect()
    }

    /// The colour limit of each frame alone.
    fn ends(&mut self) -> Result<Vec<f32>, ResultsError> {
        let mut ends = Vec::with_capacity(self.steps().len());
        for part in self.parts() {
            let end = |(_, values): &(usize, Vec<f32>)| {
                wave_scale(ArrayView1::from(values).insert_axis(Axis(0)))
            };
            ends.par_extend(self.frames(part)?.par_iter().map(end));
        }
        Ok(ends)
    }
}

impl Colours {
    /// The shared limit, from the limit of each frame.
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
