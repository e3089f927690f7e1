//! Where results go: arrays, traces, pictures and movies in a folder.

mod error;
#[cfg(feature = "ladder")]
pub mod ladder;
mod maps;
pub mod numbers;
#[cfg(feature = "cli")]
pub(crate) mod quality;
mod reel;
mod spooled;
#[cfg(feature = "cli")]
mod stored;
pub(crate) mod timeline;
mod view;

pub(crate) use error::ResultsError;
#[cfg(feature = "cli")]
pub(crate) use stored::*;
pub use view::clip;
pub(crate) use {
    maps::*,
    reel::*,
    spooled::*,
    view::{Caption, Cut, View, percentile, written},
};

use crate::{
    io::{
        folder::OutputFolder,
        journal::{Piece, PieceWriter},
        npy, pdf,
        png::{self, About},
        svg,
    },
    job::{Figures, JobFile, PictureFormat},
    render::{Drawing, Figure, FigureSize, Gain, Look, PageFigure, RenderError},
    single::Single,
};
use ndarray::{Array, ArrayViewD, Dimension};
use rayon::prelude::*;
use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    path::Path,
    sync::{Mutex, PoisonError},
};

/// Starts a progress display for a count of things or, with 0, for something uncounted: "picture",
/// "writing images".
pub(crate) type Show<'a> = dyn Fn(&str, usize) -> Box<dyn Shown> + Sync + 'a;

/// A progress display, shown until it is dropped.
pub(crate) trait Shown: Send + Sync {
    /// Counts one more; `Break` to stop.
    fn one_more(&self) -> ControlFlow<()>;

    /// Sets the count; `Break` to stop.
    fn hear(&self, done: usize) -> ControlFlow<()>;
}

/// Pictures, with the names of their files without the ending.
pub(crate) type Pictures<'a> = Vec<(String, Box<dyn Figure + 'a>)>;

/// The line of a textual header that names a job: without its folder, so that equal runs have equal
/// bytes, and no path leaves this machine.
pub(crate) fn job_line(file: &JobFile) -> String {
    format!("Job: {}", Path::new(&file.name).file_name().unwrap_or_default().display())
}

/// The destination of a job's results.
pub struct Results<'a> {
    /// The folder.
    pub(crate) folder: &'a OutputFolder,
    /// The job.
    pub(crate) file: &'a JobFile,
    /// Size of pictures.
    pub(crate) size: FigureSize,
    /// The command line, repeated in pictures.
    pub(crate) command: String,
    /// Starts the display of slow work.
    pub(crate) show: &'a Show<'a>,
    /// Arrays of which the values are divided by a power of two, by name.
    pub(crate) units: Mutex<BTreeMap<String, f64>>,
}

