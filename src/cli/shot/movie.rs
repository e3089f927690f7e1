//! The movie of a shot: frames as they come out of the run, kept on disk, and drawn once all of them are known.

use super::{figures, output::prefix};
use crate::cli::{
    failure::Failure,
    job::{Inputs, JobFile, MovieFormat},
    picture::about,
    progress::Progress,
};
use huygens::{
    engine::Snapshot,
    io::{
        folder::OutputFolder,
        gif,
        png::{self, About},
        spool::Spool,
    },
    render::{Figure, FigureSize, Planes, RenderError, wave_scale},
};
use image::RgbImage;
use ndarray::{ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;
use std::{
    collections::BTreeMap,
    io,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

/// Frames that are drawn side by side, and so are in memory.
const AT_ONCE: usize = 8;

/// The frames of the shots that are under way.
pub struct Reels<'a> {
    file: &'a JobFile,
    inputs: &'a Inputs,
    /// Where frames wait.
    folder: &'a Path,
    shots: BTreeMap<usize, io::Result<Reel>>,
}

/// The frames of a shot.
struct Reel {
    spool: Spool,
    /// The step of each frame, and where its own colours would end.
    frames: Vec<(usize, f32)>,
}

impl<'a> Reels<'a> {
    pub fn new(file: &'a JobFile, inputs: &'a Inputs, folder: &'a Path) -> Self {
        Reels { file, inputs, folder, shots: BTreeMap::new() }
    }

    /// Takes what the pictures of a snapshot show of it, if it is a frame. What goes wrong is told with the movie.
    pub fn hear(&mut self, shot: usize, snapshot: &Snapshot) {
        if self.inputs.frames.binary_search(&snapshot.step).is_err() {
            return;
        }
        let values = match self.shown(shot, snapshot) {
            Ok(values) => values,
            Err(error) => {
                self.shots.insert(shot, Err(io::Error::other(error)));
                return;
            }
        };
        let reel = self.shots.entry(shot).or_insert_with(|| {
            Ok(Reel { spool: Spool::new(self.folder, values.len())?, frames: Vec::new() })
        });
        if let Ok(taken) = reel
            && let Err(error) = taken.push(snapshot.step, &values)
        {
            *reel = Err(error);
        }
    }

    /// The plane of a 2-D model, or three planes through a volume one after the other.
    fn shown(&self, shot: usize, snapshot: &Snapshot) -> Result<Vec<f32>, RenderError> {
        let field = snapshot.field.view();
        if !self.inputs.plan.grid.is_volume() {
            return Ok(field.index_axis(Axis(0), 0).iter().copied().collect());
        }
        let planes = Planes::of(field, figures::through(self.inputs, shot))?;
        let planes = [planes.map, planes.inline, planes.crossline];
        Ok(planes.iter().flat_map(|plane| plane.iter().copied()).collect())
    }

    /// Draws and writes the movie of a shot, of the frames up to a step where its field blew up. After Ctrl-C
    /// nothing is written.
    pub fn write(
        &mut self,
        folder: &OutputFolder,
        (shot, until): (usize, Option<usize>),
        size: FigureSize,
        stop: &Arc<AtomicBool>,
    ) -> Result<(), Failure> {
        let (Some(reel), Some(movie)) = (self.shots.remove(&shot), self.file.job.output.movie)
        else {
            return Ok(());
        };
        let waiting = |error| {
            let folder = self.folder.display();
            Failure::run(format!(
                "the frames of the movie, which wait in {folder}, cannot be kept: {error}; choose another disk with --out"
            ))
        };
        let mut reel = reel.map_err(waiting)?;
        reel.frames.retain(|frame| until.is_none_or(|until| frame.0 <= until));
        if reel.frames.len() < 2 {
            return Ok(());
        }
        let size = size.halved();
        let largest = middle(reel.frames.iter().map(|frame| frame.1).collect());
        let about = About {
            job: Some(self.file.text.to_string()),
            ..about(&figures::movie_title(self.file, self.inputs, shot), size)
        };
        let (mut apng, mut gif) = (Vec::new(), Vec::new());
        let mut drawn = || -> Result<bool, Failure> {
            let count = reel.frames.len();
            let mut frame = |k: usize| -> Result<(usize, Vec<f32>), Failure> {
                Ok((reel.frames[k].0, reel.spool.read(k).map_err(waiting)?))
            };
            let draw =
                |(step, values): &(usize, Vec<f32>)| self.draw(shot, *step, values, largest, size);
            let shape = draw(&frame(0)?).map_err(Failure::run)?.dimensions();
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
            let progress = Progress::listening("frame", stop.clone());
            for first in (0..count).step_by(AT_ONCE) {
                if progress.hear_of(first, count).is_break() {
                    return Ok(false);
                }
                let frames = (first..count.min(first + AT_ONCE)).map(&mut frame);
                let frames = frames.collect::<Result<Vec<_>, Failure>>()?;
                let drawn: Result<Vec<RgbImage>, _> = frames.par_iter().map(draw).collect();
                for picture in &drawn.map_err(Failure::run)? {
                    as_png.iter_mut().for_each(|animation| animation.push(picture));
                    as_gif.iter_mut().for_each(|animation| animation.push(picture));
                }
            }
            as_png.into_iter().for_each(png::Animation::finish);
            Ok(true)
        };
        let done = drawn()?;
        let files = [("png", apng), ("gif", gif)];
        let until = until.map_or_else(String::new, |step| format!("-until-step{step}"));
        let name = format!("{}movie{until}", prefix(&self.inputs.plan, shot));
        for (ending, bytes) in files.iter().filter(|(_, bytes)| done && !bytes.is_empty()) {
            folder.write(&format!("{name}.{ending}"), bytes).map_err(Failure::run)?;
        }
        Ok(())
    }

    /// A frame.
    fn draw(
        &self,
        shot: usize,
        step: usize,
        values: &[f32],
        largest: f32,
        size: FigureSize,
    ) -> Result<RgbImage, RenderError> {
        let (file, inputs) = (self.file, self.inputs);
        let n = inputs.plan.model_grid.n;
        let plane = |from: usize, shape: (usize, usize)| {
            let values = &values[from..from + shape.0 * shape.1];
            ArrayView2::from_shape(shape, values).expect("as many values as the shape has")
        };
        let largest = Some(largest);
        let figure: Box<dyn Figure + '_> = if inputs.plan.grid.is_volume() {
            let map = plane(0, (n.x, n.y));
            let inline = plane(n.x * n.y, (n.x, n.z));
            let crossline = plane(n.x * n.y + n.x * n.z, (n.y, n.z));
            let wavefield = Planes { map, inline, crossline };
            Box::new(figures::three_planes(file, inputs, shot, step, wavefield, largest)?)
        } else {
            Box::new(figures::section(file, inputs, shot, step, plane(0, (n.x, n.z)), largest))
        };
        figure.draw(size)
    }
}

impl Reel {
    fn push(&mut self, step: usize, values: &[f32]) -> io::Result<()> {
        self.spool.push(values)?;
        let scale = wave_scale(ArrayView1::from(values).insert_axis(Axis(0)));
        self.frames.push((step, scale));
        Ok(())
    }
}

/// Where the colours of all frames end: half of the frames that are not silent would by themselves end lower.
/// Their largest value would do badly, being that of the first moments near the source.
fn middle(mut scales: Vec<f32>) -> f32 {
    scales.retain(|scale| *scale > 0.0 && scale.is_finite());
    scales.sort_unstable_by(f32::total_cmp);
    scales.get(scales.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_and_the_first_moments_do_not_set_the_colours() {
        assert_eq!(middle(vec![0.0, 0.0, 900.0, 3.0, 1.0, 2.0, 2.5]), 2.5);
        assert_eq!(middle(vec![0.0, f32::NAN]), 0.0);
    }
}