impl Results<'_> {
    /// True if pictures that do not belong to one of several shots are drawn.
    pub(crate) fn draws(&self) -> bool {
        self.file.job.output.draws(0, 1)
    }

    /// Writes a picture in each format, if the job has pictures; its name has no ending.
    pub(crate) fn picture(&self, name: &str, figure: &mut dyn Figure) -> Result<(), ResultsError> {
        if self.draws() {
            for (name, bytes) in self.drawn(name, figure, self.size)? {
                self.folder.write(&name, &bytes)?;
            }
        }
        Ok(())
    }

    /// Writes a page of panels. A size that a job gives is that of one panel, and they lie below each other.
    pub(crate) fn page(&self, name: &str, mut page: PageFigure<'_>) -> Result<(), ResultsError> {
        if !self.draws() {
            return Ok(());
        }
        let stacked = self.size.stacked(page.panels.len());
        if stacked.is_some() {
            page.columns = 1;
        }
        for (name, bytes) in self.drawn(name, &mut page, stacked.unwrap_or(self.size))? {
            self.folder.write(&name, &bytes)?;
        }
        Ok(())
    }

    /// The same for a picture that may stand already.
    pub(crate) fn replace(&self, name: &str, figure: &mut dyn Figure) -> Result<(), ResultsError> {
        if self.draws() {
            for (name, bytes) in self.drawn(name, figure, self.size)? {
                self.folder.replace(&name, &bytes)?;
            }
        }
        Ok(())
    }

    /// An array in f32. Values that f32 does not hold are divided by a power of two, which is told and recorded.
    pub(crate) fn single<D: Dimension>(&self, name: &str, values: &Array<f64, D>) -> Single<D> {
        let single = Single::of(values);
        self.divide(name, single.unit);
        single
    }

    /// Tells and records the power of two by which an array is divided.
    pub(crate) fn divide(&self, name: &str, unit: f64) {
        if unit != 1.0 {
            let size = if unit > 1.0 { "large" } else { "small" };
            tracing::warn!(
                "{name} is divided by {unit:.3e}: its values are too {size} for 32-bit numbers; run.json has the exact factor"
            );
            let mut units = self.units.lock().unwrap_or_else(PoisonError::into_inner);
            units.insert(name.to_owned(), unit);
        }
    }

    /// The recorded powers of two.
    pub(crate) fn units(&self) -> BTreeMap<String, f64> {
        self.units.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes an array as a .npy.
    pub(crate) fn array(&self, name: &str, array: ArrayViewD<'_, f32>) -> Result<(), ResultsError> {
        self.write_array(PieceWriter::whole(self.folder, name)?, array).map(drop)
    }

    /// Writes an array of a shot, counted from 1, as a .npy.
    pub(crate) fn piece(
        &self,
        shot: usize,
        name: &str,
        array: ArrayViewD<'_, f32>,
    ) -> Result<Piece, ResultsError> {
        let writer = PieceWriter::whole(self.folder, name)?.of_shot(shot);
        Ok(self.write_array(writer, array)?.end().expect("it has a checksum"))
    }

    fn write_array<'w>(
        &self,
        mut writer: PieceWriter<'w>,
        array: ArrayViewD<'_, f32>,
    ) -> Result<PieceWriter<'w>, ResultsError> {
        let contiguous = array.as_standard_layout();
        let values = contiguous.as_slice().expect("it is in standard layout");
        writer.push(&npy::header(array.shape()).map_err(ResultsError::failed)?)?;
        writer.push(npy::values(values))?;
        Ok(writer)
    }

    /// The bytes of pictures in each format, with their file names.
    pub(crate) fn all_drawn(
        &self,
        pictures: Pictures<'_>,
    ) -> Result<Vec<(String, Vec<u8>)>, ResultsError> {
        let drawing = (self.show)("picture", pictures.len());
        let drawn = pictures.into_par_iter().map(|(name, mut figure)| {
            let files = self.drawn(&name, figure.as_mut(), self.size)?;
            let _ = drawing.one_more();
            Ok(files)
        });
        Ok(drawn.collect::<Result<Vec<_>, ResultsError>>()?.into_iter().flatten().collect())
    }

    /// The bytes of a picture in each format, with their file names.
    pub(crate) fn drawn(
        &self,
        name: &str,
        figure: &mut dyn Figure,
        size: FigureSize,
    ) -> Result<Vec<(String, Vec<u8>)>, RenderError> {
        let _drawing = tracing::info_span!(target: "timeline", "drawing").entered();
        let figures = &self.file.job.output.figures;
        figures.title.iter().for_each(|title| figure.retitle(title.clone()));
        let (drawing, about) = (figure.drawing(size)?, self.about(figure.title(), size));
        let file = |format: &PictureFormat| {
            (format!("{name}.{}", format.ending()), encoded(&drawing, *format, &about))
        };
        Ok(figures.formats().iter().map(file).collect())
    }

    /// The metadata of a picture.
    pub(crate) fn about(&self, title: &str, size: FigureSize) -> About {
        let (title, command, job) =
            (title.to_owned(), self.command.clone(), Some(self.file.text.to_string()));
        About { title, command, job, dpi: size.dpi() }
    }
}

/// The bytes of a picture.
pub(crate) fn encoded(drawing: &Drawing, format: PictureFormat, about: &About) -> Vec<u8> {
    match format {
        PictureFormat::Png => png::bytes(&drawing.picture(), about),
        PictureFormat::Svg => svg::bytes(&drawing.vector(), about),
        PictureFormat::Pdf => pdf::bytes(&drawing.vector(), about),
    }
}

/// What a title says of values that are divided by a unit.
pub(crate) fn divided(unit: f64) -> String {
    if unit == 1.0 { String::new() } else { format!(", divided by {unit:.1e}") }
}

/// How pictures look, as set in a job.
pub(crate) fn look(job: &Figures) -> Look {
    let (colours, unit) = (job.colours, job.units.unwrap_or_default());
    Look { colours, unit, bare: job.overlays == Some(false) }
}

/// The gain of gathers in pictures, as set in a job.
pub(crate) fn gain(job: &Figures) -> Gain {
    let usual = Gain::default();
    Gain {
        power: job.gain.unwrap_or(usual.power),
        window: job.agc.or(usual.window),
        clip: job.clip.unwrap_or(usual.clip),
    }
}
